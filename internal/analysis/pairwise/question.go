// This file computes the answer to the question of a study in numbers: which level of a
// factor wins, the effect of another level, the share of a rating that is reached, how
// throughput grows, losses. Package answer writes the sentences.

package pairwise

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Matters is the change of throughput that is of account.
const Matters = 0.05

// ReplyOf answers a question. Of capacity, whose answer is the load lines, it is what differs
// where variants carry as much. It is nil where nothing that was measured answers. The
// variants are ranked before.
func ReplyOf(e *trust.Evidence, a *model.Analysis) *model.Reply {
	asks, trials := e.Study.Asks(), e.Run.Trials
	f := figures{e, asks, a, commonItems(a)}
	r := &model.Reply{Kind: asks.Kind, Factor: asks.Factor, Per: f.per()}
	if f.asks.Per == study.PerPrice && f.a.Prices != nil {
		r.Currency = f.a.Prices.Currency
	}
	if !asks.ByThroughput() {
		r.Metric = asks.Metric
	}
	switch asks.Kind {
	case study.Capacity:
		r.Groups = atLines(a)
	case study.Comparison:
		r.Groups = f.comparisons()
	case study.Effect:
		r.Groups = f.effects()
		f.along(r)
	case study.OfRating:
		r.Groups = fractions(a)
	case study.Scaling:
		r.Groups = together(a, growth)
	case study.Survival:
		r.Groups = together(a, func(_ *model.Analysis, v *model.Variant) (model.ReplyCell, bool) { return survived(v, trials) })
	}
	if len(r.Groups) == 0 {
		return nil
	}
	return r
}

// together is one group with a cell for each variant.
func together(a *model.Analysis, cell func(*model.Analysis, *model.Variant) (model.ReplyCell, bool)) []model.ReplyGroup {
	var g model.ReplyGroup
	for i := range a.Variants {
		if c, ok := cell(a, &a.Variants[i]); ok {
			g.Cells = append(g.Cells, c)
		}
	}
	if len(g.Cells) == 0 {
		return nil
	}
	return []model.ReplyGroup{g}
}

// byLevel calls do for each set of variants that differ in the factor alone, in the order
// of the levels.
func byLevel(a *model.Analysis, path string, do func(shared string, levels []*model.Variant)) {
	var order []string
	groups := map[string][]*model.Variant{}
	for _, level := range levelsOf(a, path) {
		for i := range a.Variants {
			v := &a.Variants[i]
			if v.Factors[path] != level.Level {
				continue
			}
			shared := LabelWithout(a, v, path)
			if groups[shared] == nil {
				order = append(order, shared)
			}
			groups[shared] = append(groups[shared], v)
		}
	}
	for _, shared := range order {
		do(shared, groups[shared])
	}
}

func levelsOf(a *model.Analysis, path string) []model.Level {
	for _, f := range a.Factors {
		if f.Path == path {
			return f.Levels
		}
	}
	return nil
}

func labelOf(levels []model.Level, level string) string {
	for _, l := range levels {
		if l.Level == level {
			return l.Label
		}
	}
	return level
}

func (f figures) comparisons() (all []model.ReplyGroup) {
	byLevel(f.a, f.asks.Factor, func(shared string, variants []*model.Variant) {
		keeping, broken := f.keeping(variants)
		g := model.ReplyGroup{Shared: shared, Broken: broken}
		for _, v := range keeping {
			if n := f.readAt(v, keeping); n > 0 {
				g.Cells = append(g.Cells, f.cell(v, n))
			}
		}
		if len(g.Cells) == 0 || len(g.Cells) == 1 && len(keeping) == len(variants) {
			return
		}
		if broken {
			all = append(all, g)
			return
		}
		g.Best = winner(g.Cells, f.asks.ByThroughput(), func(c model.ReplyCell) stats.Interval { return c.Value })
		if f.asks.Per != "" {
			g.BestPer = winner(g.Cells, true, func(c model.ReplyCell) stats.Interval { return c.Per })
		}
		all = append(all, g)
	})
	return all
}

// keeping are the variants that keep the objectives at some rung; all where none does.
func (f figures) keeping(variants []*model.Variant) (keeping []*model.Variant, broken bool) {
	for _, v := range variants {
		if !nowhere(f.a, v) {
			keeping = append(keeping, v)
		}
	}
	if len(keeping) == 0 {
		return variants, true
	}
	return keeping, false
}

// divisor is how many of a unit a variant uses at a rung; 0 where that is not known.
func divisor(v *model.Variant, r *rung.Rung, per string) float64 {
	switch {
	case r == nil:
	case per == study.PerDrive && v.Best != nil:
		return v.Best.Drives
	case per == study.PerCore:
		return resource.CoresUsed(r.Resources)
	case per == study.PerInstance:
		return float64(r.Worked())
	case per == study.PerPrice && v.Best != nil && v.Best.PerMoney > 0:
		return v.Best.Throughput.Value / v.Best.PerMoney
	}
	return 0
}

func over(i stats.Interval, by float64) stats.Interval {
	if by <= 0 {
		return stats.Interval{}
	}
	i.Value, i.Low, i.High = i.Value/by, i.Low/by, i.High/by
	return i
}

// winner is the level whose figure is clearly more than each other, or less where less is
// better; empty for none, and where one is not known.
func winner(cells []model.ReplyCell, more bool, of func(model.ReplyCell) stats.Interval) string {
	for i, c := range cells {
		wins := of(c).Value > 0
		for j, other := range cells {
			high, low := of(c), of(other)
			if !more {
				high, low = low, high
			}
			wins = wins && (i == j || of(other).Value > 0 && stats.ClearlyMore(high, low) && wellApart(high, low))
		}
		if wins {
			return c.Level
		}
	}
	return ""
}

// wellApart says of two ranges that they are further apart than either is wide: of two trials
// each, ranges that do not meet are too often chance. Intervals have that in them.
func wellApart(a, b stats.Interval) bool {
	if !a.Extremes || !b.Extremes {
		return true
	}
	return a.Low-b.High >= max(a.High-a.Low, b.High-b.Low)
}

// effects hold each further level of a factor against the first.
func (f figures) effects() (all []model.ReplyGroup) {
	byLevel(f.a, f.asks.Factor, func(shared string, variants []*model.Variant) {
		variants = slices.DeleteFunc(variants, func(v *model.Variant) bool { return v.Best == nil })
		if len(variants) < 2 {
			return
		}
		g := model.ReplyGroup{Shared: shared, Levels: LevelsWithout(f.a, variants[0], f.asks.Factor)}
		for _, v := range variants {
			g.Cells = append(g.Cells, f.cell(v, v.Best.Rung))
		}
		for i, v := range variants[1:] {
			g.Steps = append(g.Steps, f.steps(variants[0], v, g.Cells[i+1].Level, len(variants)-1)...)
		}
		if len(g.Steps) > 0 {
			all = append(all, g)
		}
	})
	return all
}

// along adds what answers at each rung to the cells of a reply.
func (f figures) along(r *model.Reply) {
	for _, g := range r.Groups {
		for i := range g.Cells {
			c := &g.Cells[i]
			c.Along = f.rungByRung(r, c.Variant)
		}
	}
}

// steps compares two variants at the rungs that both measured. They share the confidence
// level with the other pairs of the group.
func (f figures) steps(from, to *model.Variant, level string, pairs int) (all []model.ReplyStep) {
	c := ContrastBy(f.a, from, to, f.logarithms)
	c.Family = len(c.Rungs) * pairs
	for _, n := range c.Rungs {
		s := stepAt(c, from, to, n)
		s.Level, s.P99Shown = level, s.P99From > 0 && s.P99To > 0 && f.tailShown(from, to, n, pairs)
		before, after := rung.Find(from.Rungs, n), rung.Find(to.Rungs, n)
		if x, y := divisor(from, before, f.asks.Per), divisor(to, after, f.asks.Per); x > 0 && y > 0 {
			s.PerRatio = stats.Ratio(after.Throughput.Value/y, before.Throughput.Value/x)
		}
		all = append(all, s)
	}
	return all
}

// stepAt is what differs at one of the rungs of a contrast.
func stepAt(c Contrast, from, to *model.Variant, n int) model.ReplyStep {
	change := c.At(n)
	known := c.Published || change.Confidence > 0
	p99 := func(v *model.Variant) float64 {
		if v.Work.Fixed { // whose users end one after the other, so that its times are of many loads
			return 0
		}
		return rung.Find(v.Rungs, n).Percentile["p99"]
	}
	return model.ReplyStep{
		Level: to.Label, Rung: n, Throughput: change.Factor(), P99From: p99(from), P99To: p99(to),
		Shown: known && (change.Low > 0 && change.Value >= Matters || change.High < 0 && change.Value <= -Matters),
		Alike: known && change.Low > -2*Matters && change.High < 2*Matters,
	}
}

// most is up to how many variants a question of capacity holds two against each other: those
// that its answer tells one by one.
const most = 3

// near is from how many times a rung on the lower of two lines is too far above it for the
// rung to say something of them.
const near = 2

// atLines holds the variant that carries most against the next, at the largest rung at which
// both keep the objectives. Far below the line of the one that carries fewer, a rung says
// nothing of either line, and there is none.
func atLines(a *model.Analysis) []model.ReplyGroup {
	carrying := slices.DeleteFunc(ranked(a), func(v *model.Variant) bool { return v.LoadLine.Rung == 0 && rung.Best(v.Rungs, meetsObjectives) < 0 })
	if len(a.Study.Objectives) == 0 || len(a.Variants) > most || len(carrying) < 2 {
		return nil
	}
	from, to := carrying[1], carrying[0]
	c, n := ContrastOf(a, from, to), 0
	for _, at := range c.Rungs {
		if meetsObjectives(*rung.Find(from.Rungs, at)) && meetsObjectives(*rung.Find(to.Rungs, at)) {
			n = max(n, at)
		}
	}
	if lower := min(from.LoadLine.Rung, to.LoadLine.Rung); n == 0 || n != lower && near*n <= lower {
		return nil
	}
	s := stepAt(c, from, to, n)
	before, after := rung.Find(from.Rungs, n), rung.Find(to.Rungs, n)
	limitsTime := func(o rung.ObjectiveResult) bool { return !study.Objective{Metric: o.Metric}.IsShare() }
	if i := slices.IndexFunc(before.Objectives, limitsTime); i >= 0 && i < len(after.Objectives) {
		s.Metric, s.From, s.To = before.Objectives[i].Metric, before.Objectives[i].Value, after.Objectives[i].Value
	}
	cell := func(v *model.Variant, r *rung.Rung) model.ReplyCell {
		return model.ReplyCell{Variant: v.Name, Level: v.Label, Rung: n, Value: r.Throughput, Unit: v.Work.Unit.Throughput}
	}
	return []model.ReplyGroup{{Cells: []model.ReplyCell{cell(from, before), cell(to, after)}, Steps: []model.ReplyStep{s}}}
}

func meetsObjectives(r rung.Rung) bool { return r.Kept }

// ranked are the variants, the best first.
func ranked(a *model.Analysis) (all []*model.Variant) {
	for _, name := range a.Ranking {
		if v := a.Variant(name); v != nil {
			all = append(all, v)
		}
	}
	return all
}

// fractions answer where at least one variant has something to be held against.
func fractions(a *model.Analysis) []model.ReplyGroup {
	groups := together(a, fraction)
	rated := func(c model.ReplyCell) bool { return !c.Unrated }
	if len(groups) == 0 || !slices.ContainsFunc(groups[0].Cells, rated) {
		return nil
	}
	return groups
}

// fraction is what a variant reaches of a baseline or, without one, of what its drives are
// rated for.
func fraction(_ *model.Analysis, v *model.Variant) (c model.ReplyCell, ok bool) {
	switch {
	case v.Best == nil:
		return c, false
	case v.Best.Baseline != nil:
		b := v.Best.Baseline
		return model.ReplyCell{Variant: v.Name, Level: v.Label, Rung: v.Best.Rung, Value: b.Shares, Unit: b.Unit, Whole: b.Variant}, true
	case v.Best.Rated > 0:
		share := over(v.Best.Throughput, v.Best.Throughput.Value/v.Best.Rated)
		return model.ReplyCell{Variant: v.Name, Level: v.Label, Rung: v.Best.Rung, Value: share, Unit: v.Work.Unit.Throughput, Of: v.Best.Drives}, true
	}
	return model.ReplyCell{Variant: v.Name, Level: v.Label, Rung: v.Best.Rung, Value: v.Best.Throughput, Unit: v.Work.Unit.Throughput, Unrated: true}, true
}

// growth is how throughput grows from the smallest rung to where it is highest.
func growth(_ *model.Analysis, v *model.Variant) (c model.ReplyCell, ok bool) {
	first, best := -1, rung.Best(v.Rungs, rung.Measured)
	for i, r := range v.Rungs {
		if rung.Measured(r) && first < 0 {
			first = i
		}
	}
	last := len(v.Rungs) - 1
	for last >= 0 && !rung.Measured(v.Rungs[last]) {
		last--
	}
	if first < 0 || last == first {
		return c, false
	}
	low, high, end := v.Rungs[first], v.Rungs[best], v.Rungs[last]
	c = model.ReplyCell{Variant: v.Name, Level: v.Label, Unit: v.Work.Unit.Throughput, First: &low.Throughput, FirstRung: low.Instances, Rung: high.Instances, Value: high.Throughput}
	if c.Grows = best != first && stats.ClearlyMore(high.Throughput, low.Throughput); !c.Grows {
		c.Rung, c.Value, c.Falls = end.Instances, end.Throughput, stats.ClearlyMore(low.Throughput, end.Throughput)
	}
	times := float64(c.Rung) / float64(low.Instances)
	c.Linear = stats.Ratio(c.Value.Value/low.Throughput.Value, times)
	linear := stats.Interval{Value: times * low.Throughput.Value, Low: times * low.Throughput.Low, High: times * low.Throughput.High, Confidence: low.Throughput.Confidence, Extremes: low.Throughput.Extremes}
	c.Beyond = c.Grows && c.Linear > 1+Matters && stats.ClearlyMore(c.Value, linear)
	return c, true
}

// survived counts the trials of a variant that an audit looked through, and how long
// recovery took in them; and those whose servers or storage did not come back for it.
func survived(v *model.Variant, trials []*result.Trial) (c model.ReplyCell, ok bool) {
	c = model.ReplyCell{Variant: v.Name, Level: v.Label, Unit: v.Work.Unit.Throughput}
	ends := ended(v, trials)
	for _, t := range trials {
		if t.Variant.Name != v.Name {
			continue
		}
		if t.Status == result.Failed && t.Failure != nil && (t.Failure.Stage == result.StageRecover || t.Failure.Stage == result.StageHeal) {
			c.Gone++
		}
		if t.Status == result.Passed && unended(t, ends) {
			c.Away++
		}
		if t.Audit == nil {
			continue
		}
		switch {
		case t.Audit.Failed():
			c.Audited, c.Lost = c.Audited+1, c.Lost+1
		case t.Audit.Passed:
			c.Audited++
		default:
			c.Uncounted++
		}
		for _, e := range trial.Events(t) {
			if took := e.Until.Sub(e.At).Seconds(); e.Fault != "" && took > 0 && stats.Plausible(took) {
				c.Recoveries, c.Recovered = c.Recoveries+1, max(c.Recovered, took)
			}
		}
	}
	c.Losses = stats.Proportion(c.Lost+c.Gone, c.Audited+c.Gone)
	return c, c.Audited+c.Uncounted+c.Gone+c.Away > 0
}

// unended reports whether a trial was over before the effect of one of its faults was: what
// the fault had hit had not answered again. A fault that nothing was to undo has no such
// end.
func unended(t *result.Trial, ends map[string]bool) bool {
	events := trial.Events(t)
	repaired := slices.ContainsFunc(events, func(e result.Event) bool { return e.Repairs })
	return slices.ContainsFunc(events, func(e result.Event) bool {
		return e.Fault != "" && !e.Repairs && e.Until.IsZero() && (repaired || ends[e.Fault] || endsItself(e.Fault))
	})
}

// endsItself reports whether what a fault hits is started again without being asked to.
func endsItself(fault string) bool {
	return fault == study.CutPower || strings.HasPrefix(fault, study.KillInstance)
}

// ended are the faults of a variant whose end was seen in one of its trials.
func ended(v *model.Variant, trials []*result.Trial) map[string]bool {
	ends := map[string]bool{}
	for _, t := range trials {
		for _, e := range trial.Events(t) {
			if t.Variant.Name == v.Name && e.Fault != "" && !e.Until.IsZero() {
				ends[e.Fault] = true
			}
		}
	}
	return ends
}
