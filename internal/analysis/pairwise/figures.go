package pairwise

import (
	"slices"
	"time"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// figures reads the metric that a question is about.
type figures struct {
	e    *trust.Evidence
	asks study.Answer
	a    *model.Analysis
	// common are the items of a list that throughput is of, where some failed; nil is all.
	common []string
}

// per is what throughput is divided by, in words.
func (f figures) per() string {
	if f.asks.Per == study.PerPrice && f.a.Prices != nil {
		return "1,000 " + f.a.Prices.Currency
	}
	return f.asks.Per
}

// readAt is the rung at which a variant is compared with the others; 0 for none.
func (f figures) readAt(v *model.Variant, variants []*model.Variant) int {
	switch {
	case v.Best == nil:
		return 0
	case f.asks.Rung() > 0:
		if r := rung.Find(v.Rungs, f.asks.Rung()); r == nil || !rung.Measured(*r) {
			return 0
		}
		return f.asks.Rung()
	case f.asks.At == study.AtObjective:
		return v.LoadLine.Rung
	case f.asks.At == study.AtBest || f.asks.ByThroughput():
		return f.bestOf(v, variants)
	}
	return lastShared(variants)
}

// bestOf is the rung with a variant's highest throughput: among rungs that meet the
// objectives or, without objectives, among rungs that all variants measured, because the
// length of a ladder says nothing about speed.
func (f figures) bestOf(v *model.Variant, variants []*model.Variant) int {
	common := func(r rung.Rung) bool { return rung.Measured(r) && sharedBy(variants, r.Instances) }
	best := rung.Best(v.Rungs, common)
	if len(f.a.Study.Objectives) > 0 || best < 0 {
		return v.Best.Rung
	}
	return v.Rungs[best].Instances
}

// sharedBy reports whether all variants measured a rung.
func sharedBy(variants []*model.Variant, n int) bool {
	return !slices.ContainsFunc(variants, func(v *model.Variant) bool {
		r := rung.Find(v.Rungs, n)
		return r == nil || !rung.Measured(*r)
	})
}

// lastShared is the largest rung that all variants measured, 0 for none.
func lastShared(variants []*model.Variant) (last int) {
	for _, r := range variants[0].Rungs {
		if sharedBy(variants, r.Instances) {
			last = max(last, r.Instances)
		}
	}
	return last
}

// cell is a variant at a rung.
func (f figures) cell(v *model.Variant, n int) model.ReplyCell {
	r := rung.Find(v.Rungs, n)
	c := model.ReplyCell{Variant: v.Name, Level: labelOf(levelsOf(f.a, f.asks.Factor), v.Factors[f.asks.Factor]), Rung: n, Value: r.Throughput, Unit: v.Work.Unit.Throughput}
	if !f.asks.ByThroughput() {
		c.Value, c.Unit = f.value(v, n), f.asks.Metric
		return c
	}
	if f.common != nil {
		c.Value, c.Items = f.value(v, n), len(f.common)
	}
	c.Of = divisor(v, r, f.asks.Per)
	c.Per = over(c.Value, c.Of)
	return c
}

// rungByRung are the figures of a variant that answer, of the rungs that have one.
func (f figures) rungByRung(r *model.Reply, variant string) (all []model.ReplyFigure) {
	v := f.a.Variant(variant)
	for _, at := range v.Rungs {
		if !rung.Measured(at) {
			continue
		}
		if i := r.Figure(f.cell(v, at.Instances)); i.Value > 0 {
			all = append(all, model.ReplyFigure{Rung: at.Instances, Value: i})
		}
	}
	return all
}

// value is the median of the metric at a rung, with an interval that learns the noise from
// all rungs of the variant.
func (f figures) value(v *model.Variant, n int) (i stats.Interval) {
	logs := make([][]float64, len(v.Rungs))
	at := 0
	for k, r := range v.Rungs {
		if logs[k] = f.logarithms(v.Name, r.Instances); r.Instances == n {
			at = k
		}
	}
	middle := stats.MedianOf(trial.Collect(f.trials(v.Name, n), f.of))
	return stats.Relative(middle, stats.Means(logs)[at], logs[at])
}

// logarithms of the metric in the trials of a rung.
func (f figures) logarithms(variant string, n int) []float64 {
	return stats.Logarithms(trial.Collect(f.trials(variant, n), f.of))
}

func (f figures) trials(variant string, n int) (all []*result.Trial) {
	for _, t := range f.e.Run.Trials {
		if t.Variant.Name == variant && t.Rung == n && t.Status == result.Passed {
			all = append(all, t)
		}
	}
	return all
}

// of is the metric in one trial; NaN or 0 where it was not recorded.
func (f figures) of(t *result.Trial) float64 {
	if f.asks.ByThroughput() && f.common != nil {
		return rateOf(t, f.common)
	}
	if f.asks.ByThroughput() {
		return trial.Throughput(t)
	}
	operation, metric := f.asks.Figure()
	if metric == study.CPU {
		return stats.Ratio(resource.CoresUsed(resource.Collect(f.e, []*result.Trial{t})), trial.UnitsPerSecond(t))
	}
	v, _ := trial.ObjectiveValue(study.Objective{Operation: operation, Metric: metric}, f.e.Whole(t))
	return v
}

// rateOf is the throughput of a trial's users if the list held some of its items alone: as many
// as were done of these, over the time that each user took for one of each.
func rateOf(t *result.Trial, items []string) float64 {
	done, each := int64(0), 0.0
	for _, name := range items {
		o := t.Operations[name]
		done, each = done+o.Count, each+o.Mean
	}
	return t.Profile.Unit.Rate(done, 0, time.Duration(each*float64(time.Second)))
}
