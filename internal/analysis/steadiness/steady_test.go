package steadiness

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/test/quick"
)

func TestAnySeriesGivesNumbers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		series := rapid.SliceOfN(rapid.Float64(), 0, 200).Draw(r, "series")
		c := ShapeOf(series)
		for _, v := range []float64{c.Change, c.From, c.To, c.Period, c.Influence} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				r.Fatalf("%+v", c)
			}
		}
		for _, g := range Gaps(series, 0) {
			if g.From < 0 || g.To() > len(series) || math.IsNaN(g.Length) {
				r.Fatalf("%+v of %d s", g, len(series))
			}
		}
	})
}

// Next to such a burst, the level of the other seconds is lost in rounding.
func TestALevelThatIsLostInRounding(t *testing.T) {
	series := make([]float64, 20)
	for i := range series {
		series[i] = 1
	}
	series[7] = 2.8851186436145148e16
	if c := ShapeOf(series); c.Kind != Burst || c.From != 7 || c.To != 8 || c.Change != mostChange || c.Influence != mostChange {
		t.Errorf("%+v", c)
	}
}

// The moments and sizes of what a series does are about the true ones.
func TestCoursesAreMeasured(t *testing.T) {
	for _, c := range []struct {
		name  string
		level func(i int) float64
		want  Shape
	}{
		{"warm-up", func(i int) float64 { return 1000 * (1 - 0.5*math.Exp(-float64(i)/10)) }, Shape{Kind: WarmUp, Change: -0.2, To: 32}},
		{"climb", func(i int) float64 { return 550 + 390*float64(i)/300 }, Shape{Kind: Drift, Change: 0.71, To: 300}},
		{"fall", func(i int) float64 { return 1000 - 200*math.Floor(float64(i)/150) }, Shape{Kind: Change, Change: -0.2, From: 150, To: 150}},
		{"dip", func(i int) float64 {
			if i >= 100 && i < 120 {
				return 400
			}
			return 1000
		}, Shape{Kind: Dip, Change: -0.6, From: 100, To: 120}},
		{"V", func(i int) float64 { return 700 + 2*math.Abs(float64(i)-150) }, Shape{Kind: Dip, Change: -0.28, From: 82.5, To: 217.5}}, // against a twentieth from either end
		{"checkpoints", func(i int) float64 {
			if i%50 >= 20 && i%50 < 25 {
				return 400
			}
			return 1000
		}, Shape{Kind: Dips, Change: -0.6, From: 20, To: 25, Period: 50}},
		{"every other second", func(i int) float64 { return 1000 - 300*float64(i%2) }, Shape{Kind: Dips, Change: -0.3, From: 1, To: 2, Period: 2}},
		{"sine", func(i int) float64 { return 1000 + 300*math.Sin(2*math.Pi*float64(i)/60) }, Shape{Kind: Wave, Change: -0.46, To: 300, Period: 60}},
	} {
		got := ShapeOf(analysistest.Rates{Seconds: 300, Noise: 0.01, Level: c.level}.Series(1))
		near := func(a, b, by float64) bool { return math.Abs(a-b) <= by }
		if got.Kind != c.want.Kind || !near(got.Change, c.want.Change, 0.05) || !near(got.From, c.want.From, 2) || !near(got.To, c.want.To, 4) || !near(got.Period, c.want.Period, 0.5) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A phase too short for shapes drifts only where a line is plain and steep.
func TestShortPhases(t *testing.T) {
	for _, c := range []struct {
		name string
		rate []float64
		kind Kind
	}{
		{"caches that warm up", []float64{54, 66, 76, 86, 106, 105, 117, 129, 145, 153, 176, 179}, Drift},
		{"a fall", []float64{180, 171, 150, 149, 131, 118, 110, 92}, Drift},
		{"noise", []float64{169, 177, 190, 205, 185, 202, 205, 185, 193, 181, 206, 187}, Steady},
		{"plain, and slight", []float64{100, 101, 102, 103, 104, 105, 106, 107, 108, 109}, Steady},
		{"too short", []float64{54, 66, 76, 86, 106, 115, 127}, Steady},
		{"from nothing", []float64{0, 10, 20, 30, 40, 50, 60, 70, 80}, Drift},
	} {
		if got := ShapeOf(c.rate); got.Kind != c.kind {
			t.Errorf("%s: %+v, want %s", c.name, got, c.kind)
		}
	}
}

// Unknown seconds are ignored, and huge values do not overflow.
func TestUnknownSecondsAreLeftOut(t *testing.T) {
	series := analysistest.Rates{Seconds: 120, Noise: 0.01}.Series(1)
	for i := 0; i < 120; i += 3 {
		series[i] = math.NaN()
	}
	for i := 40; i < 70; i++ {
		series[i] = math.NaN()
	}
	if c, g := ShapeOf(series), Gaps(series, 0); c.Kind != Steady || g != nil {
		t.Errorf("%+v, gaps %v", c, g)
	}
	for _, huge := range []float64{2e155, math.MaxFloat64, math.Inf(1)} {
		series[20] = huge
		if c := ShapeOf(series); c.Kind != Steady {
			t.Errorf("with %v: %+v", huge, c)
		}
	}
}

// Work that takes long ends seldom: that is no stall.
func TestRareWorkIsNoStall(t *testing.T) {
	rare := make([]float64, 120)
	for i := 0; i < 120; i += 7 {
		rare[i] = 1
	}
	if g := Gaps(rare, 7); g != nil {
		t.Errorf("%v", g)
	}
	rare[0], rare[60], rare[61], rare[62] = 200, 200, 200, 200
	batches := make([]float64, 120)
	for i := 0; i < 120; i += 3 { // eight users in step
		batches[i] = 8
	}
	if g := Gaps(batches, 3); g != nil {
		t.Errorf("%v", g)
	}
}

// Two dips of a long phase are two, not one, although they are no period over all of it.
func TestTwoDipsOfALongPhase(t *testing.T) {
	level := func(i int) float64 {
		if i >= 75 && i < 81 || i >= 125 && i < 131 {
			return 500
		}
		return 1000
	}
	c := ShapeOf(analysistest.Rates{Seconds: 300, Noise: 0.01, Level: level}.Series(1))
	if c.Kind != Dips || c.Times != 2 || math.Abs(c.Period-50) > 2 || math.Abs(c.From-75) > 2 {
		t.Errorf("%+v", c)
	}
}

// A rate that grows from nothing rises, and one that ends with nothing falls by all of it, also
// where the curve that is fitted passes below 0.
func TestFromNothingAndToNothing(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, c := range []struct {
		name  string
		level func(i int) float64
		rises bool
	}{
		{"grows in a line after a late start", func(i int) float64 { return 10 * max(0, float64(i)-15) }, true},
		{"grows faster and faster", func(i int) float64 { return 1000 * math.Pow(float64(i)/300, 1.5) }, true},
		{"declines in a line to an early end", func(i int) float64 { return 10 * max(0, 285-float64(i)) }, false},
	} {
		for seed := range uint64(20) {
			got := ShapeOf(analysistest.Rates{Seconds: 300, Noise: 0.02, Level: c.level}.Series(seed))
			if got.Kind != Drift || got.Change > 0 != c.rises || got.Change < -1 {
				t.Errorf("%s, seed %d: %+v", c.name, seed, got)
			}
		}
	}
}

func TestACurveBelowNothing(t *testing.T) {
	p := points{length: 300}
	line := func(x float64) float64 { return x }
	if got := p.curved(shape{curve: line, fit: fit{level: -5, height: 105}}); got.Kind != Drift || bounded(got.Change) != mostChange {
		t.Errorf("a rise from nothing: %+v", got)
	}
	if got := p.curved(shape{curve: line, fit: fit{level: 100, height: -105}}); got.Kind != Drift || got.Change != -1 {
		t.Errorf("a fall to nothing: %+v", got)
	}
	if got := p.waved(shape{period: 0.2, fit: fit{level: 100, height: 105}}); got.Change != -1 {
		t.Errorf("a swing down to nothing: %+v", got)
	}
}
