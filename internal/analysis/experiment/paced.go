package experiment

import (
	"math"

	"plimsoll/internal/analysis/rung"
)

// heldUp is the share of their time in which users must compute at most, for storage that does
// twice as much to show: they cannot compute for more than all of it.
const heldUp = 0.5

// paced completes an experiment that gives more to users who compute for a fixed time on each
// unit of work, as accelerators do; of others it changes nothing. At the first rung that breaks
// their objective they hardly wait, so that little can be gained there: twice as many show it.
// What they need together is in proportion to their number, and so is the load line to what the
// storage does; no queueing network is needed to predict it.
func (e Experiment) paced(r *rung.Rung) Experiment {
	computed, least := r.Computed()
	if least <= 0 {
		return e
	}
	if computed > heldUp {
		e.Rungs = []int{2 * r.Instances}
	}
	if e.Doubles {
		e.Throughput = r.Throughput.Times(2)
	}
	e.Forecast.Off, e.Forecast.Line = 0, math.Floor(float64(e.Forecast.Factor)*float64(r.Instances)*computed/least)
	return e
}
