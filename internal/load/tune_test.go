package load

import (
	"runtime"
	"testing"

	"plimsoll/internal/thread"
	"plimsoll/internal/workload"
)

// polling is a workload whose users leave waiting to the poller.
type polling struct{ *fake }

func (polling) Polls(workload.Parameters) bool { return true }

func TestThreadsOfUsers(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	defer func() {
		runtime.GOMAXPROCS(before)
		thread.SetPlaces(0)
	}()
	job := Job{Users: 3, Targets: []workload.Target{{Endpoints: []workload.Endpoint{{Network: "tcp"}}}}}
	for _, c := range []struct {
		name string
		w    workload.Workload
		want int
	}{{"their own", &fake{}, 4}, {"that they share", polling{&fake{}}, pollingThreads}} {
		tune(&job, c.w)
		if got := runtime.GOMAXPROCS(0); got != c.want {
			t.Errorf("threads %s: %d, want %d", c.name, got, c.want)
		}
	}
}
