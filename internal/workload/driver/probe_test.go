package driver

import (
	"testing"
	"time"

	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// Users who never pause are never late: that they began some microseconds after the
// common start delays nothing.
func TestAStartIsNotLate(t *testing.T) {
	job := fakeJob(t, 1, 4)
	job.Start, job.Warmup, job.Measure = time.Now().Add(20*time.Millisecond), 0, unit.Duration(100*time.Millisecond)
	out := &sink{}
	if err := Run(t.Context(), job, blocking(newFake(time.Millisecond)), out); err != nil {
		t.Fatal(err)
	}
	for _, r := range parse(t, out.lines.Bytes()).records {
		if r.LateMax > 0 {
			t.Errorf("late by %g s in second %d", r.LateMax, r.Second)
		}
	}
}

// The reporter's own lateness represents users that wait for Go's scheduler, as it does,
// but not users that wait in the kernel.
func TestProbesSpeakForUsersOfTheSchedulerOnly(t *testing.T) {
	f := newFake(time.Millisecond)
	for name, c := range map[string]struct {
		workload workload.Workload
		alone    bool
		noted    int64
	}{"in the scheduler": {f, false, 1}, "in the kernel": {blocking(f), false, 0}, "alone": {f, true, 0}} {
		d, err := newDriver(fakeJob(t, 1, 1), c.workload)
		if err != nil {
			t.Fatal(err)
		}
		d.settings.Alone = c.alone
		newReporter(d, &sink{}).probed(time.Now().Add(-time.Second))
		var noted int64
		for _, tally := range d.recorder.takeSecond(d.clock.slot(time.Now()).second) {
			noted += tally.late.count
		}
		if noted != c.noted {
			t.Errorf("users who wait %s: %d probes noted, want %d", name, noted, c.noted)
		}
	}
}
