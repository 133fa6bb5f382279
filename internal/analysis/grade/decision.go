package grade

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/study"
)

// decision is a figure that the answer rests on, with the doubts about it.
type decision struct {
	variant  string
	rungs    []int // that it was measured at, or between
	figure   float64
	from, to float64 // that the answer says, of a line; 0 where it says the figure
	unit     string
	doubts   []doubt
	turned   bool // the doubts allow the opposite of the answer
}

func (d decision) bound() bound.Bound { return summed(d.doubts) }

// grade is the letter of the bound; no better than turnable where the answer could be the opposite.
func (d decision) grade() string {
	if d.turned {
		return max(d.bound().Grade(), turnable)
	}
	return d.bound().Grade()
}

// decider finds the decisions of an analysis.
type decider struct {
	a     *model.Analysis
	about map[string][]trust.Warning
}

func (d decider) passed(r *rung.Rung) []string { return passedTrials(d.a.Trials, r) }

// all are the decisions behind the answer.
func (d decider) all() (all []decision) {
	if !d.a.Reply.ByThroughput() {
		return d.ofLines()
	}
	for _, g := range d.a.Reply.Groups {
		if d.a.Reply.Kind == study.Effect {
			all = append(all, d.ofEffect(g)...)
			continue
		}
		all = append(all, d.ofCells(g)...)
	}
	if len(all) == 0 { // the answer is that nothing can be said
		return d.ofLines()
	}
	return all
}

// ofLines are the load lines, or the highest throughput where the study sets no objective.
func (d decider) ofLines() (all []decision) {
	for i := range d.a.Variants {
		v := &d.a.Variants[i]
		l := v.LoadLine
		switch at := rung.Find(v.Rungs, l.Rung); {
		case l.Unmeasured:
			continue
		case l.Why == loadline.NoObjective && at != nil:
			all = append(all, d.ofFigure(v, at, at.Throughput.Value, v.Work.Unit.Throughput))
		default:
			all = append(all, d.ofLine(v))
		}
	}
	return withOrder(all, func(best, other decision) bool {
		x, y := d.a.Variant(best.variant), d.a.Variant(other.variant)
		return x.LoadLine.Against(y.LoadLine) == loadline.CarriesMore && best.unit == other.unit
	})
}

// ofFigure is the throughput of a rung, or a share of it. Where a list was worked off and the study asks
// how long that takes, it is the time of all items: too high by what lowered the throughput.
func (d decider) ofFigure(v *model.Variant, r *rung.Rung, figure float64, unit string) decision {
	one := decision{variant: v.Name, rungs: []int{r.Instances}, figure: figure, unit: unit, doubts: ofRung(r, d.passed(r), d.about, byRate)}
	if len(d.a.Lists) == 0 || !slices.Contains(d.a.Study.Parts, study.HowLong) {
		return one
	}
	for _, c := range d.a.Lists[0].Columns {
		if c.Variant == v.Name && c.Total.Value > 0 {
			one.figure, one.unit, one.doubts = c.Total.Value, seconds, quotient(nil, one.doubts)
		}
	}
	return one
}

// inUnit is the figure of a cell in the unit of the reply: shares in per cent; a metric, which is a time, in
// seconds, too high by what lowered the throughput.
func (d decider) inUnit(c model.ReplyCell, one decision) decision {
	switch {
	case d.a.Reply.Metric != "":
		one.unit, one.doubts = seconds, quotient(nil, one.doubts)
	case d.a.Reply.Kind == study.OfRating && !c.Unrated:
		one.figure, one.unit = 100*one.figure, "%"
	}
	return one
}

// seconds is the unit of times.
const seconds = "s"

// ofLine is the load line of a variant.
func (d decider) ofLine(v *model.Variant) decision {
	l, one := v.LoadLine, decision{variant: v.Name, rungs: besides(v.LoadLine), figure: v.LoadLine.Count.Value, unit: d.a.Study.Noun}
	if one.doubts = ofLine(l, v.Rungs, d.passed, d.about); l.Rung == 0 {
		one.figure = float64(l.Next)
	}
	one.from, one.to = said(l)
	return one
}

// besides are the rungs on both sides of a line.
func besides(l loadline.LoadLine) (rungs []int) {
	for _, n := range []int{l.Rung, l.Next} {
		if n > 0 {
			rungs = append(rungs, n)
		}
	}
	return rungs
}

// ofCells are the figures of a group, rung by variant.
func (d decider) ofCells(g model.ReplyGroup) (all []decision) {
	for _, c := range g.Cells {
		v := d.a.Variant(c.Variant)
		if v == nil {
			continue
		}
		if r := rung.Find(v.Rungs, c.Rung); r != nil {
			all = append(all, d.inUnit(c, d.ofFigure(v, r, c.Value.Value, c.Unit)))
		}
	}
	if d.a.Reply.Kind != study.Comparison || g.Best == "" {
		return all
	}
	at := slices.IndexFunc(g.Cells, func(c model.ReplyCell) bool { return c.Level == g.Best })
	return withOrder(all, func(best, _ decision) bool { return at >= 0 && best.variant == g.Cells[at].Variant })
}

// withOrder marks pairs that the answer puts in an order which the doubts could turn.
func withOrder(all []decision, said func(best, other decision) bool) []decision {
	for i := range all {
		for j := range all {
			if i == j || all[j].figure >= all[i].figure || !said(all[i], all[j]) {
				continue
			}
			if all[i].figure*(1-all[i].bound().TooHigh) <= all[j].figure*(1+all[j].bound().TooLow) {
				all[i].turned, all[j].turned = true, true
			}
		}
	}
	return all
}

// ofEffect are the ratios of each further level to the first: too low by what lowered the one or raised the
// other. Where some are shown to differ, the answer is about these.
func (d decider) ofEffect(g model.ReplyGroup) (all []decision) {
	doubtsAt := func(c model.ReplyCell, n int) []doubt {
		v := d.a.Variant(c.Variant)
		if v == nil {
			return nil
		}
		r := rung.Find(v.Rungs, n)
		if r == nil {
			return nil
		}
		return ofRung(r, d.passed(r), d.about, byRate)
	}
	shown := slices.ContainsFunc(d.a.Reply.Groups, func(g model.ReplyGroup) bool {
		return slices.ContainsFunc(g.Steps, func(s model.ReplyStep) bool { return s.Shown })
	})
	for _, s := range g.Steps {
		if shown && !s.Shown {
			continue
		}
		i := slices.IndexFunc(g.Cells, func(c model.ReplyCell) bool { return c.Level == s.Level })
		if i < 1 {
			continue
		}
		doubts := quotient(doubtsAt(g.Cells[i], s.Rung), doubtsAt(g.Cells[0], s.Rung))
		if e := s.Throughput.Estimate; e.Known() {
			doubts = append(withoutScatter(doubts), doubt{kind: trust.OneRepetition, bound: within(ratioNoise.Of(e, 1), s.Throughput.Value)})
		}
		one := decision{variant: g.Cells[i].Variant, rungs: []int{s.Rung}, figure: s.Throughput.Value, doubts: doubts}
		b := one.bound()
		low, high := one.figure*(1-b.TooHigh), one.figure*(1+b.TooLow)
		one.turned = s.Shown && low <= 1 && high >= 1
		all = append(all, one)
	}
	return all
}

func withoutScatter(doubts []doubt) []doubt {
	return slices.DeleteFunc(doubts, func(d doubt) bool { return d.kind.ByChance() })
}

// quotient are the doubts about a figure over another one.
func quotient(a, b []doubt) []doubt {
	all := slices.Clone(a)
	for _, d := range b {
		low, high := 0.0, 1.0
		if d.bound.TooHigh < 1 {
			low = d.bound.TooHigh / (1 - d.bound.TooHigh)
		} else {
			d.bound.Open = true
		}
		if !math.IsInf(d.bound.TooLow, 1) {
			high = d.bound.TooLow / (1 + d.bound.TooLow)
		}
		d.bound.TooLow, d.bound.TooHigh = low, high
		i := slices.IndexFunc(all, func(have doubt) bool { return have.kind == d.kind })
		if i < 0 {
			all = append(all, d)
			continue
		}
		random := all[i].bound.Random && d.bound.Random
		all[i].bound = bound.Sum(all[i].bound, d.bound)
		all[i].bound.Random = random
		all[i].trials = slices.Concat(all[i].trials, d.trials)
	}
	return all
}

// between is the range that a bound gives the true figure.
func (d decision) between(b bound.Bound) (low, high float64) {
	from, to := d.from, d.to
	if from == 0 && to == 0 {
		from, to = d.figure, d.figure
	}
	return from * (1 - b.TooHigh), stats.Finite(to * (1 + b.TooLow))
}
