package ceph

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/simnet"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Parameters configure a cluster and the volumes on it.
type Parameters struct {
	Nodes int `yaml:"nodes,omitempty" json:"nodes" jsonschema:"description=Storage nodes; each has its own network and mount namespace,minimum=1,maximum=24"`
	OSDs  int `yaml:"osds,omitempty" json:"osds" jsonschema:"description=OSDs of each node\\, each with a disk of its own,minimum=1,maximum=24"`
	// CPU is a limit of each OSD; the OSDs of a node share the sum.
	CPU unit.Cores `yaml:"cpu,omitempty" json:"cpu,omitempty" jsonschema:"description=CPU limit of each OSD in cores (the OSDs of a node share the sum); 0 for none,minimum=0"`
	// Memory is the target that an OSD sizes its caches by (osd_memory_target).
	Memory   unit.Bytes `yaml:"memory,omitempty" json:"memory,omitempty" jsonschema:"description=Memory that each OSD sizes its caches by (osd_memory_target); 896MiB at least"`
	Replicas int        `yaml:"replicas,omitempty" json:"replicas,omitempty" jsonschema:"description=Copies of each object,minimum=1,maximum=8"`
	Erasure  string     `yaml:"erasure,omitempty" json:"erasure,omitempty" jsonschema:"description=Erasure code of the data instead of copies\\, as 4+2: data and coding chunks"`
	// Disk is the simulated disk below each OSD.
	Disk *disk.Parameters `yaml:"disk,omitempty" json:"disk,omitempty" jsonschema:"description=The simulated disk below each OSD; without it an OSD keeps its data in a file below the work directory"`
	// MetadataDisk is one more disk of each node, which its OSDs share.
	MetadataDisk *disk.Parameters `yaml:"metadata_disk,omitempty" json:"metadata_disk,omitempty" jsonschema:"description=A simulated disk of each node for the databases and write-ahead logs of its OSDs (block.db); without it or with media: none they lie on the OSDs' own disks"`
	Link         string           `yaml:"link,omitempty" json:"link,omitempty" jsonschema:"description=Link rate of every host such as 1gbit or 10gbit"`
	// Access is what volumes are.
	Access string `yaml:"access,omitempty" json:"access,omitempty" jsonschema:"description=What volumes are: rbd is a file system on an image of the cluster; device is the image as a raw device; cephfs is a directory of the cluster's own file system by ceph-fuse; rgw is a bucket by radosgw,enum=rbd,enum=device,enum=cephfs,enum=rgw"`
	// Gateways share the host of the clients.
	Gateways   int        `yaml:"gateways,omitempty" json:"gateways,omitempty" jsonschema:"description=Gateways (radosgw) of buckets; one when empty,minimum=1,maximum=12"`
	FileSystem string     `yaml:"filesystem,omitempty" json:"filesystem,omitempty" jsonschema:"description=File system on images (xfs or ext4); the first that this machine has when empty,enum=xfs,enum=ext4"`
	ImageSize  unit.Bytes `yaml:"image_size,omitempty" json:"image_size,omitempty" jsonschema:"description=Size of the image of each volume; as large as its instance may become when empty"`
	// Existing is a cluster in place of one of our own.
	Existing *ExistingCluster  `yaml:"existing,omitempty" json:"existing,omitempty" jsonschema:"description=A cluster that is there already in place of one that a run makes: volumes are images\\, subvolumes or buckets of the run's own in it"`
	Options  map[string]string `yaml:"options,omitempty" json:"options,omitempty" jsonschema:"description=Options of the OSDs as ceph.conf has them\\, such as osd_max_backfills"`
}

// Ways in which volumes are used.
const (
	accessRBD    = "rbd"
	accessDevice = "device"
	accessCephFS = "cephfs"
	accessRGW    = "rgw"
)

const (
	leastMemory   = 896 << 20 // the least that osd_memory_target takes
	leastDisk     = 3 << 30
	leastMetadata = 1 << 30 // of each OSD on a metadata disk
)

// noMedium in place of the metadata disk's medium is no such disk, so that a study can vary it.
const noMedium = "none"

// metadataDisk describes each node's disk for metadata; nil for none.
func (p *Parameters) metadataDisk() *disk.Parameters {
	if p.MetadataDisk == nil || p.MetadataDisk.Media == noMedium {
		return nil
	}
	return p.MetadataDisk
}

// code is an erasure code; zero is none.
type code struct{ data, coding int }

var codeText = regexp.MustCompile(`^(\d{1,2})\+(\d{1,2})$`)

func parseCode(text string) (code, error) {
	m := codeText.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return code{}, fmt.Errorf("%q is not an erasure code: write \"4+2\", for data and coding chunks", text)
	}
	k, _ := strconv.Atoi(m[1]) // the expression takes digits alone
	r, _ := strconv.Atoi(m[2])
	if k < 2 || r < 1 {
		return code{}, fmt.Errorf("an erasure code has two data chunks and one coding chunk at least, got %s", text)
	}
	return code{k, r}, nil
}

// erasure is the code of valid parameters.
func (p *Parameters) erasure() code {
	c, _ := parseCode(p.Erasure) // empty is none
	return c
}

// width is how many OSDs have a part of an object.
func (p *Parameters) width() int {
	if c := p.erasure(); c.data > 0 {
		return c.data + c.coding
	}
	return p.Replicas
}

// copies is how many bytes are kept of each.
func (p *Parameters) copies() float64 {
	if c := p.erasure(); c.data > 0 {
		return float64(c.data+c.coding) / float64(c.data)
	}
	return float64(p.Replicas)
}

func (p *Parameters) protection() string {
	if c := p.erasure(); c.data > 0 {
		return fmt.Sprintf("erasure code %d+%d", c.data, c.coding)
	}
	return fmt.Sprintf("replica %d", p.Replicas)
}

// all is how many OSDs there are.
func (p *Parameters) all() int { return p.Nodes * p.OSDs }

// apart is what has at most one part of an object: a node, where there are enough.
func (p *Parameters) apart() string {
	if p.Nodes >= max(p.width(), p.Replicas) {
		return "host"
	}
	return "osd"
}

// nodeOf is the number of the node that an OSD is on, and diskOf which of its disks it
// has, from 0. OSDs count from 1 here; Ceph's own numbers are one less.
func (p *Parameters) nodeOf(osd int) int { return (osd-1)/p.OSDs + 1 }
func (p *Parameters) diskOf(osd int) int { return (osd - 1) % p.OSDs }

// placementGroups is how many a pool gets: eight parts of them on each OSD, as a power of
// two.
func (p *Parameters) placementGroups() int {
	n := 16
	for n < p.all()*8 && n < 256 {
		n *= 2
	}
	return n
}

var optionName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// ofTheMachine are parts of the names of options whose values are files, addresses, keys or
// programs, which a study may not set for a process of root.
var ofTheMachine = []string{"path", "dir", "file", "keyring", "key", "addr", "host", "socket", "data", "plugin", "module", "class", "user", "group", "lib", "log", "auth", "cephx", "conf"}

func machines(option string) bool {
	return slices.ContainsFunc(strings.Split(option, "_"), func(word string) bool { return slices.Contains(ofTheMachine, word) })
}

func (p *Parameters) validate() []describe.Problem {
	if p.Existing != nil {
		return p.validateExisting()
	}
	all := describe.Bounds(p)
	bad := all.Add
	if p.Memory < leastMemory {
		bad("memory", "an OSD needs 896MiB at least, got %s", p.Memory)
	}
	p.validateProtection(bad)
	p.validateDisks(bad)
	if p.Link != "" {
		if _, err := simnet.ParseRate(p.Link); err != nil {
			bad("link", "%v", err)
		}
	}
	p.validateAccess(bad)
	p.validateImages(bad)
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		value := p.Options[name]
		if !optionName.MatchString(name) || strings.ContainsAny(value, "\n\x00#;$\\\"'") {
			bad("options", "%s = %s is not an option as ceph.conf has it, such as osd_max_backfills", name, value)
		}
		if machines(name) || study.Elsewhere(value) != "" {
			bad("options", "%s = %s: the OSDs run as root, and a study may not name files, addresses or programs of the machine", name, value)
		}
	}
	return all
}

func (p *Parameters) validateImages(bad func(field, format string, args ...any)) {
	if p.ImageSize != 0 && p.ImageSize < leastImage {
		bad("image_size", "an image must have %s at least, got %s", unit.Bytes(leastImage), p.ImageSize)
	}
}

func (p *Parameters) validateAccess(bad func(field, format string, args ...any)) {
	if !slices.Contains([]string{accessRBD, accessDevice, accessCephFS, accessRGW}, p.Access) {
		bad("access", "unknown access %q: write %s, %s, %s or %s", p.Access, accessRBD, accessDevice, accessCephFS, accessRGW)
	}
	if !p.onImages() && (p.ImageSize != 0 || p.FileSystem != "") {
		bad("access", "volumes of %s have no image_size and no filesystem of their own", p.Access)
	}
	switch {
	case p.Gateways > 0 && p.Access != accessRGW:
		bad("gateways", "only access: %s has gateways", accessRGW)
	}
}

// onImages reports whether volumes are images of the cluster.
func (p *Parameters) onImages() bool { return p.Access == accessRBD || p.Access == accessDevice }

func (p *Parameters) validateProtection(bad func(field, format string, args ...any)) {
	if p.Replicas < 1 { // which leaves it out, and a pool has to have some
		bad("replicas", "must be 1 to 8, got %d", p.Replicas)
	}
	field := "replicas"
	if p.Erasure != "" {
		field = "erasure"
		if _, err := parseCode(p.Erasure); err != nil {
			bad(field, "%v", err)
			return
		}
	}
	if width := max(p.width(), p.Replicas); p.all() < width {
		bad(field, "%s needs %d OSDs; %d nodes with %d each have %d", p.protection(), width, p.Nodes, p.OSDs, p.all())
	}
}

func (p *Parameters) validateDisks(bad func(field, format string, args ...any)) {
	each := func(name string, d *disk.Parameters, least int64) {
		if d == nil {
			return
		}
		for _, e := range (disk.Kind{}).Validate(d) {
			bad(name+"."+e.Path, "%s", e.Text)
		}
		if d.Size > 0 && int64(d.Size) < least {
			bad(name+".size", "it must have %s at least, got %s", unit.Bytes(least), d.Size)
		}
	}
	each("disk", p.Disk, leastDisk)
	each("metadata_disk", p.metadataDisk(), int64(p.OSDs)*leastMetadata*5/4)
	if p.metadataDisk() != nil && p.Disk == nil {
		bad("metadata_disk", "it needs `disk:` as well: an OSD with its data in a file of the machine gains nothing from it")
	}
}
