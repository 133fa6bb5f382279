package grade

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/study"
)

// notAbove is the best grade where strangers may have made the verdict.
const notAbove = "C"

// Strangers lowers grades better than C to C where other processes used more of a
// machine than the margin of the verdict. On an idle machine a figure may differ by as much
// as they used.
func Strangers(compared *model.Analysis) Graded {
	g := copied(compared.Variants, compared.Trials)
	g.Grade, g.Warnings = compared.Grade, slices.Clone(compared.Warnings)
	if g.Grade == "" {
		return g
	}
	for _, d := range decisions(compared.Reply, g.Variants) {
		others := strangersAt(d.rung)
		if others == nil || others.Strangers <= d.margin {
			continue
		}
		for _, id := range passedTrials(g.Trials, d.rung) {
			w := trust.Warn(trust.Strangers, trust.Caution, trust.StrangersUsed,
				trust.Share(others.Strangers), trust.Name(others.Plain()), trust.Count(d.rung.Instances), trust.Share(d.margin))
			if w = w.Of(id); !slices.ContainsFunc(g.Warnings, w.Same) {
				g.Warnings = append(g.Warnings, w)
			}
			info := infoOf(g.Trials, id)
			info.Grade = max(info.Grade, notAbove)
		}
		d.rung.Grade, g.Grade = max(d.rung.Grade, notAbove), max(g.Grade, notAbove)
	}
	return g
}

// strangersAt is the resource that others used most of at a rung; nil where they used none.
func strangersAt(r *rung.Rung) (most *resource.Resource) {
	for i := range r.Resources {
		if one := &r.Resources[i]; one.Strangers > 0 && (most == nil || one.Strangers > most.Strangers) {
			most = one
		}
	}
	return most
}

// decision is a rung that a verdict rests on, and how far the figure that decides is from
// deciding otherwise, as a share of the larger of both.
type decision struct {
	rung   *rung.Rung
	margin float64
}

func decisions(reply *model.Reply, variants []model.Variant) (all []decision) {
	if !reply.ByThroughput() {
		return ofLines(variants)
	}
	for _, g := range reply.Groups {
		switch reply.Kind {
		case study.Comparison:
			all = append(all, ofComparison(reply, variants, g)...)
		case study.Effect:
			all = append(all, ofEffect(variants, g)...)
		case study.OfRating:
			all = append(all, ofFraction(variants, g)...)
		case study.Scaling:
			all = append(all, ofScaling(variants, g)...)
		}
	}
	return all
}

// ofLines lists the rungs next to load lines, with the distance of their figures from the
// limits.
func ofLines(variants []model.Variant) (all []decision) {
	for i := range variants {
		v := &variants[i]
		for _, n := range []int{v.LoadLine.Rung, v.LoadLine.Next} {
			r := rung.Find(v.Rungs, n)
			if r == nil {
				continue
			}
			if margin, known := toLimit(r); known {
				all = append(all, decision{r, margin})
			}
		}
	}
	return all
}

// toLimit is what an objective has left at a rung that keeps all, the least of them, or by how
// much it is missed, the most of them; not known where no figure decides.
func toLimit(r *rung.Rung) (margin float64, known bool) {
	margin = 1
	if !r.Kept {
		margin = 0
	}
	for _, o := range r.Objectives {
		switch most := max(o.Value, o.Limit); {
		case o.Unknown || most <= 0:
		case r.Kept:
			margin, known = min(margin, 1-o.Value/most), true
		case !o.Kept && !o.ByInstance():
			margin, known = max(margin, 1-o.Limit/most), true
		}
	}
	if b := r.Break.Behind; b != nil {
		margin, known = max(margin, 1-b.Achieved), true
	}
	return margin, known && r.Break.Failed == nil
}

// ofComparison are the two best of a group, by how far apart they are; all of it where none is
// shown to be best.
func ofComparison(reply *model.Reply, variants []model.Variant, g model.ReplyGroup) (all []decision) {
	cells := slices.Clone(g.Cells)
	figure := func(c model.ReplyCell) stats.Interval { return reply.Figure(c) }
	if g.Best == "" {
		widest := 0.0
		for _, c := range cells {
			widest = max(widest, halfWidth(figure(c)))
		}
		return cellDecisions(variants, widest, cells...)
	}
	best := slices.IndexFunc(cells, func(c model.ReplyCell) bool { return c.Level == g.Best })
	second := -1
	for i, c := range cells {
		if i != best && best >= 0 && (second < 0 || apart(figure(cells[best]), figure(c)) < apart(figure(cells[best]), figure(cells[second]))) {
			second = i
		}
	}
	if second < 0 {
		return nil
	}
	return cellDecisions(variants, apart(figure(cells[best]), figure(cells[second])), cells[best], cells[second])
}

// ofEffect are both sides of each step, by its size; by half its interval where it is not shown.
func ofEffect(variants []model.Variant, g model.ReplyGroup) (all []decision) {
	for _, s := range g.Steps {
		margin := halfWidth(s.Throughput)
		if s.Shown {
			margin = apart(s.Throughput, stats.Exactly(1))
		}
		for i, c := range g.Cells {
			if c.Rung = s.Rung; i == 0 || c.Level == s.Level {
				all = append(all, cellDecisions(variants, margin, c)...)
			}
		}
	}
	return all
}

// ofFraction lists the rungs at which shares are read, each with half of its interval.
func ofFraction(variants []model.Variant, g model.ReplyGroup) (all []decision) {
	for _, c := range g.Cells {
		all = append(all, cellDecisions(variants, halfWidth(c.Value), c)...)
	}
	return all
}

// ofScaling lists both ends of each scaling that is shown.
func ofScaling(variants []model.Variant, g model.ReplyGroup) (all []decision) {
	for _, c := range g.Cells {
		if c.First == nil || !c.Grows {
			continue
		}
		first := c
		first.Rung = c.FirstRung
		all = append(all, cellDecisions(variants, apart(*c.First, c.Value), first, c)...)
	}
	return all
}

// cellDecisions are the rungs of cells; none where the margin is not known.
func cellDecisions(variants []model.Variant, margin float64, cells ...model.ReplyCell) (all []decision) {
	for _, c := range cells {
		i := slices.IndexFunc(variants, func(v model.Variant) bool { return v.Name == c.Variant })
		if i < 0 || margin <= 0 {
			continue
		}
		if r := rung.Find(variants[i].Rungs, c.Rung); r != nil {
			all = append(all, decision{r, margin})
		}
	}
	return all
}

// apart is by how much two figures differ, of the larger one.
func apart(a, b stats.Interval) float64 {
	most := max(a.Value, b.Value)
	if most <= 0 {
		return 0
	}
	return math.Abs(a.Value-b.Value) / most
}

// halfWidth is the relative half-width of an interval; 0 if there is none.
func halfWidth(i stats.Interval) float64 {
	if !i.Bounded() || i.Value <= 0 {
		return 0
	}
	return (i.High - i.Low) / 2 / i.Value
}
