// Package claim is the storage class of a cluster: every volume is a claim of one of
// the cluster's own StorageClasses. It takes any of them, knows nothing of how claims
// are made (storage.Claims does), and clones data sets where the cluster can.
package claim

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
	"plimsoll/internal/text/unit"
)

// Name is the class's key in studies.
const Name = "claim"

// Ways to clone a volume that holds a data set.
const (
	Auto     = "auto"     // whichever works in a trial with a small claim
	CSI      = "csi"      // a claim whose data source is the claim
	Snapshot = "snapshot" // a claim whose data source is a VolumeSnapshot of it
	None     = "none"     // every instance is prepared by itself
)

func accessModes() []string {
	return []string{"ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany"}
}

// Parameters configure the class.
type Parameters struct {
	StorageClass string     `yaml:"storage_class,omitempty" json:"storage_class,omitempty" jsonschema:"description=StorageClass of the cluster; its default one when omitted; {cpu} and {memory} in it are those two so that each level of them has a StorageClass"`
	Size         unit.Bytes `yaml:"size,omitempty" json:"size,omitempty" jsonschema:"description=What each claim requests; the default is the volume of the engine or else what data set and growth take with a margin"`
	AccessMode   string     `yaml:"access_mode,omitempty" json:"access_mode,omitempty" jsonschema:"enum=ReadWriteOnce,enum=ReadWriteOncePod,enum=ReadWriteMany,description=Access mode of the claims; default ReadWriteOnce"`
	VolumeMode   string     `yaml:"volume_mode,omitempty" json:"volume_mode,omitempty" jsonschema:"enum=Filesystem,enum=Block,description=Whether claims are file systems or raw block devices; default Filesystem"`
	Clone        string     `yaml:"clone,omitempty" json:"clone,omitempty" jsonschema:"enum=auto,enum=csi,enum=snapshot,enum=none,description=How data sets are cloned; auto tries it with a small claim and none prepares every instance by itself"`
	// The cluster does not know these.
	Media      string `yaml:"media,omitempty" json:"media,omitempty" jsonschema:"description=What it is made of: nvme; hdd; gp3"`
	Protection string `yaml:"protection,omitempty" json:"protection,omitempty" jsonschema:"description=How it keeps data when a part fails: replica 3; raid10"`
	Drives     int    `yaml:"drives,omitempty" json:"drives,omitempty" jsonschema:"minimum=1,maximum=65536,description=How many drives the pool behind it has for throughput per drive; not known when omitted"`
	// CPU and Memory are what the study's author gave the storage servers: Plimsoll cannot change
	// a cluster's own, but a factor of them selects StorageClasses.
	CPU       unit.Cores `yaml:"cpu,omitempty" json:"cpu,omitempty" jsonschema:"description=CPU in cores of each storage server behind it (of each OSD where they are limited) as you say; nothing is limited,minimum=0"`
	Memory    unit.Bytes `yaml:"memory,omitempty" json:"memory,omitempty" jsonschema:"description=Memory of each storage server behind it (of each OSD where they are limited) as you say; nothing is limited"`
	Simulated bool       `yaml:"simulated,omitempty" json:"simulated,omitempty" jsonschema:"description=Its times are simulated; results are labelled so"`
}

// Kind implements storage.Kind.
type Kind struct{}

var _ storage.Kind = Kind{}

// Capabilities implements storage.Kind.
func (k Kind) Capabilities() storage.KindCapabilities {
	return storage.KindCapabilities{CheckShared: k.CheckShared, Claims: k, Class: (&class{}).Capabilities()}
}

// VolumeKinds follow from the claims' volumeMode.
func (Kind) VolumeKinds(parameters any) []string {
	if p, ok := parameters.(*Parameters); ok {
		return []string{p.volumeKind()}
	}
	return []string{endpoint.Directory, endpoint.Device}
}

func (p Parameters) volumeKind() string {
	if p.VolumeMode == Block {
		return endpoint.Device
	}
	return endpoint.Directory
}

// Values of volume_mode, as Kubernetes has them.
const (
	Filesystem = "Filesystem"
	Block      = "Block"
)

// Name returns the registry key.
func (Kind) Name() string { return Name }

// Defaults are claims of the default StorageClass.
func (Kind) Defaults() any {
	return &Parameters{AccessMode: "ReadWriteOnce", VolumeMode: Filesystem, Clone: Auto}
}

// className matches the names of cluster objects (RFC 1123, subdomain).
var className = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// Validate reports what no cluster accepts.
func (Kind) Validate(parameters any) []describe.Problem {
	p, ok := parameters.(*Parameters)
	if !ok {
		return []describe.Problem{{Text: fmt.Sprintf("the parameters of a claim are %T", parameters)}}
	}
	bad := describe.Bounds(p)
	if name := p.className(); name != "" && (len(name) > 253 || !className.MatchString(name)) {
		bad.Add("storage_class", "%q is no name of a StorageClass", name)
	}
	bad.Unless(p.CPU > 0 || !strings.Contains(p.StorageClass, cpuMark), "storage_class", "%s stands for cpu, which the storage does not give", cpuMark)
	bad.Unless(p.Memory > 0 || !strings.Contains(p.StorageClass, memoryMark), "storage_class", "%s stands for memory, which the storage does not give", memoryMark)
	bad.Unless(p.Size >= 0, "size", "must not be negative")
	bad.Unless(p.Memory >= 0, "memory", "must not be negative")
	return bad
}

// What stands for the CPU and the memory of the storage servers in the name of a StorageClass.
const cpuMark, memoryMark = "{cpu}", "{memory}"

// className is the name of the StorageClass for the CPU and memory of its servers: crs-hdd-{cpu}
// with 4 cores is crs-hdd-4, and crs-{memory} with 8 GiB crs-8gib.
func (p *Parameters) className() string {
	return strings.NewReplacer(
		cpuMark, strconv.FormatFloat(float64(p.CPU), 'g', -1, 64),
		memoryMark, strings.ToLower(p.Memory.Exact()),
	).Replace(p.StorageClass)
}

// Usable accepts everything: the platform decides (see platform.Kind.Hosts).
func (Kind) Usable(any) error { return nil }

// StorageClass implements storage.ClaimKind.
func (Kind) StorageClass(parameters any) string { return parameters.(*Parameters).className() }

// ClaimBytes implements storage.ClaimKind.
func (Kind) ClaimBytes(parameters any) int64 { return int64(parameters.(*Parameters).Size) }

// CheckShared refuses access modes for one node.
func (Kind) CheckShared(parameters any) error {
	if mode := parameters.(*Parameters).AccessMode; mode != "ReadWriteMany" {
		return fmt.Errorf("its access_mode is %s, with which servers on several nodes cannot use one claim: they need ReadWriteMany", mode)
	}
	return nil
}

// Place is elsewhere: the claims take their space from the cluster.
func (Kind) Place(any) storage.Place { return storage.Place{Elsewhere: true} }

// New binds the parameters; nothing is made before Up.
func (k Kind) New(name string, parameters any, env storage.Env) (storage.Class, error) {
	if err := describe.Problems(k.Validate(parameters)).Err(); err != nil {
		return nil, err
	}
	p := *parameters.(*Parameters)
	if p.AccessMode == "" {
		p.AccessMode = accessModes()[0]
	}
	if p.Clone == "" {
		p.Clone = Auto
	}
	return &class{name: name, p: p, env: env, volumes: map[string]*volume{}, golden: map[string]string{}}, nil
}
