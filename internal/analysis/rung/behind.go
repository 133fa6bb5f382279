package rung

import (
	"math"

	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// leastOffered is the share of what an open loop offers that must be completed, where nothing
// tells by how much less it was by chance.
const leastOffered = 0.98

// Shortfall is by how much a rung fell behind the rate that its open loop offered.
type Shortfall struct {
	Achieved float64       // share of the offered rate
	Waiting  int64         // the most units of work that waited at the end of a trial
	Unit     describe.Unit // of that work
	Trials   int           // that it was looked for in
}

// shortfallOf is nil if a rung kept up with its offered rate. If it did not, the response
// time of queued work grows without bound, however fast the completed work was.
func shortfallOf(e *trust.Evidence, passed []*result.Trial) *Shortfall {
	due, ended, waiting, most := 0.0, 0.0, 0.0, int64(0)
	for _, t := range passed {
		if n := trial.Offered(t); n > 0 {
			due += n
			ended += float64(trial.Ended(t))
			waiting += float64(t.Whole().Waiting)
			most = max(most, t.Whole().Waiting)
		}
	}
	behind := due - ended
	// In a steady state the number under way comes and goes by about its root.
	if due == 0 || behind <= 3*math.Sqrt(2*(waiting+1)) {
		return nil
	}
	if behind <= (1-leastOffered)*due && !grows(e, passed) {
		return nil
	}
	return &Shortfall{Achieved: ended / due, Waiting: most, Unit: passed[0].Profile.Unit, Trials: len(passed)}
}

// grows reports whether the queues of some trials grew by more than chance; false where the
// seconds of one are not known.
func grows(e *trust.Evidence, passed []*result.Trial) bool {
	var queues []steadiness.Queue
	for _, t := range passed {
		due := trial.Offered(t)
		if due <= 0 {
			continue
		}
		c, known := steadiness.CourseOf(e.Run, t)
		if !known || c.Missing > 0 {
			return false
		}
		queues = append(queues, steadiness.Queue{Ended: c.Ended, Due: due})
	}
	return steadiness.Grow(queues)
}
