package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/stats"
	"plimsoll/test/quick"
)

// strata draws n values on both sides of k rungs, with an effect at the first
// and noise that grows from rung to rung and is carried from trial to trial.
func strata(seed uint64, n, k int, effect, growing, carried float64) []stats.Stratum {
	random := rand.New(rand.NewPCG(seed, 3))
	out := make([]stats.Stratum, k)
	for side := range 2 {
		last := random.NormFloat64()
		for range n {
			for i := range k {
				last = carried*last + math.Sqrt(1-carried*carried)*random.NormFloat64()
				v := last * math.Pow(growing, float64(i))
				if side == 0 {
					out[i].A = append(out[i].A, v)
				} else {
					out[i].B = append(out[i].B, v+effect)
				}
			}
		}
	}
	return out
}

func all(k int) []int {
	out := make([]int, k)
	for i := range out {
		out[i] = i
	}
	return out
}

func covers(e stats.Estimate, truth float64) bool {
	low, high := e.Interval(0.95)
	return low <= truth && truth <= high
}

func TestIntervalsCoverTheTruth(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, n := range []int{2, 3, 4, 8} {
		for _, k := range []int{1, 2, 5} {
			for _, growing := range []float64{1, 1.5} {
				each := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
					return covers(stats.Compare(strata(seed, n, k, 1, growing, 0)).Each[k-1], 1)
				})
				mean := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
					return covers(stats.Compare(strata(seed, n, k, 1, growing, 0)).Mean(all(k)), 1)
				})
				t.Logf("%d repetitions, %d rungs, noise growing %v: one rung %.3f, mean %.3f", n, k, growing, each, mean)
				if each < 0.895 || mean < 0.92 {
					t.Errorf("%d repetitions, %d rungs, noise growing %v: one rung %.3f, mean %.3f", n, k, growing, each, mean)
				}
			}
		}
	}
}

// Noise that is carried over moves all rungs of a round together; the mean over
// the rungs must know.
func TestCarriedNoiseWidensTheMean(t *testing.T) {
	for _, n := range []int{3, 4, 8} {
		got := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
			return covers(stats.Compare(strata(seed, n, 5, 0, 1, 0.5)).Mean(all(5)), 0)
		})
		t.Logf("%d repetitions: %.3f", n, got)
		if got < 0.86 {
			t.Errorf("%d repetitions: covered in %.3f", n, got)
		}
	}
}

func TestVisibleIsFoundAtItsPower(t *testing.T) {
	for _, n := range []int{2, 4, 8} {
		visible := 0.0
		const looks = 20
		for look := range uint64(looks) {
			visible += stats.Compare(strata(1e6+look, n, 5, 0, 1, 0)).Each[0].Visible(0.05, 0.8) / looks
		}
		found := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
			return stats.Compare(strata(seed, n, 5, visible, 1, 0)).Each[0].P() < 0.05
		})
		t.Logf("%d repetitions: %.3f", n, found)
		if found < 0.65 || found > 0.95 {
			t.Errorf("%d repetitions: found in %.3f of the sets, said 0.8", n, found)
		}
	}
}

func TestOneRepetitionKnowsNothing(t *testing.T) {
	c := stats.Compare([]stats.Stratum{{A: []float64{1}, B: []float64{2}}, {A: []float64{1}, B: []float64{3}}})
	if m := c.Mean(all(2)); m.Known() || m.P() != 1 || m.Value != 1.5 || c.Each[0].Known() || !math.IsInf(m.Visible(0.05, 0.8), 1) {
		t.Errorf("%+v, %+v", m, c.Each)
	}
}

func TestARungWithoutRepetitionsBorrowsTheNoise(t *testing.T) {
	means := stats.Means([][]float64{{1}, {2, 2.2}, {3, 3.1, 2.9}, {}})
	if !means[0].Known() || means[0].Error <= 0 || means[0].Freedom > 3 || means[3].Known() {
		t.Errorf("%+v", means)
	}
}

func TestVarianceHasItsFloor(t *testing.T) {
	c := stats.Compare([]stats.Stratum{{A: []float64{0, 0, 0}, B: []float64{1e-5, 1e-5, 1e-5}, Floor: 1e-8}})
	if p := c.Each[0].P(); p < 0.5 {
		t.Errorf("p = %v", p)
	}
}
