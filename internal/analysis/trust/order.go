package trust

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// What makes an order of repetitions a trend: fewer than one in 100 variants have one by
// chance; and figures that change from the first to the last repetition by as much, so that noise
// that all trials of a round share is none.
const (
	orderChance     = 0.01
	orderThroughput = 0.1
	orderResponse   = 0.2
)

// ordered finds variants whose repetitions change in the order in which they were measured, at
// all rungs in one direction: caches that warm from trial to trial, wear, a machine that slows
// down. Their mean is that of no steady state. It gives the warning to each of their trials.
func (e *Evidence) ordered() map[string][]Warning {
	variants := map[string][][]*result.Trial{}
	for _, g := range e.repetitions() {
		if len(g) > 1 && g[0].Position > 0 {
			slices.SortFunc(g, func(a, b *result.Trial) int { return cmp.Compare(a.Position, b.Position) })
			variants[g[0].Variant.Name] = append(variants[g[0].Variant.Name], g)
		}
	}
	out := map[string][]Warning{}
	for _, rungs := range variants {
		for _, g := range rungs {
			for _, t := range g {
				if w := orderText(rungs, orderChance/float64(len(variants))); w != nil {
					w[0].Trial = t.ID
					out[t.ID] = w
				}
			}
		}
	}
	return out
}

// orderText says what the figures of repetitions do in their order; nil where that is chance.
func orderText(rungs [][]*result.Trial, chance float64) []Warning {
	work, workTrend := orderOf(rungs, trial.Throughput)
	response, responseTrend := orderOf(rungs, trial.Mean)
	workTrend = workTrend && orderChanceOf(rungs, trial.Throughput) <= chance/2 && math.Abs(work) >= orderThroughput
	responseTrend = responseTrend && orderChanceOf(rungs, trial.Mean) <= chance/2 && math.Abs(response) >= orderResponse
	if !workTrend && !responseTrend {
		return nil
	}
	severity := Caution
	if workTrend && math.Abs(work) >= 3*orderThroughput || responseTrend && math.Abs(math.Log1p(response)) >= math.Ln2 {
		severity = Serious
	}
	where := countOf(len(rungs), "rung", "rungs")
	change := func(by float64) (string, words.Amount) {
		if by < 0 {
			return "fell", words.Amount{Value: -by, Text: words.Growth(by)}
		}
		return "rose", words.Amount{Value: by, Text: words.Growth(by)}
	}
	workWay, workBy := change(work)
	responseWay, responseBy := change(response)
	return warn("order", severity, "from the first repetition to the last throughput %s by %s and mean response time %s by %s, in the order in which they were measured (%s): the repetitions are not of one steady state, as where caches warm up from trial to trial or a machine slows down",
		workWay, workBy, responseWay, responseBy, where)
}

// orderOf is the mean relative change of a figure from the first repetition to the last, over the
// rungs (geometric); known is false where a trial does not have it.
func orderOf(rungs [][]*result.Trial, figure func(*result.Trial) float64) (change float64, known bool) {
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

// mostOrdered bounds how many repetitions of a rung are compared: more are as sure.
const mostOrdered = 30

// orderChanceOf is how likely repetitions without any trend are as much in order, either way: the
// seasonal test of Kendall (Hirsch, Slack and Smith, "Techniques of Trend Analysis for Monthly
// Water Quality Data", Water Resources Research 18, 1982), with rungs for seasons and its exact
// distribution, which is that of inversions of permutations (Kendall, "A New Measure of Rank
// Correlation", Biometrika 30, 1938).
func orderChanceOf(rungs [][]*result.Trial, figure func(*result.Trial) float64) float64 {
	rises, pairs, likely := 0, 0, []float64{1}
	for _, g := range rungs {
		values := trial.Collect(g[:min(len(g), mostOrdered)], figure)
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
