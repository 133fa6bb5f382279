package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/study/plan"
)

// The users of all instances whose databases are on one server need a connection each, and
// the server must have as many left. Servers that pool connections need only the pools'
// size.
func TestConnectionsToExistingServers(t *testing.T) {
	for name, c := range map[string]struct {
		free, pooled int
		want, hint   string
	}{
		"enough":          {free: 32},
		"too few":         {free: 31, want: "rung 8 of a needs 32 connections to db1:5432, which has 31 left (max_connections 34, 3 in use)", hint: "6 instances fit"},
		"for one alone":   {free: 8, want: "needs 32 connections", hint: "2 instances fit"},
		"none left":       {free: 0, want: "needs 32 connections to db1:5432, which has 0 left", hint: "not even one instance fits"},
		"enough of pools": {free: 8, pooled: 2},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine{facts: plan.Facts{Pooled: c.pooled}}
			for n := range 8 { // every other database is on db2, which has room
				if n%2 == 0 {
					m.facts.Connect("db1:5432", c.free, "max_connections 34, 3 in use", n)
				} else {
					m.facts.Connect("db2:5432", 1000, "max_connections 1000", n)
				}
			}
			p := planned(t, strings.Replace(text, "[1, 8, 128]", "[1, 8]", 1), plan.Machine{}, m)
			text := fmt.Sprint(p.Problems)
			if c.want == "" && len(p.Problems) > 0 || !strings.Contains(text, c.want) || !strings.Contains(text, c.hint) {
				t.Errorf("problems are %s", text)
			}
		})
	}
}
