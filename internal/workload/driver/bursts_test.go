package driver

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// The arithmetic of bursts agrees with counting the seconds one by one.
func TestBurstsAreTheirSeconds(t *testing.T) {
	origin := time.Unix(1e9, 0)
	rapid.Check(t, func(rt *rapid.T) {
		every := rapid.IntRange(2, 20).Draw(rt, "every")
		on := rapid.IntRange(1, every-1).Draw(rt, "on")
		offset := rapid.IntRange(0, every-1).Draw(rt, "offset")
		second := func(n int) unit.Duration { return unit.Duration(n) * unit.Duration(time.Second) }
		b := bursts{study.Bursts{Every: second(every), On: second(on), Offset: second(offset)}, origin}
		passed := 0
		for s := range 5 * every {
			at := origin.Add(time.Duration(s) * time.Second)
			want := ((s-offset)%every+every)%every < on
			if b.on(at) != want {
				rt.Fatalf("second %d of %+v: on is %v", s, b.Bursts, !want)
			}
			if got := b.passed(at); got != time.Duration(passed)*time.Second {
				rt.Fatalf("%v of bursts have passed after %d s, want %d s", got, s, passed)
			}
			if next := b.next(at); !b.on(next) || next.Before(at) || want && !next.Equal(at) {
				rt.Fatalf("from second %d the next is %v", s, next.Sub(origin))
			}
			if want {
				if got := b.after(time.Duration(passed) * time.Second); !got.Equal(at) {
					rt.Fatalf("after %d s of bursts it is %v, want %d s", passed, got.Sub(origin), s)
				}
				passed++
			}
		}
	})
}

// Users of closed and open loops begin only within bursts; between them they finish what
// they do, and the records say which seconds were off.
func TestUsersWorkInBursts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Job)
		want   int64 // orders of the measured phase
	}{
		"closed loop":                 {func(*Job) {}, 2 * 10 * 12},
		"closed loop with think time": {func(j *Job) { j.ThinkTime = unit.Duration(100 * time.Millisecond) }, 0},
		"open loop":                   {func(j *Job) { j.Rate = 5 }, 5 * 12},
		"poisson":                     {func(j *Job) { j.Rate, j.Arrivals = 5, study.Poisson }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				job := fakeJob(t, 1, 2)
				job.Bursts = &study.Bursts{Every: unit.Duration(5 * time.Second), On: unit.Duration(3 * time.Second), Offset: unit.Duration(time.Second)}
				c.change(&job)
				started := job.Start
				f := newFake(100 * time.Millisecond)
				step := f.step
				f.step = func(n int, at time.Time) (time.Duration, workload.Outcome, error) {
					if since := (at.Sub(started) + 4*time.Second) % (5 * time.Second); since >= 3*time.Second {
						t.Errorf("an order began at %v", at.Sub(started))
					}
					return step(n, at)
				}
				s := mustRun(t, job, f)
				checkTotals(t, job, f, s)
				if got := s.measured["order"]; c.want > 0 && got != c.want || got == 0 {
					t.Errorf("%d orders were measured, want %d", got, c.want)
				}
				for _, d := range s.drivers {
					if want := (d.Second+4)%5 >= 3; d.Off != want {
						t.Errorf("second %d is off: %v", d.Second, d.Off)
					}
					if d.Backlog > 1 {
						t.Errorf("a backlog of %d in second %d", d.Backlog, d.Second)
					}
				}
			})
		})
	}
}
