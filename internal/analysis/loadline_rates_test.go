package analysis

import (
	"math"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/test/quick"
)

// The interval of the load line covers the true line in 95 % of the sets, for every shape
// of growth, whether the line is between rungs or on one.
func TestLoadLineIntervalsCoverTheTruth(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	rungs := []int{1, 2, 4, 8, 16, 32}
	for _, c := range []struct {
		name  string
		curve analysistest.Curve
	}{
		{"step between the rungs 8 and 16, line 8", analysistest.Step(0.4, 2.5, 8)},
		{"step between the rungs 8 and 16, line 12", analysistest.Step(0.4, 2.5, 12)},
		{"step to just above the limit", analysistest.Step(0.7, 1.05, 8)},
		{"knee, line 20", analysistest.Knee(0.4, 8)},
		{"M/M/1, line 20", analysistest.MM1(0.2, 25)},
		{"power law, line 11", analysistest.Power(0.2, 0.66)},
		{"exactly at the limit on rung 8", analysistest.Power(1.0/8, 1)},
		{"just above the limit on rung 8", analysistest.Power(1.01/8, 1)},
		{"above all rungs", analysistest.Power(0.2, 0.4)},
		{"near the limit on the largest rung", analysistest.Power(0.99/32, 1)},
		{"below all rungs", analysistest.Constant(1.5)},
		{"near the limit on the smallest rung", analysistest.Power(1.02, 0.5)},
	} {
		truth := float64(c.curve.Line(1, 1000))
		for _, n := range []int{2, 3, 8} {
			for name, noise := range map[string]analysistest.Noise{
				"plain": {Response: 0.05}, "heavy": {Response: 0.05, Heavy: true}, "carried": {Response: 0.05, Carried: 0.5},
			} {
				if name != "plain" && (n != 3 || !strings.Contains(c.name, "rung 8")) {
					continue
				}
				set := analysistest.Set{
					Variants: []analysistest.Variant{{Name: "a", Response: c.curve}},
					Rungs:    rungs, Repetitions: n, Noise: noise, Objectives: analysistest.MeanBelow(1),
				}
				covered := analysistest.Share(sets, func(seed uint64) bool {
					run := set.Run(seed)
					l := lineOf(run)
					return l.Count.Low <= truth && truth <= l.Count.High
				})
				t.Logf("%s, %s noise, %d repetitions: %.3f", c.name, name, n, covered)
				if covered < 0.94 {
					t.Errorf("%s, %s noise, %d repetitions: covered in %.3f", c.name, name, n, covered)
				}
			}
		}
	}
}

// ladder measures a run with one variant.
func ladder(run *result.Run) ([]rung.Rung, loadline.LoadLine) {
	e := trust.Sift(run)
	return Ladder(e, e.Run.Trials, "instance")
}

// lineOf is the load line of a run with one variant.
func lineOf(run *result.Run) loadline.LoadLine {
	_, line := ladder(run)
	return line
}

// Where the rungs are clear, the interval is no wider than the bracket.
func TestLoadLineIntervalsAreAsNarrowAsTheRungs(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, n := range []int{2, 3, 4} {
		set := analysistest.Set{
			Variants: []analysistest.Variant{{Name: "a", Response: analysistest.Knee(0.4, 8)}},
			Rungs:    []int{1, 2, 4, 8, 16, 32}, Repetitions: n, Noise: analysistest.Noise{Response: 0.03}, Objectives: analysistest.MeanBelow(1),
		}
		narrow := analysistest.Share(sets, func(seed uint64) bool {
			l := lineOf(set.Run(seed))
			return l.Count.Low == 16 && l.Count.High == 31
		})
		t.Logf("%d repetitions: %.3f", n, narrow)
		if narrow < 0.9 {
			t.Errorf("%d repetitions: %.3f", n, narrow)
		}
	}
}

// Confidence intervals of a rung's figures cover the true value; ranges do not claim to.
func TestIntervalsOfARungCover(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	response := analysistest.MM1(0.05, 40)
	truth := map[string]float64{"throughput": 1200 * math.Pow(8, 0.9), "mean": response(8)}
	for _, noise := range []analysistest.Noise{usual, {Throughput: 0.02, Response: 0.04, Growing: 1.5}, {Throughput: 0.02, Response: 0.04, Carried: 0.5}} {
		for _, n := range []int{2, 3, 8} {
			set := analysistest.Set{
				Variants: []analysistest.Variant{{Name: "a", Response: response, Throughput: analysistest.Power(1200, 0.9)}},
				Rungs:    fiveRungs, Repetitions: n, Noise: noise,
			}
			given, covered := map[string]float64{}, map[string]float64{}
			for seed := range uint64(sets) {
				rungs, _ := ladder(set.Run(seed))
				for name, i := range map[string]stats.Interval{"throughput": rungs[3].Throughput, "mean": rungs[3].Mean} {
					if i.Bounded() {
						given[name]++
						covered[name] += share(i.Low <= truth[name] && truth[name] <= i.High)
					}
				}
			}
			least := 0.925
			if noise.Growing > 0 {
				least = 0.9 // two to four repetitions do not always tell that rungs differ in noise
			}
			for name := range truth {
				covers := covered[name] / given[name]
				t.Logf("%+v, %d repetitions, %s: %.3f of %.0f intervals", noise, n, name, covers, given[name])
				if covers < least || given[name] < 0.5*float64(sets) {
					t.Errorf("%+v, %d repetitions, %s: %.3f of %.0f intervals", noise, n, name, covers, given[name])
				}
			}
		}
	}
}

func share(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
