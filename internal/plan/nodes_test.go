package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/plan"
)

// Servers are placed one by one: what fits in sum need not fit on the nodes.
func TestServersFindRoomOnNodes(t *testing.T) {
	node := func(milli, gibs int64, servers int, volumes map[string]int) plan.Node {
		return plan.Node{MilliCPU: milli, MemoryBytes: gibs * gib, Servers: servers, Volumes: volumes}
	}
	eight := func(n plan.Node) []plan.Node { return []plan.Node{n, n, n, n, n, n, n, n} }
	for _, c := range []struct {
		name  string
		nodes []plan.Node
		quota *plan.Node
		want  []string
	}{
		{"fits", eight(node(16000, 64, 110, nil)), nil, nil},
		{"no nodes are known", nil, nil, nil},
		{"enough memory in sum, but in parts that are too small", eight(node(64000, 3, 500, nil)), nil, []string{"rung 128 of a does not fit on the cluster", "its 128 servers ask for up to 1 CPU and 2GiB each, and 8 of them find room on its 8 nodes", "8 instances fit"}},
		{"too few cores", eight(node(1500, 1000, 500, nil)), nil, []string{"8 of them find room"}},
		{"too few pods", eight(node(64000, 1000, 4, nil)), nil, []string{"32 of them find room", "32 instances fit"}},
		{"too few volumes", eight(node(64000, 1000, 500, map[string]int{"driver": 2})), nil, []string{"16 of them find room"}},
		{"volumes of others", eight(node(64000, 1000, 500, map[string]int{"other": 2})), nil, nil},
		{"none fits", eight(node(500, 64, 110, nil)), nil, []string{"not even one instance fits"}},
		{"quota of CPU", eight(node(16000, 64, 110, nil)), &plan.Node{MilliCPU: 20000, MemoryBytes: 1000 * gib, Servers: 1000}, []string{"ask for 128 CPU, and the quota of the namespace has 20 CPU left", "20 instances fit"}},
		{"quota of pods", eight(node(16000, 64, 110, nil)), &plan.Node{MilliCPU: 1 << 40, MemoryBytes: 1000 * gib, Servers: 7}, []string{"room for 7 more pods"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := usual
			d.facts.Servers = []plan.Server{{MilliCPU: 1000, MemoryBytes: 2 * gib, Volume: true}}
			d.facts.Provisioner = "driver"
			p := planned(t, text, plan.Machine{Where: "the cluster", Nodes: c.nodes, Quota: c.quota}, d)
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
