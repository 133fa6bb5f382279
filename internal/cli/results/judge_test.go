package results

import (
	"strings"
	"testing"

	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// A run that went to its end and whose result cannot be read has not ended
// well.
func TestARunWithAnUnreadableTrialHasNotEndedWell(t *testing.T) {
	run := &result.Run{
		Plan:     &plan.Plan{Trials: []plan.Trial{{ID: "a/1/1"}, {ID: "a/2/1"}}},
		Trials:   []*result.Trial{{ID: "a/1/1", Status: result.Passed}},
		Problems: []result.Problem{{File: "trials/a/2/1/trial.json", Reason: "is cut short"}},
	}
	if err := VerdictError(run, nil); err == nil || !strings.Contains(err.Error(), "is cut short") {
		t.Errorf("%v", err)
	}
	run.Trials = append(run.Trials, &result.Trial{ID: "a/2/1", Status: result.Passed})
	if err := VerdictError(run, nil); err != nil {
		t.Error(err)
	}
}
