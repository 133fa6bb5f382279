package trial_test

import (
	"math"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

func TestWhatCannotBeTrue(t *testing.T) {
	order := func(o result.OperationSummary) func(*result.Trial) {
		return func(t *result.Trial) { t.Operations["order"] = o }
	}
	for want, change := range map[string]func(*result.Trial){
		"": func(*result.Trial) {},
		"has -2 instances, and a rung has at least one":       func(t *result.Trial) { t.Rung = -2 },
		"counts -5 of operation \"order\"":                    order(result.OperationSummary{Count: -5}),
		"has a response time of NaN s of operation \"order\"": order(result.OperationSummary{Mean: math.NaN()}),
		"passed, but does not say what its workload counts":   func(t *result.Trial) { t.Profile = describe.Profile{} },
	} {
		made := analysistest.MadeUp(nil, analysistest.Sample{Variant: "a", Rung: 1, OPM: 100, Mean: 0.1, Change: change})
		if got := trial.Unsound(made.Trials[0]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
