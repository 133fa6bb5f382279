package driver

import (
	"testing"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/thread"
	"plimsoll/internal/workload"
)

// polling is a workload whose users leave waiting to the poller.
type polling struct{ *fake }

func (polling) Polls(workload.Parameters) bool { return true }

// blocking is a workload whose users block a thread each.
type blocking struct{ *fake }

func (blocking) Blocks(workload.Parameters) bool { return true }

// threaded is one whose users block two threads each.
type threaded struct{ blocking }

func (threaded) Threads(workload.Parameters) int { return 2 }

func TestThreadsOfUsers(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	servers := []workload.Target{{Endpoints: []endpoint.Endpoint{{Network: "tcp"}}}}
	volumes := []workload.Target{{Endpoints: []endpoint.Endpoint{{Kind: endpoint.Directory}}}}
	for _, c := range []struct {
		name    string
		w       workload.Workload
		targets []workload.Target
		users   int
		want    thread.Settings
	}{
		{"their own", &fake{}, servers, 3, thread.Settings{Threads: 4, Places: 4}},
		{"that they share", polling{&fake{}}, servers, 3, thread.Settings{Threads: pollingThreads}},
		{"that calls block", blocking{&fake{}}, volumes, 3, thread.Settings{Threads: 4, Blocked: 4, Calm: true}},
		{"two blocked threads for each user", threaded{blocking{&fake{}}}, volumes, 3, thread.Settings{Threads: 7, Blocked: 7, Calm: true}},
		{"of a single user of no server", &fake{}, volumes, 1, thread.Settings{Threads: 1, Alone: true}},
		{"that many calls block", blocking{&fake{}}, volumes, 10_000, thread.Settings{Threads: mostBlocked + 1, Blocked: mostBlocked + 1}},
	} {
		if got := settings(&Job{Users: c.users, Targets: c.targets}, c.w); got != c.want {
			t.Errorf("threads %s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
