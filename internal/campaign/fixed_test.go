package campaign_test

import (
	"testing"
	"time"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
)

// fixed is a trial with two instances, each with a driver of its own and two users. One user
// writes the given number of records and the other twice as many, one every 100 ms. The phases
// are set as for timed work: a warm-up of 1 s, and 3 s.
func fixed(records int) *plan.Plan {
	v := campaigntest.Variant("a", campaigntest.Parameters{Records: records})
	v.Load.InstancesPerDriver = 1
	p := campaigntest.Plan([]study.Variant{v}, []int{2}, 1)
	p.Study.Phases.RampRate = 1
	return p
}

// TestFixedWorkIsMeasuredFromItsBeginning: there is neither ramp nor warm-up, and the
// measured phase ends with the last user.
func TestFixedWorkIsMeasuredFromItsBeginning(t *testing.T) {
	inTime(t, fixed(5), func(r *runs) {
		trial := r.finishes()[0]
		passed(t, trial)
		wall := trial.Stonewalled
		if wall == nil || wall.Count < 18 || wall.Count > 20 || near(wall.Seconds, 0.5) || wall.Users != 4 || near(wall.UserSeconds, 2*(0.5+1)) {
			t.Fatalf("stonewalled: %+v", wall)
		}
		length := trial.MeasureEnd.Sub(trial.MeasureStart)
		if trial.Whole().Count != 30 || near(length.Seconds(), 1) || trial.Unfinished != 0 || trial.WarmupSeconds != 0 || trial.RampSeconds != 0 || !trial.MeasureStart.Equal(trial.Start) {
			t.Errorf("%d records in %s, %d users had not finished, warm-up %g s, ramp %g s", trial.Whole().Count, length, trial.Unfinished, trial.WarmupSeconds, trial.RampSeconds)
		}
		if stonewalled, whole := trial.StonewalledThroughput(), trial.Throughput(); stonewalled < 36 || stonewalled > 41 || near(whole, 30) {
			t.Errorf("%v records/s while all were at work, %v in all", stonewalled, whole)
		}
	})
}

func near(got, want float64) (off bool) { return got < 0.97*want || got > 1.03*want }

func TestFixedWorkThatTakesTooLong(t *testing.T) {
	inTime(t, fixed(25), func(r *runs) {
		trial := r.finishes()[0]
		passed(t, trial)
		if trial.Unfinished != 2 || trial.Stonewalled == nil || trial.Stonewalled.Users != 2 || near(trial.Stonewalled.Seconds, 2.5) {
			t.Errorf("%d had not finished; %+v", trial.Unfinished, trial.Stonewalled)
		}
		if length := trial.MeasureEnd.Sub(trial.MeasureStart); length != 3*time.Second || near(trial.Stonewalled.UserSeconds, 2*(2.5+3)) {
			t.Errorf("it was measured for %s, users were at work for %g s", length, trial.Stonewalled.UserSeconds)
		}
	})
	inTime(t, fixed(100), func(r *runs) {
		if trial := r.finishes()[0]; trial.Unfinished != 4 || trial.Stonewalled != nil || near(trial.Throughput(), 39) {
			t.Errorf("%d had not finished; %+v; %v records/s", trial.Unfinished, trial.Stonewalled, trial.Throughput())
		}
	})
}

// TestDriverThatDiesWithFixedWork: the trial failed, and shows what was done until then.
func TestDriverThatDiesWithFixedWork(t *testing.T) {
	p := fixed(20)
	p.Study.Phases.Measure = unit.Duration(time.Minute)
	inTime(t, p, func(r *runs) {
		r.later(func() { r.Kill("t1-driver-1", "out of memory") })
		trial := r.finishes()[0]
		failedTo(r.t, trial, "drive", "driver-1 ended early", "out of memory")
		if wall := trial.Stonewalled; wall == nil || wall.Users != 2 || trial.Unfinished != 2 || wall.Count <= 38 || wall.Count >= 76 {
			t.Errorf("%d had not finished; %+v", trial.Unfinished, wall)
		}
		if length := trial.MeasureEnd.Sub(trial.MeasureStart); length > 5*time.Second {
			t.Errorf("it was measured for %s", length)
		}
	})
}
