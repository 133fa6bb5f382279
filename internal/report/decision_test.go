package report

import (
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
)

// A variant whose trials are yet to come has not failed.
func TestWhyThereIsNoLoadLine(t *testing.T) {
	a := liveFixture()
	for want, rungs := range map[string][]rung.Rung{
		"not measured": nil,
		"failed":       {{Instances: 1, Failed: 2}},
	} {
		if got, of := lineCount(a, analysis.Variant{Rungs: rungs}); got != want || of != "" {
			t.Errorf("%q %q, want %q", got, of, want)
		}
	}
}
