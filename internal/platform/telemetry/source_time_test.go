package telemetry

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// told holds the sessions of a made-up server.
type told struct {
	all  []describe.Activity
	err  error
	open *atomic.Int64
}

func (s told) List(context.Context) ([]describe.Activity, error) { return s.all, s.err }
func (s told) Close() error                                      { s.open.Add(-1); return nil }

// tells returns a server without visible processes that lists its sessions.
func tells(name string, s told) Watched {
	s.open = &atomic.Int64{}
	return Watched{Name: name, Sessions: func(context.Context) (app.Sessions, error) {
		s.open.Add(1)
		return s, nil
	}}
}

// Sessions are counted by what they wait for, and by its name.
func TestSessionsAreCountedByWhatTheyWaitFor(t *testing.T) {
	lock := describe.Activity{Component: describe.LockWait, Name: "row lock"}
	flush := describe.Activity{Component: describe.DeviceWait, Name: "WAL flush"}
	read := describe.Activity{Component: describe.DeviceWait, Name: "data file read"}
	db := tells("db-000", told{all: []describe.Activity{lock, lock, flush, read, {}}})
	all := sampleUntil(t, Config{Instances: these(db)}, "the sessions", func(all []result.Series) bool {
		return highest(find(all, describe.TimeKind, "db-000", describe.SessionsMetric)) == 5
	})
	for metric, want := range map[describe.Component]float64{describe.LockWait: 2, describe.DeviceWait: 2, describe.OtherWait: 0} {
		if got := highest(find(all, describe.TimeKind, "db-000", string(metric))); got != want {
			t.Errorf("%s: %v sessions, want %v", metric, got, want)
		}
	}
	for name, want := range map[string]float64{"WAL flush": 1, "data file read": 1} {
		if got := highest(find(all, describe.WaitKind, "db-000/"+name, string(describe.DeviceWait))); got != want {
			t.Errorf("%s: %v sessions, want %v", name, got, want)
		}
	}
	if got := find(all, describe.TimeKind, "db-000", string(describe.Running)).Values; len(got) != 0 {
		t.Errorf("whether a session computes or waits for a CPU cannot be seen, and %v compute", got)
	}
	if got := find(all, "instance", "db-000", "processes").Values; len(got) != 0 {
		t.Errorf("a server whose processes cannot be seen has %v processes", got)
	}
}

// The sessions of a server that does not list them are unknown, not zero, and the reason is noted.
func TestSessionsThatCannotBeListedAreNotKnown(t *testing.T) {
	hidden := Watched{Name: "db-000", Sessions: func(context.Context) (app.Sessions, error) { return nil, app.ErrHidden }}
	breaks := tells("db-001", told{err: errors.New("it hung up")})
	var k ticker
	s := Start(t.Context(), Config{Interval: 20 * time.Millisecond, Start: time.Now(), Instances: these(hidden, breaks), Drivers: k.drivers})
	k.wait(t, 10)
	all := s.Stop()
	for _, name := range []string{"db-000", "db-001"} {
		if got := find(all, describe.TimeKind, name, describe.SessionsMetric).Values; len(got) != 0 {
			t.Errorf("%s: %v sessions", name, got)
		}
	}
	notes := strings.Join(s.Notes(), "\n")
	for _, want := range []string{"the sessions of db-000 wait for is not known: " + app.ErrHidden.Error(), "db-001 wait for is not known: it hung up"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in the notes:\n%s", want, notes)
		}
	}
}

// Threads that compute are on a CPU or wait for one, which the kernel counts for any process.
func TestThreadsThatComputeAreSeen(t *testing.T) {
	child := begin(t, "busy", "")
	all := sampleUntil(t, Config{Instances: these(watched("db-000", child.Process.Pid))}, "the busy process", func(all []result.Series) bool {
		return highest(find(all, describe.TimeKind, "db-000", string(describe.Running))) > 0.1
	})
	if got := find(all, describe.TimeKind, "db-000", string(describe.CPUWait)).Values; len(got) == 0 {
		t.Error("it is not known how long it waited for a CPU")
	}
	if got := highest(find(all, describe.TimeKind, "db-000", string(describe.QuotaWait))); got != 0 {
		t.Errorf("without a quota it waited for one: %v", got)
	}
}

// What a quota holds back is not what other processes do.
func TestTimeWithoutACPUIsTheQuotasOrTheMachines(t *testing.T) {
	for _, c := range []struct {
		name                          string
		delay, cores, throttled, want float64
	}{
		{"nobody waits", 0, 1, 0, 0},
		{"no quota", 1, 1, 0, 0},
		{"a thread is held back by its quota", 1, 1, 1, 1},
		{"threads of two CPUs are held back for half of the time", 2, 2, 1, 2},
		{"half of the waiting is the machine's", 1, 1, 0.5, 0.5},
		{"no quota is known of", 1, 1, math.NaN(), 0},
		{"nothing is known of the threads", math.NaN(), 1, 1, math.NaN()},
	} {
		if got := quotaWait(c.delay, c.cores, c.throttled, 2); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The state of a thread decides only where it belongs to the server.
func TestThreadsOfOthersDecideNothing(t *testing.T) {
	child := begin(t, "busy", "")
	pid := child.Process.Pid
	commit := describe.Activity{Component: describe.DeviceWait, Name: "redo log flush", Thread: pid}
	busy := func(own map[int]bool) describe.Activity {
		for range 1000 { // it may be waiting to begin
			if a := resolved(commit, own, map[int]bool{}); a != commit || own == nil {
				return a
			}
			time.Sleep(time.Millisecond)
		}
		return commit
	}
	if a := busy(map[int]bool{pid: true}); a != (describe.Activity{}) {
		t.Errorf("a thread that computes does %+v", a)
	}
	if a := busy(nil); a != commit {
		t.Errorf("the thread of another process decides: %+v", a)
	}
}

// The function of the kernel in which a session's thread sleeps says what it waits for, as far as that is
// not its client.
func TestWhereAThreadSleeps(t *testing.T) {
	for function, want := range map[string]describe.Component{
		"request_wait_answer": describe.DeviceWait, "fuse_wait_on_page_writeback": describe.DeviceWait, "futex_do_wait": describe.OtherWait, "hrtimer_nanosleep": describe.OtherWait,
		"do_epoll_wait": "", "ep_poll": "", "sk_wait_data": "", "unix_stream_data_wait": "", "0": "", "": "",
	} {
		if got := sleepIn(function); got != want {
			t.Errorf("%q: %q, want %q", function, got, want)
		}
	}
}
