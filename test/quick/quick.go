// Package quick parts what a change needs first ("make quick", go test -short) from tests that
// start real servers, browsers, clusters or media, or take seconds.
package quick

import "testing"

// Skip leaves a test out of "make quick", which lists how many need the same.
func Skip(t testing.TB, need string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("in -short: %s", need)
	}
}

// What several packages need.
const (
	Servers  = "it starts real servers"
	Browser  = "it starts a browser"
	Cluster  = "it needs a Kubernetes cluster"
	Media    = "it mounts or simulates media"
	Seconds  = "it takes seconds"
	Commands = "it builds or runs programs"
	Runs     = "it executes whole runs"
	Root     = "it is root that becomes another user"
)
