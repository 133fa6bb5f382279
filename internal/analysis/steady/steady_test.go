package steady

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// noisy is a series of n values about level(i) with a relative noise.
func noisy(n int, noise float64, level func(i int) float64) []float64 {
	random := rand.New(rand.NewPCG(7, 11))
	out := make([]float64, n)
	for i := range out {
		out[i] = level(i) * (1 + noise*random.NormFloat64())
	}
	return out
}

func TestWarmUpFindsTheEndOfATransient(t *testing.T) {
	series := noisy(300, 0.02, func(i int) float64 {
		return 1000 * (1 - 0.6*math.Exp(-float64(i)/20))
	})
	cut, settled := WarmUp(series)
	if !settled || cut < 30 || cut > 120 {
		t.Errorf("cut %d, settled %v", cut, settled)
	}
}

func TestWarmUpOfASeriesThatNeverSettles(t *testing.T) {
	if _, settled := WarmUp(noisy(300, 0.001, func(i int) float64 { return 1 + float64(i) })); settled {
		t.Error("a ramp counts as settled")
	}
}

func TestWarmUpOfASteadySeriesIsShort(t *testing.T) {
	if cut, _ := WarmUp(noisy(300, 0.05, func(int) float64 { return 500 })); cut > 100 {
		t.Errorf("cut %d of a steady series", cut)
	}
}

func TestDriftIsFoundAndNoiseIsNot(t *testing.T) {
	d := Drift(noisy(300, 0.05, func(i int) float64 { return 1000 * (1 - 0.3*float64(i)/300) }))
	if d.P > 0.001 || d.Change > -0.25 || d.Change < -0.45 {
		t.Errorf("drift %+v, want about -0.35", d)
	}
	if d := Drift(noisy(300, 0.05, func(int) float64 { return 1000 })); d.P < 0.01 {
		t.Errorf("noise drifts: %+v", d)
	}
}

func TestUnknownValuesAreLeftOut(t *testing.T) {
	series := noisy(100, 0.01, func(int) float64 { return 5 })
	for i := 0; i < 100; i += 3 {
		series[i] = math.NaN()
	}
	if d := Drift(series); math.IsNaN(d.Change) || math.IsNaN(d.P) {
		t.Errorf("%+v", d)
	}
	if got := Batches([]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), 1, 2, 3, 4, 5, 6}); len(got) != 1 || got[0] != 3 {
		t.Errorf("batches %v", got)
	}
	for _, huge := range []float64{2e155, math.MaxFloat64, math.Inf(1)} { // squares overflow
		series := noisy(60, 0.01, func(int) float64 { return 5 })
		series[30] = huge
		if d, s := Drift(series), LevelShift(series); !(d.P > 0 && d.P <= 1) || !(s.P > 0 && s.P <= 1) {
			t.Errorf("with %v: drift %+v, shift %+v", huge, d, s)
		}
	}
}

func TestAnySeriesGivesNumbers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		series := rapid.SliceOfN(rapid.Float64(), 0, 200).Draw(r, "series")
		cut, _ := WarmUp(series)
		if cut < 0 || cut > len(series) {
			r.Fatalf("cut %d of %d", cut, len(series))
		}
		if p := Drift(series).P; math.IsNaN(p) || p < 0 || p > 1 {
			r.Fatalf("p %v", p)
		}
		if p := LevelShift(series).P; math.IsNaN(p) || p < 0 || p > 1 {
			r.Fatalf("p of a shift %v", p)
		}
	})
}
