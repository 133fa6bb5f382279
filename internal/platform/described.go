package platform

import (
	"context"
	"fmt"

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
	Disk   unit.Bytes `yaml:"disk,omitempty" json:"disk,omitempty" jsonschema:"description=Free space for volumes and data sets; not known when empty"`
}

// podsOfNode is how many pods a node takes by default.
const podsOfNode = 110

// Problems reports what no machine is.
func (d *Description) Problems() []describe.Problem {
	if d == nil {
		return nil
	}
	var bad describe.Problems
	bad.Unless(len(d.Nodes) > 0, "described.nodes", "there is none: describe one at least, such as {cpu: 16, memory: 64GiB}")
	for i, n := range d.Nodes {
		at := fmt.Sprintf("described.nodes[%d]", i)
		bad.Unless(n.Count >= 0 && n.Count <= 10_000, at+".count", "%d is no number of machines from 1 to 10,000", n.Count)
		bad.Unless(n.CPU > 0, at+".cpu", "a machine has more than %g cores", n.CPU)
		bad.Unless(n.Memory > 0, at+".memory", "a machine has more memory than %s", n.Memory)
		bad.Unless(n.Disk >= 0, at+".disk", "a machine has no less space than none")
	}
	return bad
}

// Offline is a kind on what a study describes, or on what nothing is known of: it answers without
// asking a machine or a cluster.
type Offline struct {
	Kind
	Described *Description // nil is that nothing is known
	// Placed reports whether servers are placed on nodes, which each keep Requests of a server's limits.
	Placed   bool
	Requests float64
	Where    string // what it is, for people: "the cluster"
	// Containers reports whether instances can be containers.
	Containers bool
}

// Capacity is what is described; the rest is not known.
func (o Offline) Capacity(context.Context) (describe.Capacity, error) {
	has := describe.Capacity{Where: o.Where, Placed: o.Placed, Requests: o.Requests}
	if o.Described == nil {
		return describe.Capacity{
			Where: o.Where, Requests: o.Requests,
			Notes: []string{"nothing was asked and the study describes nothing (platform.described): whether the trials fit on " + o.Where + " is not known"},
		}, nil
	}
	var memory int64
	for _, n := range o.Described.Nodes {
		for range max(1, n.Count) {
			one := describe.Node{
				Name: fmt.Sprintf("node-%d", len(has.Nodes)+1), MilliCPU: int64(1000 * n.CPU), MemoryBytes: int64(n.Memory), Servers: podsOfNode,
			}
			has.Nodes = append(has.Nodes, one)
			memory, has.Cores = memory+one.MemoryBytes, has.Cores+float64(n.CPU)
		}
	}
	if !o.Placed {
		has.Nodes = nil
	}
	has.MemoryBytes = &memory
	return has, nil
}

// Space is the disk that is described; every directory is on it.
func (o Offline) Space(context.Context, string) (describe.Space, error) {
	space := describe.UnknownSpace()
	if o.Described != nil && o.Described.Nodes[0].Disk > 0 && !o.Placed {
		space.ID, space.Bytes = "described", int64(o.Described.Nodes[0].Disk)
	}
	return space, nil
}

// Find takes programs that are not here for installed there.
func (o Offline) Find(ctx context.Context, e app.Engine, version string, _ bool) (app.Installation, error) {
	in, err := o.Kind.Find(ctx, e, version, false)
	if err != nil {
		in = app.Installation{Engine: e.Name(), Version: version, Source: "not looked for"}
	}
	return in, nil
}

// Deploys takes what containers need for there.
func (o Offline) Deploys(ctx context.Context, d study.Deployment) error {
	if o.Containers && d.OrBare() == study.Container {
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
