package trust

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
)

// Steady series are seldom doubted, however their noise is carried: of 500 of
// each kind at most one in a hundred, and two where more than a third of a second's
// noise is still there five seconds later.
func TestSteadyNoiseIsNotDoubted(t *testing.T) {
	for _, n := range []int{60, 120, 300} {
		for _, noise := range []float64{0.02, 0.2} {
			if n == 300 && noise < 0.1 {
				continue // the least likely to be doubted, and the slowest
			}
			var shares []string
			for _, carry := range []float64{0, 0.3, 0.6, 0.8, 0.9, 0.95} {
				share := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
					return Unsteady(analysistest.Rates{Seconds: n, Noise: noise, Carried: carry}.Series(seed)) != nil
				})
				shares = append(shares, fmt.Sprintf("%.2f: %.1f %%", carry, 100*share))
				if share > 0.01 && (carry <= 0.8 || share > 0.02) {
					t.Errorf("%d s, noise of %.2f carried by %.2f: %.1f %% are doubted", n, noise, carry, 100*share)
				}
			}
			t.Logf("%3d s, noise of %2.0f %%, carried by %s", n, 100*noise, strings.Join(shares, ", "))
		}
	}
}

// What is wrong with a phase is called by its name, at every seed but a few.
func TestUnsettledSeriesAreNamed(t *testing.T) {
	step := func(at int, after float64) func(int) float64 {
		return func(i int) float64 {
			if i < at {
				return 1000
			}
			return 1000 * after
		}
	}
	for _, c := range []struct {
		name  string
		n     int
		level func(int) float64
		kind  string
		say   string
	}{
		{"collapse halfway", 60, step(30, 0.3), "shift", "30 s into the measured phase, and stayed there"},
		{"collapse halfway, a longer phase", 300, step(150, 0.6), "shift", "150 s into the measured phase"},
		{"collapse early", 120, step(20, 0.4), "shift", "20 s into"},
		{"collapse late", 120, step(100, 0.4), "shift", "100 s into"},
		{"a cache that fills early", 120, step(20, 2.5), "warm-up", "in the first 20 s"},
		{"cold caches", 300, func(i int) float64 { return 1000 * (1 - 0.5*math.Exp(-float64(i)/15)) }, "warm-up", "the warm-up was too short"},
		{"decline", 300, func(i int) float64 { return 1000 * (1 - 0.3*float64(i)/300) }, "drift", "it was not steady"},
	} {
		for _, carry := range []float64{0, 0.5} {
			other := map[string]int{}
			named := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
				w := Unsteady(analysistest.Rates{Seconds: c.n, Noise: 0.05, Carried: carry, Level: c.level}.Series(seed))
				return w != nil && w[0].Kind == c.kind
			})
			for seed := range uint64(20) {
				if w := Unsteady(analysistest.Rates{Seconds: c.n, Noise: 0.05, Carried: carry, Level: c.level}.Series(seed)); w == nil {
					other["nothing"]++
				} else if other[w[0].Kind]++; seed == 0 && carry == 0 && !strings.Contains(w[0].Text, c.say) {
					t.Errorf("%s: %q lacks %q", c.name, w[0].Text, c.say)
				}
			}
			t.Logf("%s, noise carried by %.1f: %.1f %% are called %s; of the first 20: %v", c.name, carry, 100*named, c.kind, other)
			if named < 0.9 {
				t.Errorf("%s: only %.1f %% are called %s", c.name, 100*named, c.kind)
			}
		}
	}
}

// unsettled rewrites a trial's orders per second.
func unsettled(t *testing.T, level func(second int) float64) []Warning {
	t.Helper()
	rate := make([]float64, 300)
	for i := range rate {
		rate[i] = level(i) * (1 + 0.02*math.Sin(float64(i)*12.9898))
	}
	return Unsteady(rate)
}

func TestUnsettledTrialsAreDoubted(t *testing.T) {
	for _, c := range []struct {
		name     string
		level    func(int) float64
		kind     string
		severity string
	}{
		{"steady", func(int) float64 { return 100 }, "", ""},
		{"short warm-up", func(i int) float64 { return 100 * (1 - 0.5*math.Exp(-float64(i)/15)) }, "warm-up", Caution},
		{"long warm-up", func(i int) float64 { return 100 * (1 - 0.8*math.Exp(-float64(i)/60)) }, "warm-up", Serious},
		{"slow decline", func(i int) float64 { return 100 - float64(i)*0.07 }, "drift", Caution},
	} {
		w := unsettled(t, c.level)
		switch {
		case c.severity == "" && w != nil:
			t.Errorf("%s: %+v", c.name, w)
		case c.kind != "" && (w == nil || w[0].Kind != c.kind || w[0].Severity != c.severity):
			t.Errorf("%s: %+v", c.name, w)
		}
		t.Log(c.name, w)
	}
}
