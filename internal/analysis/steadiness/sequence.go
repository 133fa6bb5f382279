// This file tells whether repetitions change one after the other as they were measured.

package steadiness

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// What makes a trend: fewer than one in 100 runs have one by chance; and figures that change from
// the first to the last repetition by as much, so that noise that all trials of a round share is
// none.
const (
	mostChance           = 0.01
	leastThroughput      = 0.1
	leastTrendOfResponse = 0.2
)

// Trend is a common change of a variant's repetitions at all rungs: caches that warm from
// trial to trial, wear, a machine that slows down. Their mean describes no steady state.
type Trend struct {
	// Throughput and Response, the mean response time, are relative changes from the first
	// repetition to the last.
	Throughput, Response float64
	Works, Responds      bool // which of both change by more than chance
	Rungs                int  // that have it
	Large                bool // 30 % of throughput, or twice or half the response time
}

// TrendsOf finds trends among the repetitions of each variant and rung, by trial.
func TrendsOf(repetitions map[string][]*result.Trial) map[string]Trend {
	variants := map[string][][]*result.Trial{}
	for _, g := range repetitions {
		if len(g) > 1 && g[0].Position > 0 {
			slices.SortFunc(g, func(a, b *result.Trial) int { return cmp.Compare(a.Position, b.Position) })
			variants[g[0].Variant.Name] = append(variants[g[0].Variant.Name], g)
		}
	}
	out := map[string]Trend{}
	for _, rungs := range variants {
		trend, ok := trendOf(rungs, mostChance/float64(len(variants)))
		for _, g := range rungs {
			for _, t := range g {
				if ok {
					out[t.ID] = trend
				}
			}
		}
	}
	return out
}

// trendOf is not ok where what repetitions do is chance.
func trendOf(rungs [][]*result.Trial, chance float64) (trend Trend, ok bool) {
	work, known := changeOf(rungs, trial.Throughput)
	works := known && math.Abs(work) >= leastThroughput && chanceOf(rungs, trial.Throughput) <= chance/2
	response, known := changeOf(rungs, trial.Mean)
	responds := known && math.Abs(response) >= leastTrendOfResponse && chanceOf(rungs, trial.Mean) <= chance/2
	large := works && math.Abs(work) >= 3*leastThroughput || responds && math.Abs(math.Log1p(response)) >= math.Ln2
	return Trend{Throughput: work, Response: response, Works: works, Responds: responds, Rungs: len(rungs), Large: large}, works || responds
}

// changeOf is the mean relative change of a figure from the first repetition to the last, over the
// rungs (geometric); known is false where a trial does not have it.
func changeOf(rungs [][]*result.Trial, figure func(*result.Trial) float64) (change float64, known bool) {
	sum := 0.0
	for _, g := range rungs {
		values := trial.Collect(g, figure)
		for _, v := range values {
			if !(v > 0) || !stats.IsFinite(v) {
				return 0, false
			}
		}
		sum += math.Log(values[len(values)-1] / values[0])
	}
	return math.Expm1(sum / float64(len(rungs))), true
}

// mostCompared bounds how many repetitions of a rung are compared: more are as sure.
const mostCompared = 30

// chanceOf is the probability that repetitions without a trend change as much in one
// direction, by the seasonal test of Kendall (Hirsch, Slack and Smith, "Techniques of Trend
// Analysis for Monthly Water Quality Data", Water Resources Research 18, 1982), with rungs
// for seasons and its exact distribution, the distribution of inversions of permutations
// (Kendall, "A New Measure of Rank Correlation", Biometrika 30, 1938).
func chanceOf(rungs [][]*result.Trial, figure func(*result.Trial) float64) float64 {
	rises, pairs, likely := 0, 0, []float64{1}
	for _, g := range rungs {
		values := trial.Collect(g[:min(len(g), mostCompared)], figure)
		for i, v := range values {
			for _, before := range values[:i] {
				pairs++
				if v > before {
					rises++
				}
			}
			likely = spreadOver(likely, i+1)
		}
	}
	tail := 0.0
	for n := max(rises, pairs-rises); n < len(likely); n++ {
		tail += likely[n]
	}
	return min(1, 2*tail)
}

// spreadOver is the distribution of a sum with one more that takes 0 to n-1 equally likely.
func spreadOver(likely []float64, n int) []float64 {
	out := make([]float64, len(likely)+n-1)
	for i, p := range likely {
		for k := range n {
			out[i+k] += p / float64(n)
		}
	}
	return out
}
