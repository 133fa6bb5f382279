package platform

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Description is a machine or a cluster that a study is planned for without having it: what
// plan --offline takes in place of asking.
type Description struct {
	Nodes []DescribedNode `yaml:"nodes" json:"nodes" jsonschema:"description=Machines that take servers; one for the platform local"`
}

// DescribedNode is one machine, or several alike.
type DescribedNode struct {
	Count  int        `yaml:"count,omitempty" json:"count,omitempty" jsonschema:"minimum=0,maximum=10000,description=How many there are; one when empty"`
	CPU    unit.Cores `yaml:"cpu" json:"cpu" jsonschema:"description=Cores that servers may use,exclusiveMinimum=0"`
	Memory unit.Bytes `yaml:"memory" json:"memory" jsonschema:"description=Memory that servers may use"`
	Disk   unit.Bytes `yaml:"disk,omitempty" json:"disk,omitempty" jsonschema:"description=Free space of a machine for volumes and data sets; not known when empty"`
}

// podsOfNode is how many pods a node takes by default.
const podsOfNode = 110

// What is described has no more than this.
const (
	mostNodes  = 10_000
	mostCores  = 1 << 20
	mostMemory = 1 << 46 // of a machine, bytes
)

// Problems reports impossible values; placed says that it is a cluster, whose volumes are not on its
// machines.
func (d *Description) Problems(placed bool) []describe.Problem {
	if d == nil {
		return nil
	}
	var bad describe.Problems
	bad.Unless(len(d.Nodes) > 0, "described.nodes", "there is none: describe one at least, such as {cpu: 16, memory: 64GiB}")
	all := 0
	for i, n := range d.Nodes {
		at := fmt.Sprintf("described.nodes[%d]", i)
		bad.Unless(n.Count >= 0 && n.Count <= mostNodes, at+".count", "%d is no number of machines from 1 to %d", n.Count, mostNodes)
		bad.Unless(n.CPU > 0 && n.CPU <= mostCores, at+".cpu", "%g is no number of cores: it must be above 0 and at most %d", n.CPU, mostCores)
		bad.Unless(n.Memory > 0 && n.Memory <= mostMemory, at+".memory", "%s is no memory of a machine: it must be above 0 and at most %s", n.Memory, unit.Bytes(mostMemory))
		bad.Unless(n.Disk == 0 || !placed, at+".disk", "volumes of a cluster are not on its machines: leave it out")
		all += max(1, min(n.Count, mostNodes))
	}
	bad.Unless(all <= mostNodes, "described.nodes", "%d machines are more than %d", all, mostNodes)
	bad.Unless(all <= 1 || placed, "described.nodes", "the platform local is one machine, not %d", all)
	return bad
}

// Offline is a kind on what a study describes, or on what nothing is known of. It asks no machine, no
// cluster and no server, and starts no program.
type Offline struct {
	Kind
	Described *Description // nil is that nothing is known
	// Placed reports whether servers are placed on nodes, which each keep Requests of a server's limits.
	Placed   bool
	Requests float64
	Where    string // what it is, for people: "the cluster"
}

// Capacity follows from the description; without one it is not known.
func (o Offline) Capacity(context.Context) (describe.Capacity, error) {
	has := describe.Capacity{Where: o.Where, Requests: o.Requests}
	if o.Described == nil {
		has.Notes = []string{"nothing was asked and the study describes nothing (platform.described): whether the trials fit on " + o.Where + " is not known"}
		return has, nil
	}
	has.Placed, has.MemoryBytes = o.Placed, new(int64)
	for _, n := range o.Described.Nodes {
		count := max(1, n.Count)
		*has.MemoryBytes += int64(count) * int64(n.Memory)
		has.Cores += float64(count) * float64(n.CPU)
		for range count {
			if o.Placed {
				has.Nodes = append(has.Nodes, describe.Node{
					Name: fmt.Sprintf("node-%d", len(has.Nodes)+1), MilliCPU: int64(1000 * n.CPU), MemoryBytes: int64(n.Memory), Servers: podsOfNode,
				})
			}
		}
	}
	return has, nil
}

// Space is the disk of the described machine, which has every directory but the one in memory; a
// cluster's is not known.
func (o Offline) Space(_ context.Context, directory string) (describe.Space, error) {
	space := describe.UnknownSpace()
	switch {
	case directory == storage.MemoryPath || strings.HasPrefix(directory, storage.MemoryPath+"/"):
		space.InMemory = true
	case o.Described != nil && o.Described.Nodes[0].Disk > 0:
		space.ID, space.Bytes = "described", int64(o.Described.Nodes[0].Disk)
	}
	return space, nil
}

// Find takes programs for installed; a cluster's images have names without its being asked.
func (o Offline) Find(ctx context.Context, e app.Engine, version string, _ bool) (app.Installation, error) {
	if o.Placed {
		return o.Kind.Find(ctx, e, version, false)
	}
	return app.Installation{Engine: e.Name(), Version: version, Source: "not looked for"}, nil
}

// Deploys takes what deployments need for there. Virtual machines are started nowhere yet.
func (o Offline) Deploys(ctx context.Context, d study.Deployment) error {
	switch d.OrBare() {
	case study.Bare:
		return nil
	case study.VM:
		return errors.New("this version of Plimsoll does not start virtual machines yet: use bare or container")
	}
	if !o.Placed && d == study.Container {
		return nil
	}
	return o.Kind.Deploys(ctx, d)
}

// Capabilities are the kind's; it takes any storage class for there.
func (o Offline) Capabilities() KindCapabilities {
	can := o.Kind.Capabilities()
	if can.ClaimClass != nil {
		can.ClaimClass = func(_ context.Context, name string) (storage.ClaimClass, error) {
			return storage.ClaimClass{Name: name, Provisioner: "not asked"}, nil
		}
	}
	return can
}
