package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/test/quick"
)

func TestEveryOrderIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		targets := rapid.IntRange(1, 3).Draw(rt, "targets")
		users := rapid.IntRange(1, 6).Draw(rt, "users")
		milliseconds := func(name string, low, high int) unit.Duration {
			return unit.Duration(time.Duration(rapid.IntRange(low, high).Draw(rt, name)) * time.Millisecond)
		}
		ramp, warmup := milliseconds("ramp", 0, 2500), milliseconds("warmup", 0, 2500)
		measure, think := milliseconds("measure", 1, 5000), milliseconds("think", 0, 300)
		rampRate := rapid.SampledFrom([]float64{0, 3, 100}).Draw(rt, "ramp rate")
		rate := rapid.SampledFrom([]float64{0, 0, 7, 60}).Draw(rt, "rate")
		service := time.Duration(milliseconds("service", 1, 900))
		synctest.Test(t, func(t *testing.T) {
			f := newFake(service)
			f.step = func(n int, _ time.Time) (time.Duration, workload.Outcome, error) {
				d := service * time.Duration(1+n%3)
				switch {
				case n%11 == 0:
					return d, workload.Failed, errBreaks
				case n%7 == 0:
					return d, workload.Failed, syscall.ENOSPC
				case n%5 == 0:
					return d, workload.RolledBack, nil
				}
				return d, workload.Done, nil
			}
			job := fakeJob(t, targets, users)
			job.Ramp, job.Warmup, job.Measure, job.RampRate = ramp, warmup, measure, rampRate
			if job.Rate = rate; rate == 0 {
				job.ThinkTime = think
			}
			s := mustRun(t, job, f)
			checkTotals(t, job, f, s)
		})
	})
}

// checkTotals compares what was written with what the users did.
func checkTotals(t *testing.T, job Job, f *fake, s stream) {
	t.Helper()
	done, rolled, failed := int64(f.endings[workload.Done]), int64(f.endings[workload.RolledBack]), int64(f.endings[workload.Failed])
	if s.count["order"] != done || s.rolled["order"] != rolled || sum(s.errors) != failed {
		t.Errorf("recorded %d done, %d rolled back, %d failed; want %d, %d, %d", s.count["order"], s.rolled["order"], sum(s.errors), done, rolled, failed)
	}
	if want := done + rolled + failed; s.count["step"] != want {
		t.Errorf("recorded %d steps, want %d", s.count["step"], want)
	}
	if s.end == nil || s.end.Event != "" {
		t.Errorf("the end is %+v, want one without a reason", s.end)
	}
	receipts, seen := int64(0), map[string]bool{}
	measured := int64(0)
	for _, i := range s.instances {
		measured += i.Count
		for _, r := range s.receipts[i.Instance] {
			receipts++
			if seen[r] || !strings.HasSuffix(r, fmt.Sprintf("of instance %d", i.Instance)) {
				t.Errorf("receipt %q is wrong or there twice", r)
			}
			seen[r] = true
		}
	}
	if receipts != done {
		t.Errorf("%d receipts, want %d", receipts, done)
	}
	if len(s.instances) != len(job.Targets) || measured != s.measured["order"] {
		t.Errorf("instances sum to %d orders of the measured phase, seconds to %d", measured, s.measured["order"])
	}
	checkDrivers(t, s, done+rolled)
}

func checkDrivers(t *testing.T, s stream, ended int64) {
	t.Helper()
	orders := int64(0)
	for i, d := range s.drivers {
		if d.Second != i || d.Driver != "driver-0" {
			t.Errorf("driver record %d is of second %d", i, d.Second)
		}
		for _, n := range d.Units {
			orders += n
		}
	}
	if orders != ended {
		t.Errorf("driver records sum to %d orders, want %d", orders, ended)
	}
}

func sum(m map[string]int64) (n int64) {
	for _, v := range m {
		n += v
	}
	return n
}

func TestOperationsBelongToTheSecondInWhichTheyEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := fakeJob(t, 1, 1)
		job.Ramp, job.Warmup, job.Measure = unit.Duration(1500*time.Millisecond), unit.Duration(2*time.Second), unit.Duration(2*time.Second)
		s := mustRun(t, job, newFake(400*time.Millisecond))
		type key struct {
			second int
			phase  result.Phase
		}
		got := map[key]int64{}
		for _, r := range s.records {
			if r.Kind == result.KindOperation && r.Operation == "order" {
				got[key{r.Second, r.Phase}] += r.Count
			}
		}
		// Orders end every 0.4 s; the phases change at 1.5, 3.5 and 5.5 s.
		want := map[key]int64{
			{0, result.Ramp}: 2, {1, result.Ramp}: 1, {1, result.Warmup}: 1, {2, result.Warmup}: 3,
			{3, result.Warmup}: 1, {3, result.Measure}: 1, {4, result.Measure}: 3, {5, result.Measure}: 1, {5, ""}: 1,
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("orders by second and phase:\n got %v\nwant %v", got, want)
		}
	})
}

// Users that linger continue, unmeasured, and still acknowledge writes. A fault in an
// instance then hits them at work.
func TestLingeringUsersAreNotMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100 * time.Millisecond)
		job := fakeJob(t, 1, 2)
		job.Warmup, job.Measure, job.Linger = 0, unit.Duration(2*time.Second), unit.Duration(3*time.Second)
		began := time.Now()
		s := mustRun(t, job, f)
		if took := time.Since(began); took < 5*time.Second {
			t.Errorf("the driver ended after %s", took)
		}
		if all, measured := s.count["order"], s.measured["order"]; all < 95 || measured < 38 || measured > 40 {
			t.Errorf("%d orders, %d of them measured", all, measured)
		}
		if s.instances[0].Count != s.measured["order"] {
			t.Errorf("the instance has %d orders, measured were %d", s.instances[0].Count, s.measured["order"])
		}
	})
}

func TestLittlesLaw(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, c := range []struct {
		users          int
		service, think time.Duration
	}{
		{1, 10 * time.Millisecond, 0},
		{8, 20 * time.Millisecond, 300 * time.Millisecond},
		{50, 5 * time.Millisecond, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			job := fakeJob(t, 2, c.users)
			job.ThinkTime, job.Measure = unit.Duration(c.think), unit.Duration(5*time.Minute)
			s := mustRun(t, job, newFake(c.service))
			throughput := float64(s.measured["order"]) / job.Measure.D().Seconds()
			response := s.times.Mean() / 1e9
			users := throughput * (response + c.think.Seconds()) // N = X (R + Z)
			if want := float64(2 * c.users); math.Abs(users-want) > 0.02*want {
				t.Errorf("%d users, service %v, think %v: X(R+Z) is %.2f users, want %v", c.users, c.service, c.think, users, want)
			}
		})
	}
}

// TestOpenLoopSeesAStall stalls the server for ten seconds of the measured
// twenty: half of the orders were due during the stall and waited on average
// half of it, whether or not a user was free to begin them.
func TestOpenLoopSeesAStall(t *testing.T) {
	for _, arrivals := range []study.Arrivals{study.Constant, study.Poisson} {
		synctest.Test(t, func(t *testing.T) {
			job := fakeJob(t, 1, 4)
			job.Rate, job.Arrivals = 100, arrivals
			begin := time.Now().Add(10 * time.Second)
			f := newFake(0)
			f.step = func(_ int, now time.Time) (time.Duration, workload.Outcome, error) {
				if stalled := now.Sub(begin); stalled >= 0 && stalled < 10*time.Second {
					return 10*time.Second - stalled, workload.Done, nil
				}
				return time.Millisecond, workload.Done, nil
			}
			s := mustRun(t, job, f)
			if n := s.measured["order"]; n < 1800 || n > 2200 {
				t.Fatalf("%d orders, want about 2000", n)
			}
			for _, c := range []struct{ quantile, want float64 }{{0.25, 0.001}, {0.75, 5}, {0.95, 9}} {
				got := result.Quantile(s.times, c.quantile)
				if math.Abs(got-c.want) > 0.6 {
					t.Errorf("%s: p%v is %.3f s, want about %v s", arrivals, 100*c.quantile, got, c.want)
				}
			}
			backlog := int64(0)
			for _, d := range s.drivers {
				backlog = max(backlog, d.Backlog)
			}
			if backlog < 800 || backlog > 1100 {
				t.Errorf("%s: the backlog rose to %d, want about 1000", arrivals, backlog)
			}
		})
	}
}

func TestOpenLoopThatCannotKeepUpSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := fakeJob(t, 1, 2)
		job.Rate = 20 // two users at 0.5 s carry 4 a second
		s := mustRun(t, job, newFake(500*time.Millisecond))
		if n := s.measured["order"]; n != 80 {
			t.Errorf("%d orders, want 80", n)
		}
		if !slices.ContainsFunc(s.events, func(e string) bool { return strings.Contains(e, "had not started") }) {
			t.Errorf("events are %q, want one about the backlog", s.events)
		}
	})
}

// Users with a rate of their own keep it whatever answers: four users at 10 a second
// offer 800 in 20 s, and one stall of 2 s leaves none out.
func TestUsersWithARateOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job, f := fakeJob(t, 1, 4), newFake(50*time.Millisecond)
		begin, due := job.Start.Add(12*time.Second), map[time.Duration]int{}
		var mu sync.Mutex
		job.Parameters = []byte(`{"rate": 10}`)
		f.step = func(_ int, now time.Time) (time.Duration, workload.Outcome, error) {
			if stalled := now.Sub(begin); stalled >= 0 && stalled < 2*time.Second {
				return 2*time.Second - stalled, workload.Done, nil
			}
			if now.Before(begin) {
				mu.Lock()
				due[now.Sub(job.Start)%(100*time.Millisecond)]++
				mu.Unlock()
			}
			return 50 * time.Millisecond, workload.Done, nil
		}
		o, events := collectedWith(t, job, f)
		if !slices.ContainsFunc(events, func(e string) bool { return strings.Contains(e, "was due, by up to 1.") }) {
			t.Errorf("no event tells of late orders: %q", events)
		}
		if o.Offered != 800 || o.Count < 796 || o.Count > 804 {
			t.Errorf("%d orders of %d, want all of 800", o.Count, o.Offered)
		}
		if o.Max < 1.9 || o.P50 > 0.051 {
			t.Errorf("p50 %v, max %v: orders due in the stall are not timed from when they were due", o.P50, o.Max)
		}
		if len(due) != 4 {
			t.Errorf("orders begin at %d moments of a gap, want one of each user: %v", len(due), due)
		}
	})
}

// What a user cannot do in time is offered and not done; the schedule is not stretched.
func TestUserWhoCannotKeepItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := fakeJob(t, 1, 4)
		job.Parameters = []byte(`{"rate": 10}`)
		o := collected(t, job, newFake(200*time.Millisecond)) // 5 a second
		if o.Offered != 800 || o.Count != 400 || o.Waiting < 480 || o.Overdue == 0 {
			t.Errorf("%d offered, %d done, %d waiting, %d overdue", o.Offered, o.Count, o.Waiting, o.Overdue)
		}
		if o.P50 < 2 {
			t.Errorf("the median is %v s, although most orders began late", o.P50)
		}
	})
}

func TestRampStartsUsersInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, start := newFake(time.Second), time.Now().Add(3*time.Second)
		job := fakeJob(t, 2, 3)
		job.Start, job.RampRate, job.Ramp = start, 2, unit.Duration(3*time.Second)
		mustRun(t, job, f)
		for i, at := range f.opened {
			if want := start.Add(time.Duration(i) * 500 * time.Millisecond); !at.Equal(want) {
				t.Errorf("user %d connected at %v, want %v", i, at.Sub(start), want.Sub(start))
			}
		}
		if len(f.opened) != 6 {
			t.Errorf("%d users connected, want 6", len(f.opened))
		}
	})
}

func TestUsersReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100 * time.Millisecond)
		down, up := time.Now().Add(10*time.Second), time.Now().Add(14*time.Second)
		isDown := func(now time.Time) bool { return !now.Before(down) && now.Before(up) }
		f.connect = func(now time.Time) error {
			if isDown(now) {
				return syscall.ECONNREFUSED
			}
			return nil
		}
		f.step = func(_ int, now time.Time) (time.Duration, workload.Outcome, error) {
			if isDown(now) {
				return 0, workload.Failed, fmt.Errorf("%w: %w", errBreaks, io.ErrUnexpectedEOF)
			}
			return 100 * time.Millisecond, workload.Done, nil
		}
		s := mustRun(t, fakeJob(t, 1, 4), f)
		if got := s.errors[errorclass.ConnectionLost]; got != 4 {
			t.Errorf("%d connections lost, want one for each user", got)
		}
		// Four seconds at the longest back-off are about four attempts a user,
		// after seven shorter ones.
		if got := s.errors[errorclass.Refused]; got < 4*7 || got > 4*20 {
			t.Errorf("%d attempts were refused, want some dozens", got)
		}
		lost := slices.IndexFunc(s.events, func(e string) bool { return strings.HasPrefix(e, "instance 0: connection-lost") })
		again := slices.IndexFunc(s.events, func(e string) bool { return strings.Contains(e, "connect again after") })
		if lost < 0 || again < lost {
			t.Errorf("events are %q, want the loss and then the recovery", s.events)
		}
		last := s.drivers[len(s.drivers)-2]
		if last.Users != 4 {
			t.Errorf("%d users are connected at the end, want 4", last.Users)
		}
	})
}

func TestErrorLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(0)
		f.step = func(n int, _ time.Time) (time.Duration, workload.Outcome, error) {
			if n%10 == 0 {
				return 10 * time.Millisecond, workload.Failed, syscall.ENOSPC
			}
			return 10 * time.Millisecond, workload.Done, nil
		}
		job := fakeJob(t, 1, 1)
		job.ErrorLimit = 0.05
		s, err := run(t, t.Context(), job, f)
		if err == nil || !strings.Contains(err.Error(), "more than the limit of 5 %") {
			t.Errorf("got %v, want the limit", err)
		}
		if s.end == nil || !strings.Contains(s.end.Event, "more than the limit") || s.end.Second > 2 {
			t.Errorf("the end is %+v, want an early one with the reason", s.end)
		}
		if s.errors[errorclass.OutOfSpace] < fewestFailures {
			t.Errorf("errors are %v", s.errors)
		}
	})
}

// A volume that is full ends the load, however much went well before.
func TestNoSpaceEndsTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(0)
		f.step = func(n int, _ time.Time) (time.Duration, workload.Outcome, error) {
			if n > 200 && n%10 == 0 {
				return 10 * time.Millisecond, workload.Failed, syscall.ENOSPC
			}
			return 10 * time.Millisecond, workload.Done, nil
		}
		job := fakeJob(t, 1, 1)
		job.ErrorLimit = 0.5
		_, err := run(t, t.Context(), job, f)
		if err == nil || !strings.Contains(err.Error(), "failed for lack of space, the last with: no space left on device") {
			t.Errorf("got %v, want that there was no space", err)
		}
	})
}

func TestCancelEndsPromptlyAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("a key was pressed")
		begin := time.Now()
		time.AfterFunc(7300*time.Millisecond, func() { cancel(stopped) })
		f, job := newFake(400*time.Millisecond), fakeJob(t, 1, 3)
		s, err := run(t, ctx, job, f)
		if !errors.Is(err, stopped) {
			t.Errorf("got %v, want the cause", err)
		}
		if took := time.Since(begin); took > 7500*time.Millisecond {
			t.Errorf("took %v to end", took)
		}
		if s.end == nil || !strings.Contains(s.end.Event, stopped.Error()) {
			t.Errorf("the end is %+v, want the cause", s.end)
		}
		if want := int64(f.endings[workload.Done]); s.count["order"] != want || sum(s.errors) != 0 {
			t.Errorf("recorded %d orders and errors %v, want %d and none", s.count["order"], s.errors, want)
		}
	})
}

func TestOrdersThatDoNotEndAreInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, job := newFake(time.Hour), fakeJob(t, 1, 3)
		begin := time.Now()
		s := mustRun(t, job, f)
		if took, want := time.Since(begin), 25*time.Second+drainLimit; took < want || took > want+time.Second {
			t.Errorf("took %v, want %v", took, want)
		}
		if s.count["order"] != 0 || len(s.errors) != 0 {
			t.Errorf("recorded %v and errors %v, want nothing", s.count, s.errors)
		}
	})
}

func TestRecordsThatCannotBeWrittenEndTheDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		err := Run(t.Context(), fakeJob(t, 1, 1), newFake(time.Millisecond), &sink{limit: 2000})
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v, want no space", err)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("took %v to notice", took)
		}
	})
}

func TestImpossibleJobs(t *testing.T) {
	for _, c := range []struct {
		change func(*Job)
		want   string
	}{
		{func(j *Job) { j.Targets = nil }, "targets is empty"},
		{func(j *Job) { j.Users = 0 }, "users must be at least 1, got 0"},
		{func(j *Job) { j.Measure = 0 }, "measure must be above 0, got 0s"},
		{func(j *Job) { j.Rate = -1 }, "rate must be 0 or more units of work a second, got -1"},
		{func(j *Job) { j.Rate, j.ThinkTime = 1, 1 }, "no think time"},
		{func(j *Job) { j.Arrivals = "bursty" }, "bursty"},
		{func(j *Job) { j.ErrorLimit = 5 }, "error_limit must be 0 to 1, got 5"},
		{func(j *Job) { j.Targets[1].Instance = 0 }, "instance 0 is listed twice"},
		{func(j *Job) { j.Targets[0].Endpoints[0].Kind = "oracle" }, "oracle"},
		{func(j *Job) { j.Parameters = []byte(`{"nam": "x"}`) }, "unknown field"},
		{func(j *Job) { j.Parameters = []byte(`{"name": ""}`) }, "name: is empty"},
		{func(j *Job) { j.Parameters, j.Rate = []byte(`{"rate": 10}`), 1 }, "a schedule of their own"},
	} {
		job := fakeJob(t, 2, 1)
		c.change(&job)
		if err := Run(t.Context(), job, newFake(0), &sink{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}

func TestOpenLoopOnARealClock(t *testing.T) {
	job := fakeJob(t, 1, 4)
	job.Start, job.Warmup, job.Measure, job.Rate = time.Now(), 0, unit.Duration(time.Second), 50
	out := &sink{}
	if err := Run(t.Context(), job, newFake(time.Millisecond), out); err != nil {
		t.Fatal(err)
	}
	s := parse(t, out.lines.Bytes())
	if n := s.count["order"]; n == 0 || n > 50 {
		t.Errorf("%d orders, want up to 50", n)
	}
	if low := s.times.Min(); low < 1000 {
		t.Errorf("an order took %d us, less than its service time", low)
	}
}

// Fixed work ends by itself: the driver does not wait for the end of the phase,
// and nothing is counted that was not done.
func TestFixedWorkEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(2 * time.Second)
		f.fixed = true
		f.step = func(number int, _ time.Time) (time.Duration, workload.Outcome, error) {
			if number > 6 {
				return 0, workload.Done, workload.ErrFinished
			}
			return 2 * time.Second, workload.Done, nil
		}
		job := fakeJob(t, 1, 3)
		job.Warmup, job.Measure = 0, unit.Duration(time.Hour)
		begun := time.Now()
		s := mustRun(t, job, f)
		if s.count["order"] != 6 || sum(s.errors) != 0 || s.end == nil || s.end.Event != "" {
			t.Errorf("%d units, errors %v, end %+v; want 6, none and no reason", s.count["order"], s.errors, s.end)
		}
		if took := time.Since(begun); took != 4*time.Second {
			t.Errorf("six units of 2 s by three users took %v", took)
		}
	})
}
