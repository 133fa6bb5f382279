package loadline_test

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
)

// Trials that failed before their load do not show how many instances are carried; trials
// that failed under load show that so many are not.
func TestALineThatWasNotMeasured(t *testing.T) {
	for stage, unmeasured := range map[string]bool{"start": true, "drive": false} {
		set := analysistest.Set{Rungs: []int{1, 2}, Repetitions: 2, Objectives: analysistest.MeanBelow(0.2), Variants: []analysistest.Variant{{Name: "a", Response: analysistest.Constant(0.1)}}}
		run := set.Run(1)
		for _, x := range run.Trials {
			x.Status, x.Failure = result.Failed, &result.Failure{Stage: stage, Cause: "it did not start"}
		}
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l := a.Variants[0].LoadLine
		text, err := json.Marshal(l)
		if err != nil || l.Unmeasured != unmeasured || strings.Contains(string(text), `"count":{"value":null`) != unmeasured {
			t.Errorf("failed in stage %s: %+v, %s, %v", stage, l, text, err)
		}
	}
}
