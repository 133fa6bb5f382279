package analysis

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Why every trial failed is in the verdict, not only in a log.
func TestVerdictSaysWhichKnownErrorItWas(t *testing.T) {
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
	if text := a.Verdict[0].Text; !strings.Contains(text, "failed in every trial: no space is left on a file system") {
		t.Errorf("verdict: %s", text)
	}
	if by := a.Variants[0].Rungs[0].FailedBy; len(by) != 1 {
		t.Errorf("the rung says %q", by)
	}
}
