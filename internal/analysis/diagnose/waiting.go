package diagnose

import (
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/scale"
)

// Wait is what response time that grew, with nothing saturated, is spent on.
type Wait int

// Waits.
const (
	ByQueueing Wait = iota // queueing for the busiest resource alone can make it
	InQueue                // most of it is in a queue that was measured
	Elsewhere              // users wait for more than units of work, so nothing follows
	Software               // no resource: locks, serialized flushes or software limits
)

// WaitsFor says what the users of a rung wait for. Closed reports whether they are always
// either thinking or waiting for a unit of work.
func (d Diagnosis) WaitsFor(r *rung.Rung, closed bool) Wait {
	switch {
	case d.Growth <= queueing.Growth(d.Top.Parallel(), d.Top.Own())*(1+scale.Tolerance):
		return ByQueueing
	case QueuedAt(r) != nil:
		return InQueue
	case !closed:
		return Elsewhere
	}
	return Software
}

// Departure compares a rung's response time with the closed network's, given the demands
// measured at a smaller rung, and says why they differ.
type Departure int

// Departures.
const (
	Agrees       Departure = iota
	Queued                 // longer: most of it is in a queue that was measured
	NeedsMore              // longer: units of work need more than at the smaller rung
	NeedsLess              // shorter: they need less
	AssumedWidth           // nothing follows, because a device's parallelism is only assumed
	Unexplained            // longer, and no queue that was measured explains it
	Undescribed            // shorter, and nothing measured explains it
)

// DepartureOf holds the mean of a rung against that predicted, in s, from a smaller one.
func DepartureOf(predicted float64, small, r *rung.Rung) Departure {
	before, now := Demands(small, r)
	assumed := resource.FirstAssumed(r.Resources) != nil
	switch off := predicted/r.Mean.Value - 1; {
	case off < -scale.Tolerance:
		return longer(r, assumed, now > (1+demandChange)*before)
	case off <= scale.Tolerance:
		return Agrees
	case assumed:
		return AssumedWidth
	case now < before/(1+demandChange):
		return NeedsLess
	}
	return Undescribed
}

func longer(r *rung.Rung, assumed, needsMore bool) Departure {
	switch {
	case QueuedAt(r) != nil:
		return Queued
	case needsMore:
		return NeedsMore
	case assumed:
		return AssumedWidth
	}
	return Unexplained
}

// demandChange is from which change of the demands in all something is said of it.
const demandChange = 0.1

// Demands sums the demands of a unit of work at the stations that both rungs measured.
func Demands(small, r *rung.Rung) (before, now float64) {
	for _, a := range small.Resources {
		for _, b := range r.Resources {
			if a.Name == b.Name && a.IsStation() && b.IsStation() {
				before, now = before+a.Demand, now+b.Demand
			}
		}
	}
	return before, now
}

// WaitsFurtherOn reports whether requests occupy what serves them for longer than at a
// smaller rung: they wait for something else there, and more of it may not help.
func WaitsFurtherOn(before, now resource.Resource) bool {
	return before.Demand > 0 && now.Demand >= Unharmed*before.Demand
}
