package queueing

import (
	"testing"

	"pgregory.net/rapid"
)

// TestResponseIsCloseToTheExactOne: where every station has one server, Schweitzer's
// approximation is never below the exact response time, above it by at most a third, and
// exact for one user.
func TestResponseIsCloseToTheExactOne(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := Network{Think: rapid.Float64Range(0, 2).Draw(r, "think")}
		for range rapid.IntRange(1, 4).Draw(r, "stations") {
			n.Stations = append(n.Stations, Station{Demand: rapid.Float64Range(0.001, 0.1).Draw(r, "demand"), Servers: 1})
		}
		exact, err := n.Solve(200)
		if err != nil {
			r.Fatal(err)
		}
		for _, s := range exact {
			allowed := 1.0 / 3
			if s.Users == 1 {
				allowed = 1e-6
			}
			if got := n.Response(float64(s.Users)); got < (1-1e-6)*s.Response || got > (1+allowed)*s.Response {
				r.Fatalf("%d users: %v, exactly %v", s.Users, got, s.Response)
			}
		}
	})
}

// TestResponseOfManyServersMeetsItsLimits: one user waits for nobody, and very many wait
// for the capacity of all servers.
func TestResponseOfManyServersMeetsItsLimits(t *testing.T) {
	n := Network{Stations: []Station{{Demand: 0.08, Servers: 8}}, Think: 1}
	near(t, "one user", n.Response(1), 0.08, 1e-6)
	near(t, "ten thousand users", n.Response(10_000), 10_000*0.01-1, 0.01)
}
