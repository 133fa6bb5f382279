package grade

import (
	"math"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
)

// Figures says how far single figures of an analysis may be off, by all doubts about them.
type Figures struct {
	decider
}

// FiguresOf sorts the doubts of an analysis by the figures that they are about.
func FiguresOf(a *model.Analysis) Figures { return Figures{decider{a, byTrial(a.Warnings)}} }

// Rate bounds the throughput of a rung.
func (f Figures) Rate(r *rung.Rung) bound.Bound {
	return f.whole(decision{doubts: ofRung(r, f.passed(r), f.about, byRate)}).bound()
}

// Response bounds a response time of a rung.
func (f Figures) Response(r *rung.Rung, time stats.Interval) bound.Bound {
	passed := f.passed(r)
	d := f.whole(decision{doubts: withoutScatter(ofRung(r, passed, f.about, byResponse))})
	d.doubts = quotient(nil, d.doubts)
	if e := time.Estimate; time.Value > 0 {
		if !e.Known() {
			e = stats.Estimate{Value: math.Log(time.Value)}
		}
		d.doubts = append(d.doubts, doubt{kind: trust.OneRepetition, bound: within(loadline.ResponseNoise.Of(e, max(1, len(passed))), time.Value)})
	}
	return d.bound()
}

// Line is how many instances a variant may carry. Open reports that nothing bounds it.
func (f Figures) Line(v *model.Variant) (low, high float64, open bool) {
	d := f.whole(f.ofLine(v))
	low, high = d.between(d.bound())
	return low, high, d.bound().Open
}
