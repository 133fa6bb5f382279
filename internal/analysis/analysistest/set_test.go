package analysistest

import (
	"math"
	"testing"

	"plimsoll/internal/result"
)

func TestRunHasItsTruth(t *testing.T) {
	s := Set{
		Variants: []Variant{{Name: "a", Response: Step(0.1, 0.4, 8)}, {Name: "b", Response: MM1(0.1, 32)}},
		Rungs:    []int{4, 8, 16}, Repetitions: 2, Histograms: true,
	}
	run := s.Run(1)
	if len(run.Trials) != 12 || run.Trials[3].ID != "b/8/1" || run.Trials[11].ID != "b/16/2" {
		t.Fatalf("%d trials, %s, %s", len(run.Trials), run.Trials[3].ID, run.Trials[11].ID)
	}
	o := run.Trials[5].Operations["order"] // b at 16: half of the capacity
	if math.Abs(o.Mean-0.2) > 1e-9 || math.Abs(float64(o.Count)-2*60*16*Users/0.5) > 1 {
		t.Errorf("mean %v, %d orders", o.Mean, o.Count)
	}
	h, err := result.MergeHistograms(o.Histogram)
	if err != nil || math.Abs(h.Mean()/1e9-0.2) > 0.005 || math.Abs(result.Quantile(h, 0.95)-o.P95) > 0.02*o.P95 {
		t.Errorf("histogram: mean %v, p95 %v of %v, %v", h.Mean(), result.Quantile(h, 0.95), o.P95, err)
	}
}

func TestLine(t *testing.T) {
	for name, c := range map[string]struct {
		curve Curve
		want  int
	}{
		"step": {Step(0.5, 2, 8), 8},
		"knee": {Knee(0.5, 10), 20},
		"mm1":  {MM1(0.2, 25), 20},
		"open": {Constant(0.5), 64},
		"none": {Constant(2), 0},
	} {
		if got := c.curve.Line(1, 64); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestNoiseHasItsSpreadAndIsCarried(t *testing.T) {
	for _, heavy := range []bool{false, true} {
		n := newNoise(Noise{Throughput: 0.1, Carried: 0.5, Heavy: heavy}, 7)
		const draws = 20000
		var sum, squares, products, last float64
		for range draws {
			v := math.Log(n.next(0).throughput) / 0.1
			sum, squares, products = sum+v, squares+v*v, products+v*last
			last = v
		}
		if mean, variance := sum/draws, squares/draws; math.Abs(mean) > 0.1 || math.Abs(variance-1) > 0.3 {
			t.Errorf("heavy %v: mean %v, variance %v", heavy, mean, variance)
		}
		if carried := products / squares; math.Abs(carried-0.5) > 0.1 {
			t.Errorf("heavy %v: carried %v", heavy, carried)
		}
	}
}

func TestShare(t *testing.T) {
	if got := Share(100, func(seed uint64) bool { return seed < 25 }); got != 0.25 {
		t.Errorf("%v", got)
	}
}
