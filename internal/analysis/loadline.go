package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// bootstrapRounds is how often repetitions are drawn again for an interval.
// A thousand rounds settle a 95 % percentile interval (Efron and Tibshirani,
// "An Introduction to the Bootstrap", 1993, section 13.3).
const bootstrapRounds = 1000

// loadLineOf finds the largest count that keeps every objective.
//
// It is monotone-safe: the line never lies above the first rung that failed,
// and a rung that passes above one that failed makes it unstable. Between the
// last rung a that kept the objectives and the next rung b that did not, each
// metric is taken to grow as a power of the count (a straight line in
// logarithms): n = a * (b/a)^((ln L - ln va) / (ln vb - ln va)) for the limit
// L. The metric that reaches its limit first decides.
func loadLineOf(rungs []Rung, groups []trialGroup, objectives []study.Objective, noun string) LoadLine {
	if len(rungs) == 0 {
		return LoadLine{Text: "no trial of this variant has ended"}
	}
	if len(objectives) == 0 {
		return lineWithoutObjectives(rungs, noun)
	}
	last := lastKept(rungs)
	l := LoadLine{Unstable: keptAbove(rungs, last)}
	if last >= 0 {
		l.Rung = rungs[last].Instances
	}
	if last == len(rungs)-1 {
		l.Open = true
		l.Count = exactly(float64(l.Rung))
	} else {
		l.Next = rungs[last+1].Instances
		l.Broken = brokenFirst(rungs, last)
		l.Count = lineCount(rungs, groups, objectives, last)
	}
	l.Text = lineText(l, rungs, noun)
	return l
}

// lineWithoutObjectives reports where the throughput peaked: without a limit
// every rung that passed is kept.
func lineWithoutObjectives(rungs []Rung, noun string) LoadLine {
	best := bestRung(rungs, func(r Rung) bool { return r.Repetitions > 0 })
	if best < 0 {
		return LoadLine{Text: "every trial of this variant failed"}
	}
	n := rungs[best].Instances
	return LoadLine{
		Rung: n, Count: exactly(float64(n)), Open: true,
		Text: fmt.Sprintf("the study sets no objective; throughput is highest at %s", count(n, noun)),
	}
}

// bestRung is the index of the rung with the highest throughput, -1 for none.
func bestRung(rungs []Rung, allowed func(Rung) bool) int {
	best := -1
	for i, r := range rungs {
		if allowed(r) && (best < 0 || r.Throughput.Value > rungs[best].Throughput.Value) {
			best = i
		}
	}
	return best
}

// lastKept is the index of the last rung before the first that failed, -1
// when the smallest failed.
func lastKept(rungs []Rung) int {
	for i, r := range rungs {
		if !r.Kept {
			return i - 1
		}
	}
	return len(rungs) - 1
}

func keptAbove(rungs []Rung, last int) bool {
	for i := last + 2; i < len(rungs); i++ {
		if rungs[i].Kept {
			return true
		}
	}
	return false
}

// brokenFirst names what broke at the rung above the line: the objective
// that is crossed at the smallest count, or why the trials failed.
func brokenFirst(rungs []Rung, last int) string {
	next := rungs[last+1]
	if next.Repetitions == 0 {
		return "every trial failed"
	}
	broken, at := "", math.Inf(1)
	for i, o := range next.Objectives {
		if o.Kept {
			continue
		}
		if n := crossing(rungs, last, i); n < at || broken == "" {
			broken, at = o.Text, n
		}
	}
	if broken == "" && next.Breaks != "" {
		return next.Breaks
	}
	if broken == "" {
		return fmt.Sprintf("%d of %d trials failed", next.Failed, next.Failed+next.Repetitions)
	}
	return broken
}

// lineCount interpolates the line with its interval. The interval is a
// percentile bootstrap over the repetitions of the two rungs.
func lineCount(rungs []Rung, groups []trialGroup, objectives []study.Objective, last int) Interval {
	point := pointCount(rungs, last, nil)
	if last < 0 || !repeated(groups[last], groups[last+1]) {
		return exactly(point)
	}
	below, above := spreads(objectives, groups[last].passed), spreads(objectives, groups[last+1].passed)
	random := rand.New(rand.NewPCG(uint64(groups[last].instances), uint64(groups[last+1].instances)))
	counts := make([]float64, bootstrapRounds)
	for i := range counts {
		counts[i] = pointCount(rungs, last, func(objective int) (float64, float64) {
			return below[objective].draw(random), above[objective].draw(random)
		})
	}
	sort.Float64s(counts)
	return Interval{
		Value:      point,
		Low:        min(point, math.Floor(quantile(counts, (1-confidence)/2))),
		High:       max(point, math.Ceil(quantile(counts, (1+confidence)/2))),
		Confidence: confidence,
	}
}

func repeated(groups ...trialGroup) bool {
	for _, g := range groups {
		if len(g.passed) > 1 {
			return true
		}
	}
	return false
}

// pointCount is the whole number of instances at the line. perturb, where
// given, multiplies the metric of an objective at the rung below and above.
func pointCount(rungs []Rung, last int, perturb func(objective int) (below, above float64)) float64 {
	low := 0.0
	if last >= 0 {
		low = float64(rungs[last].Instances)
	}
	next := rungs[last+1]
	if last < 0 || next.Repetitions == 0 || next.Failed >= next.Repetitions {
		return low // nothing measured above to interpolate towards
	}
	at := math.Inf(1)
	for i, o := range next.Objectives {
		va, vb := rungs[last].Objectives[i].Value, o.Value
		if perturb != nil {
			fa, fb := perturb(i)
			va, vb = va*fa, vb*fb
		}
		if o.Unknown {
			return low
		}
		at = min(at, interpolate(low, float64(next.Instances), va, vb, o.Limit))
	}
	if math.IsInf(at, 1) {
		return low
	}
	return math.Floor(at + 1e-9)
}

// crossing is where objective i reaches its limit between the line's rungs.
func crossing(rungs []Rung, last, i int) float64 {
	if last < 0 {
		return 0
	}
	o := rungs[last+1].Objectives[i]
	return interpolate(float64(rungs[last].Instances), float64(rungs[last+1].Instances),
		rungs[last].Objectives[i].Value, o.Value, o.Limit)
}

// interpolate finds the count between a and b at which a metric that is va at
// a and vb at b reaches the limit: along a power law, or along a straight line
// where the metric is 0 at a (error shares). It is a where va is at or above
// the limit already, and infinite where vb stays within it.
func interpolate(a, b, va, vb, limit float64) float64 {
	switch {
	case vb <= limit:
		return math.Inf(1)
	case va >= limit:
		return a
	case va <= 0 || a <= 0:
		return a + (b-a)*(limit-va)/(vb-va)
	}
	return a * math.Pow(b/a, math.Log(limit/va)/math.Log(vb/va))
}

// spread holds a metric's values over the repetitions of a rung, relative to
// their median.
type spread []float64

func spreads(objectives []study.Objective, trials []*result.Trial) []spread {
	out := make([]spread, len(objectives))
	for i, o := range objectives {
		var values []float64
		for _, t := range trials {
			if v, ok := trialValue(o, t); ok {
				values = append(values, v)
			}
		}
		out[i] = relative(finiteOnly(values))
	}
	return out
}

func relative(sorted []float64) spread {
	middle := median(sorted)
	if middle == 0 {
		return nil
	}
	out := make(spread, len(sorted))
	for i, v := range sorted {
		out[i] = v / middle
	}
	return out
}

// draw gives the median of as many repetitions, drawn with replacement.
func (s spread) draw(random *rand.Rand) float64 {
	if len(s) < 2 {
		return 1
	}
	drawn := make([]float64, len(s))
	for i := range drawn {
		drawn[i] = s[random.IntN(len(s))]
	}
	sort.Float64s(drawn)
	return median(drawn)
}

// lineText says the line in words.
func lineText(l LoadLine, rungs []Rung, noun string) string {
	text := lineSentence(l, rungs, noun)
	if l.Unstable {
		text += "; a larger rung kept the objectives again, so the line is unstable: repeat these rungs"
	}
	return text
}

func lineSentence(l LoadLine, rungs []Rung, noun string) string {
	switch {
	case l.Open:
		return fmt.Sprintf("every rung up to %s kept the objectives: the load line lies at %d or above", count(l.Rung, noun), l.Rung)
	case l.Rung == 0:
		return fmt.Sprintf("%s did not keep the objectives (%s), and no smaller rung was measured", count(rungs[0].Instances, noun), l.Broken)
	}
	return fmt.Sprintf("%s kept the objectives and %d did not (%s); interpolated load line %s",
		count(l.Rung, noun), l.Next, l.Broken, countInterval(l.Count))
}
