package trust

import (
	"math"
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
)

// sequencesOf are the warnings about repetitions that do such shares of what they would.
func sequencesOf(seed uint64, rungs []int, shares ...float64) []Warning {
	set := analysistest.Set{
		Variants: []analysistest.Variant{{Name: "v", Response: analysistest.Constant(0.05)}}, Repetitions: len(shares), Rungs: rungs,
		Noise: analysistest.Noise{Throughput: 0.01, Response: 0.02},
	}
	run := set.Run(seed)
	for _, t := range run.Trials {
		o, share := t.Operations["order"], shares[t.Repetition-1]
		o.Count, o.Mean = int64(math.Round(float64(o.Count)*share)), o.Mean/share
		t.Operations["order"] = o
	}
	return slices.DeleteFunc(Sift(run).Doubts(), func(w Warning) bool { return w.Kind != "sequence" })
}

// Repetitions that change one after the other describe no steady state.
func TestRepetitionsThatChangeOneAfterTheOther(t *testing.T) {
	three := []int{1, 2, 4}
	for _, c := range []struct {
		name     string
		rungs    []int
		shares   []float64
		severity Severity
		above    bool
	}{
		{"caches that warm", three, []float64{0.70, 0.85, 0.93, 0.97, 0.99}, Serious, true},
		{"a machine that slows down", three, []float64{1, 0.95, 0.9, 0.85, 0.8}, Caution, false},
		{"repetitions alike", three, []float64{1, 1, 1, 1, 1}, "", false},
		{"one that is slow", three, []float64{1, 1, 0.7, 1, 1}, "", false},
		{"a change that is small", three, []float64{0.96, 0.97, 0.98, 0.99, 1}, "", false},
		{"too few to tell", []int{1}, []float64{0.7, 0.85, 1}, "", false},
	} {
		w := sequencesOf(1, c.rungs, c.shares...)
		switch {
		case c.severity == "" && len(w) > 0:
			t.Errorf("%s: %+v", c.name, w)
		case c.severity != "" && (len(w) != len(c.rungs)*len(c.shares) || w[0].Severity != c.severity || (w[0].Args[0].Value > 0) != c.above):
			t.Errorf("%s: %+v", c.name, w)
		}
	}
}
