package rung

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/study"
)

// Decline is how far the throughput of a rung is below the highest at fewer instances.
type Decline struct {
	Share float64 // of that throughput; negative where the rung does more, 0 at the first
	// Log is the logarithm of that throughput over the rung's. It is Exact of published figures, which are taken as
	// they are.
	Log   stats.Estimate
	Exact bool
	// Among is how many rungs it is the highest of: the most of several is high by chance as well.
	Among int
}

// Declines gives each rung of a variant its decline. A rung that was not measured has none.
func Declines(rungs []Rung, groups []trial.Group) []Decline {
	all := make([]Decline, len(rungs))
	best, among := -1, 0
	for i := range rungs {
		r := &rungs[i]
		if !Measured(*r) || r.Throughput.Value <= 0 {
			continue
		}
		if best >= 0 {
			all[i] = Decline{
				Share: 1 - r.Throughput.Value/rungs[best].Throughput.Value, Log: rungs[best].rate().Minus(r.rate()),
				Exact: trial.AnyPublished(groups[i].Passed), Among: among,
			}
		}
		among++
		if best < 0 || r.Throughput.Value > rungs[best].Throughput.Value {
			best = i
		}
	}
	return all
}

// rate is the logarithm of the throughput, whose noise is expected where repetitions hardly tell it.
func (r *Rung) rate() stats.Estimate {
	e := r.Throughput.Estimate
	if !e.Known() {
		e = stats.Estimate{Value: math.Log(r.Throughput.Value)}
	}
	return trust.RateNoise.Of(e, r.Repetitions)
}

// Interval is the decline as a logarithm, at a confidence that the rungs share (Bonferroni).
func (d Decline) Interval(confidence float64) (low, high float64) {
	switch {
	case d.Among == 0:
		return 0, 0
	case d.Exact:
		return DeclineLimit(d.Share), DeclineLimit(d.Share)
	}
	return d.Log.Interval(1 - (1-confidence)/float64(d.Among))
}

// DeclineLimit is the limit of an objective as Interval has declines.
func DeclineLimit(limit float64) float64 { return -math.Log1p(-min(limit, 1-1e-9)) }

// withGrowth judges the objective that throughput does not decline, which takes more than one rung. A rung breaks
// it if its repetitions show the decline.
func withGrowth(rungs []Rung, groups []trial.Group, objectives []study.Objective) []Rung {
	at := slices.IndexFunc(objectives, func(o study.Objective) bool { return o.Metric == study.Decline })
	if at < 0 {
		return rungs
	}
	out := slices.Clone(rungs)
	for i, d := range Declines(rungs, groups) {
		r := &out[i]
		if !Measured(*r) {
			continue
		}
		low, _ := d.Interval(stats.Confidence)
		shown := low > DeclineLimit(objectives[at].Limit)
		r.Objectives = slices.Clone(r.Objectives)
		o := &r.Objectives[at]
		o.Value, o.Unknown, o.Kept = max(0, d.Share), false, !shown
		if o.Kept { // by chance it may be above its limit
			o.Value = min(o.Value, o.Limit)
		}
		r.Kept = keepsAll(groups[i], *r)
	}
	return out
}
