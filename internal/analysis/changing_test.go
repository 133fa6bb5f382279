package analysis

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/say"
)

// changedBy are the rungs of three that did such shares of what they would, repetition by
// repetition.
func changedBy(t *testing.T, shares ...float64) *Analysis {
	t.Helper()
	var samples []analysistest.Sample
	for _, n := range []int{1, 2, 4} {
		for _, share := range shares {
			samples = append(samples, analysistest.Sample{Variant: "v", Rung: n, OPM: 1000 * float64(n) * share, Mean: 0.05 / share})
		}
	}
	a, err := Analyse(analysistest.MadeUp(nil, samples...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What changes from repetition to repetition has no steady figure, and no interval of one.
func TestRepetitionsThatChangeHaveNoSteadyFigure(t *testing.T) {
	for _, r := range changedBy(t, 0.70, 0.85, 0.93, 0.97, 0.99).Variants[0].Rungs {
		i := r.Throughput
		if !i.Changing || i.Confidence > 0 || i.Low >= i.Value || i.High <= i.Value || !r.Mean.Changing {
			t.Errorf("%d: %+v, mean %+v", r.Instances, i, r.Mean)
		}
		if text := say.FigureText(i, "OPM"); !strings.HasSuffix(text, "OPM (not steady)") || !strings.Contains(text, "–") {
			t.Error(text)
		}
	}
}

// The same values in another order are noise.
func TestRepetitionsInAnyOrderHaveAnInterval(t *testing.T) {
	for _, r := range changedBy(t, 0.93, 0.70, 0.99, 0.85, 0.97).Variants[0].Rungs {
		if i := r.Throughput; i.Changing || i.Confidence == 0 {
			t.Errorf("%d: %+v", r.Instances, i)
		}
	}
}
