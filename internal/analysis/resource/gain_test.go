package resource

import "testing"

// A part of a core that is doubled serves twice as fast; whole cores become
// more of them.
func TestStorageNodesGetFasterOrMore(t *testing.T) {
	for _, c := range []struct {
		limit   float64
		speed   float64
		servers int
	}{{0.05, 2, 1}, {4, 1, 2}} {
		r := Resource{Kind: "node", Servers: c.limit}
		if speed, servers := r.Gain(2); speed != c.speed || servers != c.servers {
			t.Errorf("%v cores: %v times as fast, %d times as many", c.limit, speed, servers)
		}
	}
}
