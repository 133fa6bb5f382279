package grade

import (
	"maps"
	"math"
	"slices"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
)

// measure is what a warning bounds of a trial.
type measure func(trust.Warning) *bound.Bound

// The measures: throughput, and response time, which decides about objectives.
var (
	byRate     measure = trust.Warning.OfRate
	byResponse measure = func(w trust.Warning) *bound.Bound { return w.Bound }
)

// doubt is what one kind of doubt may have changed of a figure, and the trials that it is about.
type doubt struct {
	kind   trust.Kind
	bound  bound.Bound
	trials []string
}

// summed is the bound of a figure by all doubts about it.
func summed(doubts []doubt) bound.Bound {
	all := make([]bound.Bound, len(doubts))
	for i, d := range doubts {
		all[i] = d.bound
	}
	return bound.Sum(all...)
}

// ofRung are the doubts about a measure of a rung. The figure is the median of its trials, so it has the
// doubts about the trial in the middle, and the scatter of repetitions.
func ofRung(r *rung.Rung, passed []string, about map[string][]trust.Warning, of measure) []doubt {
	scatter := scatterOf(r.Throughput, len(passed))
	all := ofMiddle(passed, about, of, func(k trust.Kind, b bound.Bound) bool {
		return !scatter.Zero() && !b.Open && k.ByChance()
	})
	if !scatter.Zero() {
		all = append(all, doubt{trust.OneRepetition, scatter, passed})
	}
	return withShared(all, r, passed)
}

// ofMiddle are the doubts of the trial in the middle, by how far the figures of each are off for all of
// them together: one has this reason, and another one that. What is left out counts for none.
func ofMiddle(passed []string, about map[string][]trust.Warning, of measure, leftOut func(trust.Kind, bound.Bound) bool) (all []doubt) {
	if len(passed) == 0 {
		return nil
	}
	each, sums := make([]map[trust.Kind]bound.Bound, len(passed)), make([]bound.Bound, len(passed))
	trials := map[trust.Kind][]string{}
	var kinds []trust.Kind
	for i, id := range passed {
		each[i] = byKind(about[id], of, leftOut)
		sums[i] = bound.Sum(slices.Collect(maps.Values(each[i]))...)
		for _, kind := range slices.Sorted(maps.Keys(each[i])) {
			if trials[kind] == nil {
				kinds = append(kinds, kind)
			}
			trials[kind] = append(trials[kind], id)
		}
	}
	low, high := bound.Middle(sums)
	for _, kind := range kinds {
		x, y := each[low][kind], each[high][kind]
		if b := (bound.Bound{TooLow: x.TooLow, TooHigh: y.TooHigh, Open: x.Open || y.Open, Random: x.Random || y.Random}); !b.Zero() {
			all = append(all, doubt{kind, b, trials[kind]})
		}
	}
	return all
}

// byKind adds up the bounds of a trial's warnings, kind by kind.
func byKind(warnings []trust.Warning, of measure, leftOut func(trust.Kind, bound.Bound) bool) map[trust.Kind]bound.Bound {
	all := map[trust.Kind]bound.Bound{}
	for _, w := range warnings {
		if b := of(w); b != nil && !leftOut(w.Kind, *b) {
			sum := bound.Sum(all[w.Kind], *b)
			sum.Random = b.Random
			all[w.Kind] = sum
		}
	}
	return all
}

// ratioNoise is trust.RateNoise of the ratio of two throughputs.
var ratioNoise = stats.Prior{Noise: math.Sqrt2 * trust.RateNoise.Noise, Freedom: trust.RateNoise.Freedom}

// scatterOf is what n repetitions leave open of the mean of many. Those that change have no steady mean: it may
// be as far off as they differ, and as a single one.
func scatterOf(i stats.Interval, n int) bound.Bound {
	switch {
	case i.Value <= 0 || n < 2:
		return bound.Bound{}
	case i.Changing || !i.Estimate.Known():
		off := math.Hypot(trust.NotRepeated/math.Sqrt(float64(n)), stats.Ratio(i.High-i.Low, i.Value))
		return bound.RandomBy(off, off)
	}
	return within(trust.RateNoise.Of(i.Estimate, n), i.Value)
}

// within is the interval of a mean as a bound of a figure, which is a median and may differ from it.
func within(e stats.Estimate, figure float64) bound.Bound {
	low, high := e.Interval(bound.Confidence)
	return bound.RandomBy(math.Exp(high)/figure-1, 1-math.Exp(low)/figure)
}

// withShared adds what others used of disks and networks. Where one was busy for a share of b, s of it with
// others' work, the rung's work waited for it in b of the time.
func withShared(all []doubt, r *rung.Rung, passed []string) []doubt {
	most := bound.Bound{}
	for _, one := range r.Resources {
		if shared := one.Kind == resource.Device || one.Kind == resource.Network; shared && one.Strangers > 0 {
			if b := bound.TooLowBy(stats.Ratio(one.Strangers, 1-one.Strangers)); b.Size() > most.Size() {
				most = b
			}
		}
	}
	if most.Zero() {
		return all
	}
	return append(all, doubt{trust.Strangers, most, passed})
}

// ofLine are the doubts about a load line. Its figure can be too low by what lowered the rung above it,
// which broke an objective, and too high by what raised its own rung. What a line leaves open is no
// doubt: it is not said.
func ofLine(l loadline.LoadLine, rungs []rung.Rung, passed func(*rung.Rung) []string, about map[string][]trust.Warning) []doubt {
	var all []doubt
	add := func(d doubt) {
		at := slices.IndexFunc(all, func(have doubt) bool { return have.kind == d.kind })
		if at < 0 {
			all = append(all, d)
			return
		}
		have := &all[at]
		have.bound.TooLow, have.bound.TooHigh = max(have.bound.TooLow, d.bound.TooLow), max(have.bound.TooHigh, d.bound.TooHigh)
		have.bound.Open = have.bound.Open || d.bound.Open
		have.trials = append(have.trials, d.trials...)
	}
	for _, at := range []struct {
		r         *rung.Rung
		low, high bool
	}{{rung.Find(rungs, l.Rung), false, true}, {rung.Find(rungs, l.Next), true, false}} {
		if at.r == nil || at.r.Break.Failed != nil {
			continue
		}
		for _, d := range ofRung(at.r, passed(at.r), about, byResponse) {
			if d.kind == trust.OneRepetition && d.bound.Random && l.Likely.Confidence > 0 {
				continue // the line has an interval of its own
			}
			if !at.low {
				d.bound.TooLow = 0
			}
			if !at.high {
				d.bound.TooHigh = 0
			}
			if !d.bound.Zero() {
				add(d)
			}
		}
	}
	if b := scatterOfLine(l, rungs); !b.Zero() {
		add(doubt{kind: trust.OneRepetition, bound: b})
	}
	return all
}

// scatterOfLine is by how much the repetitions leave open where the line is: nothing where they show that its
// rung keeps the objectives and that the next one does not.
func scatterOfLine(l loadline.LoadLine, rungs []rung.Rung) bound.Bound {
	if l.Likely.Confidence == 0 {
		return bound.Bound{}
	}
	below, above := 0.0, 0.0
	if l.Rung > 0 && l.Likely.Low < float64(l.Carried()) {
		below = min(1-l.Likely.Low/float64(l.Carried()), scatterOfLimited(l, rungs, l.Rung))
	}
	if !l.Open && l.Likely.High >= float64(l.Next) {
		_, most := said(l)
		above = min(max(most, highest(l, rungs))/most-1, scatterOfLimited(l, rungs, l.Next))
	}
	return bound.RandomBy(above, below)
}

// highest is how many instances a line may be at by its repetitions: a step beyond all that were tried where they
// do not show that any rung breaks an objective.
func highest(l loadline.LoadLine, rungs []rung.Rung) float64 {
	if math.IsInf(l.Likely.High, 1) {
		return 2 * float64(rungs[len(rungs)-1].Instances)
	}
	return l.Likely.High
}

// said are the counts between which an answer puts a line.
func said(l loadline.LoadLine) (from, to float64) {
	from = float64(l.Carried())
	switch {
	case l.Rung == 0: // fewer than that
		return from, float64(l.Next)
	case l.Open:
		return from, from
	}
	return from, float64(l.Next - 1)
}

// scatterOfLimited is the scatter of the response time that decides at a rung, as one of the line: over how
// fast it grows with the count between the line's rungs, as a power of it (the delta method). It is infinite
// where something else decides.
func scatterOfLimited(l loadline.LoadLine, rungs []rung.Rung, instances int) float64 {
	below, above, at := rung.Find(rungs, l.Rung), rung.Find(rungs, l.Next), rung.Find(rungs, instances)
	if l.Why != loadline.ObjectiveMissed || below == nil || above == nil || l.Missed >= len(above.Objectives) || l.Missed >= len(below.Objectives) {
		return math.Inf(1)
	}
	from, to := below.Objectives[l.Missed], above.Objectives[l.Missed]
	i := at.P95
	if from.Metric == "mean" {
		i = at.Mean
	}
	grows := math.Log(to.Value/from.Value) / math.Log(float64(above.Worked())/float64(below.Worked()))
	if from.IsShare() || from.Operation != "" || !i.Estimate.Known() || !(grows > 0) || math.IsInf(grows, 1) {
		return math.Inf(1)
	}
	low, high := loadline.ResponseNoise.Of(i.Estimate, at.Repetitions).Interval(bound.Confidence)
	return math.Exp((high-low)/2/grows) - 1
}
