package driver

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// pacedFake is a workload whose sessions keep several units in flight. All units take the
// same time.
type pacedFake struct {
	*fake
	depth   int
	service time.Duration
	failing int // every so many units one fails; 0 is never
}

func (f *pacedFake) Open(_ context.Context, t workload.Target, _ workload.Parameters, _ int, _ uint64) (workload.Session, error) {
	if t.Users == 0 {
		return nil, errors.New("a session is not told how many users there are")
	}
	return &pacedSession{fake: f}, nil
}

type duty struct{ due, ends time.Time }

type pacedSession struct {
	fake  *pacedFake
	pace  workload.Pace
	units []duty
	count int
	over  bool
}

func (s *pacedSession) Pace(p workload.Pace) { s.pace = p }
func (s *pacedSession) Broken() bool         { return false }
func (s *pacedSession) Close() error         { return nil }

func (s *pacedSession) Do(ctx context.Context, rec workload.Recorder) error {
	for len(s.units) < s.fake.depth && !s.over {
		due, more := s.pace.Next()
		if s.over = !more; s.over {
			break
		}
		begins := time.Now()
		if due.IsZero() {
			due = begins
		} else if due.After(begins) {
			begins = due
		}
		s.units = append(s.units, duty{due, begins.Add(s.fake.service)})
	}
	if len(s.units) == 0 {
		return workload.ErrFinished
	}
	first := 0
	for i := range s.units {
		if s.units[i].ends.Before(s.units[first].ends) {
			first = i
		}
	}
	u := s.units[first]
	s.units = append(s.units[:first], s.units[first+1:]...)
	select {
	case <-time.After(time.Until(u.ends)):
	case <-ctx.Done():
		return ctx.Err()
	}
	s.count++
	if s.fake.failing > 0 && s.count%s.fake.failing == 0 {
		rec.Observe(0, u.due, u.ends.Sub(u.due), workload.Failed)
		return syscall.EIO
	}
	rec.Observe(1, u.due, u.ends.Sub(u.due), workload.Done)
	rec.Observe(0, u.due, u.ends.Sub(u.due), workload.Done)
	return nil
}

func TestPacedSessionsKeepSeveralUnitsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &pacedFake{newFake(0), 16, 100 * time.Millisecond, 0}
		s := mustRun(t, fakeJob(t, 2, 3), f)
		if want := int64(2 * 3 * 16 * 20 * 10); s.measured["order"] != want {
			t.Errorf("%d orders in 20 s, want %d: %d users with 16 orders of 100 ms each under way", s.measured["order"], want, 6)
		}
		if p99 := s.times.ValueAtQuantile(99); p99 < 99_900_000 || p99 > 100_100_000 {
			t.Errorf("p99 is %d µs, want 100 ms", p99)
		}
	})
}

func TestPacedSessionsThink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := fakeJob(t, 1, 1)
		job.ThinkTime = unit.Duration(300 * time.Millisecond)
		s := mustRun(t, job, &pacedFake{newFake(0), 10, 100 * time.Millisecond, 0})
		// Each of the ten takes 100 ms and thinks 300 ms on average.
		if n := s.measured["order"]; n < 400 || n > 600 {
			t.Errorf("%d orders in 20 s, want about 500", n)
		}
	})
}

// In the open loop a unit counts from when it was due, however many wait.
func TestPacedSessionsAreTimedFromTheSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := fakeJob(t, 1, 2)
		job.Rate = 50 // 2 users with 2 units of 100 ms each do 40 a second
		s := mustRun(t, job, &pacedFake{newFake(0), 2, 100 * time.Millisecond, 0})
		if n := s.measured["order"]; n < 795 || n > 805 {
			t.Errorf("%d orders in 20 s, want 800", n)
		}
		// 25 s at 10 a second too many: the last ones wait 250/40 s.
		if most := float64(s.times.Max()) / 1e9; most < 4.5 || most > 7 {
			t.Errorf("the longest took %.1f s, want about 5", most)
		}
		var waiting *result.WaitingRecord
		for _, r := range s.records {
			if r.Kind == result.KindWaiting {
				waiting = r.Waiting
			}
		}
		if waiting == nil || waiting.Count < 200 || waiting.Count > 300 || waiting.Offered != 1000 {
			t.Errorf("%+v waited at the end, want about 250 of 1000", waiting)
		}
	})
}

func TestPacedSessionsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustRun(t, fakeJob(t, 1, 1), &pacedFake{newFake(0), 4, 100 * time.Millisecond, 10})
		all := s.count["order"] + s.errors[errorclass.InputOutput]
		if failed := s.errors[errorclass.InputOutput]; all != 1000 || failed != 100 {
			t.Errorf("%d of %d orders failed with class input-output (%v), want 100 of 1000", failed, all, s.errors)
		}
	})
}
