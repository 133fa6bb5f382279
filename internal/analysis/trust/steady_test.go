package trust

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// sets are fewer than elsewhere, because a judgement tries many shapes; make truth counts
// more of them.
var sets = nightly.Times(40, 100)

// Steady series are seldom doubted, however their noise is carried.
func TestSteadyNoiseIsNotDoubted(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, n := range []int{40, 60, 120, 300} {
		var shares []string
		for _, carry := range []float64{0, 0.6, 0.8, 0.95} {
			share := analysistest.Share(sets, func(seed uint64) bool {
				return Unsteady(analysistest.Rates{Seconds: n, Noise: 0.2, Carried: carry}.Series(seed)) != nil
			})
			shares = append(shares, fmt.Sprintf("%.2f: %.1f %%", carry, 100*share))
			if share > 0.03 {
				t.Errorf("%d s, noise carried by %.2f: %.1f %% are doubted", n, carry, 100*share)
			}
		}
		t.Logf("%3d s, noise of 20 %%, carried by %s", n, strings.Join(shares, ", "))
	}
}

// Each course of a phase is called by its name, however clean or noisy it is.
func TestCoursesAreNamed(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	const seconds = 120
	seeds := nightly.Times(10, 40)
	for _, c := range analysistest.Courses(seconds) {
		for _, noise := range []float64{0.002, 0.01, 0.03} {
			other := make([]string, seeds)
			right := analysistest.Share(seeds, func(seed uint64) bool {
				w := Unsteady(analysistest.Rates{Seconds: seconds, Noise: noise, Carried: 0.3, Level: c.Level}.Series(seed))
				if len(w) > 0 {
					other[seed] = string(w[0].Kind)
				}
				return other[seed] == c.Kind && len(w) <= 1
			})
			if right < 0.95 {
				t.Errorf("noise of %.1f %%: it %s: %.0f %% are called %q: %v", 100*noise, c.Name, 100*right, c.Kind, other)
			}
		}
	}
}

// A stall shows in a short phase, too.
func TestStallsOfShortPhases(t *testing.T) {
	for _, n := range []int{8, 10, 12} {
		for from := range n - 2 {
			level := func(i int) float64 {
				if i >= from && i < from+3 {
					return 0
				}
				return 500
			}
			w := Unsteady(analysistest.Rates{Seconds: n, Noise: 0.1, Level: level}.Series(uint64(from)))
			if len(w) != 1 || w[0].Kind != "stall" || math.Abs(w[0].Unsteady.Still-3) > 0.5 {
				t.Errorf("3 of %d s from %d s on: %v", n, from, w)
			}
		}
	}
}

// A fault in a phase is named correctly, at all but a few seeds.
func TestUnsettledSeriesAreNamed(t *testing.T) {
	quick.Skip(t, quick.Seconds)
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
		kind  Kind
		from  float64 // s into the phase, or to for a warm-up; 0 where it does not matter
	}{
		{"collapse halfway", 60, step(30, 0.3), Shift, 30},
		{"collapse halfway, a longer phase", 300, step(150, 0.6), Shift, 150},
		{"collapse early", 120, step(20, 0.4), Shift, 20},
		{"collapse late", 120, step(100, 0.4), Shift, 100},
		{"a cache that fills early", 120, step(20, 2.5), WarmUp, 20},
		{"cold caches", 300, func(i int) float64 { return 1000 * (1 - 0.5*math.Exp(-float64(i)/15)) }, WarmUp, 0},
		{"decline", 300, func(i int) float64 { return 1000 * (1 - 0.3*float64(i)/300) }, Drift, 0},
	} {
		for _, carry := range []float64{0, 0.5} {
			other := map[Kind]int{}
			named := analysistest.Share(sets, func(seed uint64) bool {
				w := Unsteady(analysistest.Rates{Seconds: c.n, Noise: 0.05, Carried: carry, Level: c.level}.Series(seed))
				return w != nil && w[0].Kind == c.kind
			})
			for seed := range uint64(20) {
				if w := Unsteady(analysistest.Rates{Seconds: c.n, Noise: 0.05, Carried: carry, Level: c.level}.Series(seed)); w == nil {
					other["nothing"]++
				} else if other[w[0].Kind]++; seed == 0 && carry == 0 && c.from > 0 && math.Round(since(w[0])) != c.from {
					t.Errorf("%s: %+v is not at %.0f s", c.name, w[0].Unsteady, c.from)
				}
			}
			t.Logf("%s, noise carried by %.1f: %.1f %% are called %s; of the first 20: %v", c.name, carry, 100*named, c.kind, other)
			if named < 0.9 {
				t.Errorf("%s: only %.1f %% are called %s", c.name, 100*named, c.kind)
			}
		}
	}
}

// since is when a phase began to differ, or was over its beginning, in s.
func since(w Warning) float64 {
	if w.Kind == WarmUp {
		return w.Unsteady.To
	}
	return w.Unsteady.From
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
		kind     Kind
		severity Severity
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
