package driver

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/workload"
)

// collected runs a job in simulated time and sums its records as a trial does.
func collected(t *testing.T, job Job, w workload.Workload) result.OperationSummary {
	t.Helper()
	o, _ := collectedWith(t, job, w)
	return o
}

// collectedWith returns the driver's events, too.
func collectedWith(t *testing.T, job Job, w workload.Workload) (o result.OperationSummary, events []string) {
	t.Helper()
	d, err := newDriver(job, w)
	if err != nil {
		t.Fatal(err)
	}
	d.simulated = true
	out := &sink{}
	if err := d.run(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "driver-0.jsonl")
	if err := os.WriteFile(path, out.lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	sum, err := result.Collect([]string{path}, job.Start, "order")
	if err != nil || len(sum.Problems) > 0 {
		t.Fatal(err, sum.Problems)
	}
	for _, e := range sum.Events {
		events = append(events, e.Text)
	}
	return sum.Operations["order"], events
}

// A stall from second 15 of the phase to past its end at 20: eight users wait
// from then on, and each of them has waited 5 s when the phase ends.
func TestStallPastTheEndIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(10 * time.Millisecond)
		began := time.Now()
		f.step = func(_ int, now time.Time) (time.Duration, workload.Outcome, error) {
			if now.Sub(began) >= 20*time.Second {
				return 12 * time.Second, workload.Done, nil
			}
			return 10 * time.Millisecond, workload.Done, nil
		}
		o := collected(t, fakeJob(t, 1, 8), f)
		if o.Waiting != 8 || o.Overdue != 8 || o.Oldest < 4.9 || o.Oldest > 5.1 || o.Max < 4.9 {
			t.Errorf("%d waiting, %d overdue, the oldest for %v s, the slowest %v s", o.Waiting, o.Overdue, o.Oldest, o.Max)
		}
		if o.Count < 11900 || o.Count > 12100 || o.P99 > 0.011 {
			t.Errorf("%d orders with a p99 of %v", o.Count, o.P99)
		}
	})
}

// Users who are merely in an order when the phase ends are no stall, and change
// no figure.
func TestOrdersUnderWayChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := collected(t, fakeJob(t, 1, 8), newFake(300*time.Millisecond))
		if o.Waiting != 8 || o.Overdue != 0 || o.Max > 0.301 || o.Mean > 0.301 {
			t.Errorf("%+v", o)
		}
	})
}

// Connections that hang when the phase ends are waited for, too.
func TestHangingConnectionIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(10 * time.Millisecond)
		began := time.Now()
		f.step = func(int, time.Time) (time.Duration, workload.Outcome, error) {
			if time.Since(began) > 15*time.Second {
				return time.Millisecond, workload.Failed, errBreaks
			}
			return 10 * time.Millisecond, workload.Done, nil
		}
		f.connect = func(now time.Time) error {
			if now.Sub(began) > 15*time.Second {
				time.Sleep(25 * time.Second)
			}
			return nil
		}
		if o := collected(t, fakeJob(t, 1, 4), f); o.Waiting != 4 || o.Oldest < 9.9 || o.Oldest > 10.1 {
			t.Errorf("%d waiting, the oldest for %v s", o.Waiting, o.Oldest)
		}
	})
}

// An open loop of 30,000 orders a second against eight users who need a second
// for each: 600,000 orders are due in the phase of 20 s, and 160 are done.
func TestBacklogCountsAsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := fakeJob(t, 1, 8)
		job.Rate = 30000
		o := collected(t, job, newFake(time.Second))
		if o.Offered != 600000 || o.Count > 170 || o.Waiting < 740000 || o.Overdue == 0 {
			t.Errorf("%d offered, %d done, %d waiting, %d overdue", o.Offered, o.Count, o.Waiting, o.Overdue)
		}
		if o.P50 < 10 || o.Oldest < 20 {
			t.Errorf("p50 %v, the oldest %v", o.P50, o.Oldest)
		}
	})
}
