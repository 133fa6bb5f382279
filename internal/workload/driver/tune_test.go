package driver

import (
	"testing"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/thread"
	"plimsoll/internal/workload"
)

// able is a workload with some abilities.
type able struct {
	*fake
	can workload.Capabilities
}

func (a able) Capabilities() workload.Capabilities { return a.can }

// blocking is a workload whose users block a thread each.
func blocking(f *fake) able { return able{f, workload.Capabilities{Blocked: workload.OneBlocked}} }

func TestThreadsOfUsers(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	servers := []workload.Target{{Endpoints: []endpoint.Endpoint{{Network: "tcp"}}}}
	volumes := []workload.Target{{Endpoints: []endpoint.Endpoint{{Kind: endpoint.Directory}}}}
	polling := able{&fake{}, workload.Capabilities{Polls: func(workload.Parameters) bool { return true }}}
	threaded := able{&fake{}, workload.Capabilities{Blocked: func(workload.Parameters) int { return 2 }}}
	connected := able{&fake{}, workload.Capabilities{Blocked: func(workload.Parameters) int { return 0 }}}
	for _, c := range []struct {
		name    string
		w       workload.Workload
		targets []workload.Target
		users   int
		want    thread.Settings
	}{
		{"their own", &fake{}, servers, 3, thread.Settings{Threads: 4, Places: 4}},
		{"their own, of a workload that blocks with other parameters", connected, servers, 3, thread.Settings{Threads: 4, Places: 4}},
		{"that they share", polling, servers, 3, thread.Settings{Threads: pollingThreads}},
		{"that calls block", blocking(&fake{}), volumes, 3, thread.Settings{Threads: 4, Blocked: 4, Calm: true}},
		{"two blocked threads for each user", threaded, volumes, 3, thread.Settings{Threads: 7, Blocked: 7, Calm: true}},
		{"of a single user of no server", &fake{}, volumes, 1, thread.Settings{Threads: 1, Alone: true}},
		{"that many calls block", blocking(&fake{}), volumes, 10_000, thread.Settings{Threads: mostBlocked + 1, Blocked: mostBlocked + 1}},
	} {
		if got := settings(&Job{Users: c.users, Targets: c.targets}, c.w); got != c.want {
			t.Errorf("threads %s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
