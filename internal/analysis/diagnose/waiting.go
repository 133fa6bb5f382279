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

// nearlyUsed is the utilisation from which queueing may be what limits: one server answers five
// times as slowly as when it is idle.
const nearlyUsed = 0.8

// queueingMakes reports whether queueing for the busiest resource alone can make most of a response
// time, or of what it grew by since the smallest rung: its demand times the growth of an open queue
// as busy. Requests may queue before they reach it, as commits do in a log, and then no queue at
// the resource shows that. What was counted of the states of threads says more than this.
func (d Diagnosis) queueingMakes(first, r *rung.Rung) bool {
	if d.Top == nil || !d.Top.IsStation() || d.Top.Own() < nearlyUsed || d.Top.Contradicts() || r.TimeCounted() {
		return false
	}
	made, grown := residence(*d.Top), r.Mean.Value
	if first.Instances < r.Instances {
		if d.Growth < Unharmed || !d.byQueueing() {
			return false
		}
		grown -= first.Mean.Value
		if before := named(first.Resources, d.Top.Name); before != nil {
			made -= residence(*before)
		}
	}
	return made >= mostOf*grown
}

// residence is how long a unit of work is at a resource, in s, if it queues there as in an open
// queue.
func residence(r resource.Resource) float64 {
	return r.Demand * queueing.Growth(r.Parallel(), r.Own())
}

func named(resources []resource.Resource, name string) *resource.Resource {
	for i := range resources {
		if resources[i].Name == name {
			return &resources[i]
		}
	}
	return nil
}

// byQueueing reports whether queueing for the busiest resource alone can make the response time
// grow by as much as it did.
func (d Diagnosis) byQueueing() bool {
	return d.Growth <= queueing.Growth(d.Top.Parallel(), d.Top.Own())*(1+scale.Tolerance)
}

// WaitsFor says what the users of a rung wait for. Closed reports whether they are always
// either thinking or waiting for a unit of work.
func (d Diagnosis) WaitsFor(r *rung.Rung, closed bool) Wait {
	switch {
	case d.byQueueing():
		return ByQueueing
	case QueuedAt(r) != nil:
		return InQueue
	case !closed:
		return Elsewhere
	}
	return Software
}

// QueuesAt is the resource whose queue makes the response time of a rung, or can make it alone;
// nil where users wait for something else.
func (d Diagnosis) QueuesAt(r *rung.Rung, closed bool) *resource.Resource {
	switch d.WaitsFor(r, closed) {
	case ByQueueing:
		return d.Top
	case InQueue:
		return QueuedAt(r)
	}
	return nil
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
