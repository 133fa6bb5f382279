package analysis

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Why every trial failed is in the figures, not only in a log.
func TestRungsSayWhichKnownErrorItWas(t *testing.T) {
	full := func(t *result.Trial) {
		t.Failure = &result.Failure{Stage: "load", Cause: "db-000 ended", Reason: "no space is left on a file system"}
	}
	run := analysistest.MadeUp([]study.Objective{{Metric: "mean", Limit: 1, Text: "mean <= 1s"}},
		analysistest.Sample{Variant: "small", Rung: 1, Failed: true, Change: full},
		analysistest.Sample{Variant: "small", Rung: 2, Failed: true, Change: full})
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if l := a.Variants[0].LoadLine; l.Why != loadline.EveryTrialFailed {
		t.Errorf("%+v", l)
	}
	if by := a.Variants[0].Rungs[0].FailedBy; !slices.Equal(by, []string{"no space is left on a file system"}) {
		t.Errorf("the rung says %q", by)
	}
}
