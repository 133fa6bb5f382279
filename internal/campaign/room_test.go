package campaign_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// A file system that fills up ends the trial before what was recorded is lost: it is
// merged, and the failure says what to do.
func TestATrialEndsBeforeItsResultsHaveNoRoom(t *testing.T) {
	p := campaigntest.Plan([]study.Variant{campaigntest.Variant("a", campaigntest.Parameters{})}, []int{1}, 1)
	p.Study.Phases.Measure = unit.Duration(time.Minute)
	inTime(t, p, func(r *runs) {
		begun := time.Now()
		r.Free = func() int64 {
			if time.Since(begun) > 30*time.Second {
				return 63 << 20
			}
			return 1 << 40
		}
		if _, err := r.run(); err != nil {
			t.Log(err)
		}
		trial := r.trials()[0]
		failedTo(t, trial, "drive", "no space left on device", "make room there")
		if !strings.Contains(trial.Failure.Reason, "no space is left") {
			t.Errorf("the reason is %q", trial.Failure.Reason)
		}
		if len(trial.Operations) == 0 || trial.Operations[trial.Profile.Whole()].Count == 0 {
			t.Error("what was recorded is lost")
		}
		r.nothingLeft()
	})
}
