package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/describe"
	"plimsoll/internal/study/plan"
)

// Servers are placed one by one: what fits in sum need not fit on the nodes.
func TestServersFindRoomOnNodes(t *testing.T) {
	node := func(milli, gibs int64, servers int, volumes map[string]int) describe.Node {
		return describe.Node{MilliCPU: milli, MemoryBytes: gibs * gib, Servers: servers, Volumes: volumes}
	}
	eight := func(n describe.Node) []describe.Node { return []describe.Node{n, n, n, n, n, n, n, n} }
	for _, c := range []struct {
		name  string
		nodes []describe.Node
		want  []string
	}{
		{"fits", eight(node(16000, 64, 110, nil)), nil},
		{"no node takes servers", nil, []string{"0 of them find room on its no nodes", "not even one instance fits"}},
		{"enough memory in sum, but in parts that are too small", eight(node(64000, 3, 500, nil)), []string{"rung 128 of a, b and tmp does not fit on the cluster", "its 128 servers ask for up to 1 CPU and 2GiB each, and 8 of them find room on its 8 nodes", "8 instances fit"}},
		{"too few cores", eight(node(1500, 1000, 500, nil)), []string{"8 of them find room"}},
		{"too few pods", eight(node(64000, 1000, 4, nil)), []string{"32 of them find room", "32 instances fit"}},
		{"too few volumes", eight(node(64000, 1000, 500, map[string]int{"driver": 2})), []string{"16 of them find room"}},
		{"volumes of others", eight(node(64000, 1000, 500, map[string]int{"other": 2})), nil},
		{"none fits", eight(node(500, 64, 110, nil)), []string{"not even one instance fits"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := usual
			d.facts.Servers = []plan.Server{{MilliCPU: 1000, MemoryBytes: 2 * gib, Volumes: []string{"a"}}}
			d.own.ClaimSource = plan.ClaimSource{Provisioner: "driver"}
			p := planned(t, text, plan.Machine{Capacity: describe.Capacity{Where: "the cluster", Placed: true, Nodes: c.nodes}}, d)
			all := fmt.Sprint(p.Problems)
			if len(c.want) == 0 && len(p.Problems) > 0 {
				t.Errorf("refused: %s", all)
			}
			for _, want := range c.want {
				if !strings.Contains(all, want) {
					t.Errorf("%q is not in %s", want, all)
				}
			}
		})
	}
}

// Only a platform that places servers on nodes can lack them; why none takes any is said once.
func TestNoNodesAreNotUnknownNodes(t *testing.T) {
	d := usual
	d.facts.Servers = []plan.Server{{MilliCPU: 1000}}
	for _, c := range []struct {
		machine plan.Machine
		want    []string
	}{
		{plan.Machine{}, nil},
		{plan.Machine{Capacity: describe.Capacity{Placed: true, Nodes: []describe.Node{{MilliCPU: 1 << 20, Servers: 1000}}}}, nil},
		{plan.Machine{Capacity: describe.Capacity{Placed: true, Closed: []string{"no node takes servers: a (is not ready)"}}}, []string{"no node takes servers: a (is not ready)"}},
		{plan.Machine{Capacity: describe.Capacity{Placed: true, Nodes: []describe.Node{{MilliCPU: 1 << 20, Servers: 1000}}, Closed: []string{"no node takes drivers: a (is not ready)"}}}, []string{"no node takes drivers: a (is not ready)"}},
	} {
		var got []string
		for _, problem := range planned(t, text, c.machine, d).Problems {
			got = append(got, problem.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// The rules of a platform are asked with all that a trial makes, and the variants that break
// the same one are named together.
func TestRulesOfThePlatform(t *testing.T) {
	d := usual
	d.facts.Servers = []plan.Server{{MilliCPU: 500, MostMilliCPU: 1000, MemoryBytes: gib, Volumes: []string{"a"}}, {}}
	d.own.ClaimSource, d.own.ClaimBytes = plan.ClaimSource{Provisioner: "driver", StorageClass: "fast"}, 4*gib
	p := planned(t, text, plan.Machine{Capacity: describe.Capacity{Where: "the cluster", Refuses: func(of describe.Demand) string {
		if of.Instances <= 8 {
			return ""
		}
		return fmt.Sprintf("%d instances, %d servers, %d drivers, %d volumes like %v", of.Instances, len(of.Servers), of.Drivers, len(of.Volumes), of.Volumes[0])
	}}}, d)
	// 128 volumes of instances, and one that each of three storages clones them from
	want := []describe.Problem{{
		Text: "rung 128 of a, b and tmp does not fit on the cluster: 128 instances, 256 servers, 16 drivers, 131 volumes like {fast 4294967296}",
		Hint: "8 instances fit: shorten the ladder, or lower what servers and volumes ask for (cpu, memory, size)",
	}}
	if diff := cmp.Diff(want, p.Problems); diff != "" {
		t.Error(diff)
	}
}

// A class that makes only small volumes is refused, with any number of instances.
func TestTheLargestVolume(t *testing.T) {
	d := usual
	d.own.ClaimSource, d.own.ClaimBytes = plan.ClaimSource{Provisioner: "driver", LargestVolume: new(int64(gib))}, 4*gib
	if all := fmt.Sprint(planned(t, text, plan.Machine{}, d).Problems); !strings.Contains(all, "each volume of a asks for 4GiB of storage a, which makes volumes of at most 1GiB") {
		t.Error(all)
	}
	d.own.ClaimBytes = gib
	if all := planned(t, text, plan.Machine{}, d).Problems; len(all) > 0 {
		t.Error(all)
	}
}
