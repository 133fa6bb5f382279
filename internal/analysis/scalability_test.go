package analysis

import (
	"math"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/result"
)

// ladderOf makes a variant of rungs with the given throughput, in OPM.
func ladderOf(n, opm []float64) *result.Run {
	var samples []sample
	for i := range n {
		samples = append(samples, sample{"a", int(n[i]), opm[i], 0.1, false, nil})
	}
	return madeUp(nil, samples...)
}

func scalability(t *testing.T, run *result.Run) *scale.Scalability {
	t.Helper()
	s := analyse(t, run).Variants[0].Scalability
	if s == nil {
		t.Fatal("no law was fitted")
	}
	t.Log(s.Text)
	return s
}

// What obeys the law gets its parameters and its peak.
func TestLawThatHoldsIsSaid(t *testing.T) {
	n := []float64{1, 2, 4, 8, 16, 32, 64}
	truth := queueing.USL{Lambda: 1000, Sigma: 0.02, Kappa: 0.0008}
	var x []float64
	for _, v := range n {
		x = append(x, truth.At(v))
	}
	s := scalability(t, ladderOf(n, x))
	at, peak := truth.Peak()
	if !s.Holds || math.Abs(s.Sigma.Value/truth.Sigma-1) > 0.01 || math.Abs(s.PeakAt/at-1) > 0.01 || math.Abs(s.Peak/peak-1) > 0.01 {
		t.Errorf("%+v, want the peak %v at %v", s, peak, at)
	}
}

// A disk that carries the load up to its knee and then thrashes follows no such
// law: nothing is said of its peak, which was measured to be 99,262 at 32.
func TestLawThatFailsIsNotSaid(t *testing.T) {
	for _, c := range []struct {
		name   string
		n, opm []float64
		doubt  scale.Misfit
	}{
		{"knee, then collapse", []float64{1, 2, 4, 8, 16, 32, 64}, []float64{3300, 6580, 13100, 26000, 51500, 99262, 61000},
			scale.Misfit{Why: scale.OffRung, At: 32, Off: 0.26}},
		{"collapse at the end", []float64{1, 2, 4, 8, 16, 32}, []float64{1000, 2000, 4000, 8000, 16000, 6000}, scale.Misfit{Why: scale.OffRung, At: 16, Off: 0.39}},
		{"three rungs", []float64{1, 8, 64}, []float64{1000, 7000, 30000}, scale.Misfit{Why: scale.TooFewRungs, Rungs: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scalability(t, ladderOf(c.n, c.opm))
			if s.Holds || s.PeakAt != 0 || s.Model != nil || s.Lambda.Value != 0 {
				t.Errorf("%+v", s)
			}
			if d := s.Doubted; d.Why != c.doubt.Why || d.At != c.doubt.At || math.Abs(d.Off-c.doubt.Off) > 0.005 || c.doubt.Why == scale.TooFewRungs && d.Rungs != c.doubt.Rungs {
				t.Errorf("%+v, want %+v", d, c.doubt)
			}
		})
	}
}

// A bound that a rung beat is no bound, and a network that is off is not drawn.
func TestBeatenBoundIsNotDrawn(t *testing.T) {
	m := machineUnderTest{cpu: 0.02, disk: 0.004, think: 300 * time.Millisecond}
	run := m.run(1, 2, 4, 8, 16, 32)
	for _, trial := range run.Trials[3:] { // commits are joined: an order costs a third of it
		o := trial.Operations["order"]
		trial.Operations["order"] = orders(3*float64(o.Count), o.Mean/3)
	}
	s := scalability(t, run)
	if len(s.Bounds) > 0 || len(s.Network) > 0 || s.Beat == nil || s.Beat.Measured <= s.Beat.Bound {
		t.Errorf("%+v", s)
	}
}

// Where throughput falls from the first rung on, the law's peak lies below it, where nothing
// was measured and no count of instances may be.
func TestAThroughputThatFallsThroughout(t *testing.T) {
	for name, x := range map[string]analysistest.Curve{
		"to a fifth": func(n int) float64 { return 8000 / (1 + 0.1*float64(n)) },
		"inversely":  func(n int) float64 { return 8000 / float64(n) },
		"slowly":     func(n int) float64 { return 8000 * (1 - 0.02*float64(n)) },
	} {
		made := analysistest.Set{
			Variants: []analysistest.Variant{{Name: "a", Response: analysistest.Constant(0.1), Throughput: x}},
			Rungs:    []int{1, 2, 4, 8, 16}, Repetitions: 3, Noise: analysistest.Noise{Throughput: 0.003},
		}
		s := analyse(t, made.Run(1)).Variants[0].Scalability
		if s.PeakAt != 0 || s.Course.Shape != scale.FallsFromStart || s.Course.First != 1 {
			t.Errorf("%s: %v, %s", name, s.PeakAt, s.Text)
		}
	}
}
