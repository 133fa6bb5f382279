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

// OfRate is how far the throughput of a rung may be off, by all doubts about it.
func OfRate(a *model.Analysis, r *rung.Rung) bound.Bound {
	about := byTrial(a.Warnings)
	return summed(append(ofRung(r, passedTrials(a.Trials, r), about, byRate), ofRun(about[""])...))
}

// OfResponse is how far a response time of a rung may be off, by all doubts about it.
func OfResponse(a *model.Analysis, r *rung.Rung, time stats.Interval) bound.Bound {
	about := byTrial(a.Warnings)
	passed := passedTrials(a.Trials, r)
	doubts := append(withoutScatter(ofRung(r, passed, about, byResponse)), ofRun(about[""])...)
	all := quotient(nil, doubts)
	if e := time.Estimate; time.Value > 0 {
		if !e.Known() {
			e = stats.Estimate{Value: math.Log(time.Value)}
		}
		all = append(all, doubt{kind: trust.OneRepetition, bound: within(loadline.ResponseNoise.Of(e, max(1, len(passed))), time.Value)})
	}
	return summed(all)
}

// OfLine is how many instances a variant may carry, by all doubts about its load line. Open reports that
// nothing bounds it.
func OfLine(a *model.Analysis, v *model.Variant) (low, high float64, open bool) {
	about := byTrial(a.Warnings)
	d := decider{a, about}.ofLine(v)
	d.doubts = append(d.doubts, ofRun(about[""])...)
	low, high = d.between(d.bound())
	return low, high, d.bound().Open
}
