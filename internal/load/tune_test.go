package load

import (
	"runtime"
	"testing"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/host/thread"
	"plimsoll/internal/workload"
)

// polling is a workload whose users leave waiting to the poller.
type polling struct{ *fake }

func (polling) Polls(workload.Parameters) bool { return true }

// blocking is a workload whose users block a thread each.
type blocking struct{ *fake }

func (blocking) Blocks(workload.Parameters) bool { return true }

func TestThreadsOfUsers(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	defer func() {
		runtime.GOMAXPROCS(before)
		thread.SetPlaces(0)
		thread.SetAlone(false)
	}()
	servers := []workload.Target{{Endpoints: []endpoint.Endpoint{{Network: "tcp"}}}}
	volumes := []workload.Target{{Endpoints: []endpoint.Endpoint{{Kind: endpoint.Directory}}}}
	for _, c := range []struct {
		name    string
		w       workload.Workload
		targets []workload.Target
		users   int
		want    int
	}{
		{"their own", &fake{}, servers, 3, 4},
		{"that they share", polling{&fake{}}, servers, 3, pollingThreads},
		{"that calls block", blocking{&fake{}}, volumes, 3, 4},
		{"of a single user of no server", &fake{}, volumes, 1, 1},
		{"that many calls block", blocking{&fake{}}, volumes, 10_000, mostBlocked + 1},
	} {
		tune(&Job{Users: c.users, Targets: c.targets}, c.w)
		if got := runtime.GOMAXPROCS(0); got != c.want {
			t.Errorf("threads %s: %d, want %d", c.name, got, c.want)
		}
	}
}
