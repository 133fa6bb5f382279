package grade

import (
	"cmp"
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

// byChance are the kinds that the interval of repetitions includes.
var byChance = []trust.Kind{trust.OneRepetition, trust.FewUnits}

// ofRung are the doubts about the throughput of a rung. The figure is the median of its trials, so it has the
// doubts about the trial in the middle, and the scatter of repetitions.
func ofRung(r *rung.Rung, passed []string, about map[string][]trust.Warning) []doubt {
	scatter, repeated := scatterOf(r.Throughput)
	if !repeated && len(passed) > 1 {
		scatter = scatterOfFew(r.Throughput, len(passed))
	}
	all := ofMiddle(passed, about, func(k trust.Kind) bool { return repeated && slices.Contains(byChance, k) })
	if !scatter.Zero() {
		all = append(all, doubt{trust.OneRepetition, scatter, passed})
	}
	return withShared(all, r, passed)
}

// ofMiddle are the doubts of the trial in the middle, by how far the figures of each are off for all of
// them together: one has this reason, and another one that. What is left out counts for none.
func ofMiddle(passed []string, about map[string][]trust.Warning, leftOut func(trust.Kind) bool) (all []doubt) {
	if len(passed) == 0 {
		return nil
	}
	each, sums := make([]map[trust.Kind]bound.Bound, len(passed)), make([]bound.Bound, len(passed))
	trials := map[trust.Kind][]string{}
	var kinds []trust.Kind
	for i, id := range passed {
		each[i] = byKind(about[id], leftOut)
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
func byKind(warnings []trust.Warning, leftOut func(trust.Kind) bool) map[trust.Kind]bound.Bound {
	all := map[trust.Kind]bound.Bound{}
	for _, w := range warnings {
		if w.Bound != nil && !leftOut(w.Kind) {
			sum := bound.Sum(all[w.Kind], *w.Bound)
			sum.Random = w.Bound.Random
			all[w.Kind] = sum
		}
	}
	return all
}

// nineInTen narrows an interval of 95 % to one that holds the true figure nine times in ten, as bounds do:
// 1.645/1.960 for a normal distribution, and less for a Student's.
const nineInTen = 0.84

// scatterOf is what the interval of a figure allows, if it has one.
func scatterOf(i stats.Interval) (b bound.Bound, known bool) {
	switch {
	case i.Confidence == 0 || i.Value <= 0 || i.Low <= 0:
		return b, false
	case i.Wide:
		return bound.RandomBy(stats.Widest-1, 1-1.0/stats.Widest), true
	}
	return bound.RandomBy(math.Pow(i.High/i.Value, nineInTen)-1, 1-math.Pow(i.Low/i.Value, nineInTen)), true
}

// scatterOfFew is what repetitions without an interval allow, which are two or differ too much: what a single
// one may be off, which the mean of n is by 1/sqrt(n) of, and by how much they differ.
func scatterOfFew(i stats.Interval, n int) bound.Bound {
	off := math.Hypot(trust.NotRepeated/math.Sqrt(float64(n)), stats.Ratio(i.High-i.Low, i.Value))
	return bound.RandomBy(off, off)
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
		for _, d := range ofRung(at.r, passed(at.r), about) {
			if d.kind == trust.OneRepetition && d.bound.Random && l.Count.Confidence > 0 {
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
	if l.Count.Confidence == 0 {
		return bound.Bound{}
	}
	below, above := 0.0, 0.0
	if !l.SureBelow() && l.Rung > 0 {
		below = min(leeway(l, rungs, false), scatterOfLimited(l, rungs, l.Rung))
	}
	if !l.SureAbove() {
		above = min(leeway(l, rungs, true), scatterOfLimited(l, rungs, l.Next))
	}
	return bound.RandomBy(above, below)
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
	if from.IsShare() || from.Operation != "" || i.Confidence == 0 || i.Wide || i.Low <= 0 || !(grows > 0) || math.IsInf(grows, 1) {
		return math.Inf(1)
	}
	return math.Exp(nineInTen*math.Log(i.High/i.Low)/2/grows) - 1
}

// leeway is a whole step of the ladder towards more instances or fewer, or what the line's interval allows if
// that is more, as a share of the line.
func leeway(l loadline.LoadLine, rungs []rung.Rung, more bool) float64 {
	carried := float64(max(1, l.Carried()))
	step := 1.0 // all of them
	if i := slices.IndexFunc(rungs, func(r rung.Rung) bool { return r.Instances == l.Rung }); more {
		step = float64(cmp.Or(l.Next, 2*l.Carried()))/carried - 1
	} else if i > 0 {
		step = 1 - float64(rungs[i-1].Worked())/carried
	}
	bound := l.Count.Low
	if more {
		bound = l.Count.High
	}
	if measured := bound/carried - 1; stats.IsFinite(measured) {
		return max(step, measured, -measured)
	}
	return step
}
