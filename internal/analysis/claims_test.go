package analysis

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/loadline"
)

// Repeating a trial must not make an answer say less: two trials of two that keep the
// objectives, and one of one that does not, are a bracket, whatever their noise.
func TestRepeatingKeepsTheBracket(t *testing.T) {
	sample := func(rung int, mean float64) analysistest.Sample {
		return analysistest.Sample{Variant: "a", Rung: rung, OPM: 1000 * float64(rung), Mean: mean}
	}
	once := []analysistest.Sample{sample(16, 0.10), sample(32, 0.25)}
	for name, more := range map[string][]analysistest.Sample{
		"alike":      {sample(16, 0.101)},
		"far apart":  {sample(16, 0.19)},
		"both sides": {sample(16, 0.19), sample(32, 0.9)},
	} {
		before := analyse(t, analysistest.MadeUp(analysistest.MeanBelow(0.2), once...)).Variants[0].LoadLine
		after := analyse(t, analysistest.MadeUp(analysistest.MeanBelow(0.2), append(slices.Clone(once), more...)...)).Variants[0].LoadLine
		want := loadline.Reach{Extent: loadline.Between, Low: 16, High: 31}
		if before.Reach() != want || after.Reach() != want {
			t.Errorf("%s: %+v, then %+v", name, before.Reach(), after.Reach())
		}
	}
}
