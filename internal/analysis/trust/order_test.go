package trust

import (
	"math"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
)

// ordersOf are the warnings about the order of repetitions that do such shares of what they would.
func ordersOf(seed uint64, rungs []int, shares ...float64) []Warning {
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
	return slices.DeleteFunc(Sift(run).Doubts(), func(w Warning) bool { return w.Kind != "order" })
}

// Repetitions that change in their order are those of no steady state.
func TestRepetitionsThatChangeInTheirOrder(t *testing.T) {
	three := []int{1, 2, 4}
	for _, c := range []struct {
		name     string
		rungs    []int
		shares   []float64
		severity string
		way      string
	}{
		{"caches that warm", three, []float64{0.70, 0.85, 0.93, 0.97, 0.99}, Serious, "rose"},
		{"a machine that slows down", three, []float64{1, 0.95, 0.9, 0.85, 0.8}, Caution, "fell"},
		{"repetitions alike", three, []float64{1, 1, 1, 1, 1}, "", ""},
		{"one that is slow", three, []float64{1, 1, 0.7, 1, 1}, "", ""},
		{"a change that is small", three, []float64{0.96, 0.97, 0.98, 0.99, 1}, "", ""},
		{"too few to tell", []int{1}, []float64{0.7, 0.85, 1}, "", ""},
	} {
		w := ordersOf(1, c.rungs, c.shares...)
		switch {
		case c.severity == "" && len(w) > 0:
			t.Errorf("%s: %+v", c.name, w)
		case c.severity != "" && (len(w) != len(c.rungs)*len(c.shares) || w[0].Severity != c.severity || !strings.Contains(w[0].Text, "throughput "+c.way)):
			t.Errorf("%s: %+v", c.name, w)
		}
	}
}

// The chance of an order is that of its inversions: one in six that three repetitions rise, and
// so one in three that they rise or fall.
func TestChanceOfAnOrder(t *testing.T) {
	likely := []float64{1}
	for n := 1; n <= 3; n++ {
		likely = spreadOver(likely, n)
	}
	for i, want := range []float64{1, 2, 2, 1} {
		if math.Abs(likely[i]-want/6) > 1e-12 {
			t.Errorf("%v", likely)
		}
	}
}
