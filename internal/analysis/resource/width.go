package resource

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
)

// waits is how many times as long as at its best a request takes, from which
// requests are said to wait for each other: a single server at 50 % answers twice
// as slowly as when idle.
const waits = 2

// Doubt is what the requests' times tell of the number that a device serves in parallel.
type Doubt int

// Doubts.
const (
	NoDoubt       Doubt = iota // nothing was assumed
	Contradictory              // the kernel's busy time and queue cannot both be true
	Unrecorded                 // request times were not recorded
	Unsettled                  // requests hardly wait for each other
	Borne                      // the times confirm what was assumed
	Corrected                  // the times show another number
)

// Width is how many requests a device serves in parallel, by their times.
type Width struct {
	Doubt   Doubt
	Assumed float64 // servers
	// BestQueue requests were in flight where one took least, BestAwait seconds.
	BestQueue, BestAwait float64
	// Shown is the number that the times show, at least 1.
	Shown float64
}

// Settled checks the assumed parallelism of devices against request times at a variant's
// rungs. Requests that take longer the more there are wait for each other: the device
// serves at once as many as take the shortest time (Little's law). Requests that do not
// wait give no bound, so a device that is saturated only by assumption is uncertain.
func Settled(rungs [][]Resource) [][]Resource {
	rungs = copies(rungs)
	best := map[string]Resource{} // where a request took least
	for _, resources := range rungs {
		for _, d := range resources {
			if b, known := best[d.Name]; d.Assumed != "" && d.Await > 0 && (!known || d.Await < b.Await) {
				best[d.Name] = d
			}
		}
	}
	for _, resources := range rungs {
		for j := range resources {
			switch d := &resources[j]; {
			case d.Contradicts():
				d.Uncertain = true
				d.Width = Width{Doubt: Contradictory}
			case d.Assumed != "":
				d.settle(best[d.Name])
			}
		}
	}
	return rungs
}

// copies are resources that may be changed.
func copies(rungs [][]Resource) [][]Resource {
	out := make([][]Resource, len(rungs))
	for i, resources := range rungs {
		out[i] = slices.Clone(resources)
	}
	return out
}

// Contradicts reports whether what the kernel counts of a device cannot all be true.
func (r Resource) Contradicts() bool {
	return r.Kind == Device && trial.Contradict(r.Busy, r.Queue)
}

// settle judges a device at a rung by where its requests took least.
func (r *Resource) settle(best Resource) {
	r.Width = Width{Assumed: r.Servers, BestQueue: best.Queue, BestAwait: best.Await}
	if best.Await <= 0 || r.Await <= 0 {
		r.Uncertain, r.Width.Doubt = r.Utilisation >= Saturated, Unrecorded
		return
	}
	growth := r.Await / best.Await
	if growth < waits {
		r.Uncertain, r.Width.Doubt = r.Utilisation >= Saturated, Unsettled
		return
	}
	width := r.Queue / growth
	r.Width.Shown = max(1, math.Round(width))
	if math.Abs(math.Log(max(width, 1)/r.Servers)) < math.Log(1.5) {
		r.Width.Doubt = Borne
		return
	}
	r.Width.Doubt = Corrected
	before := r.Utilisation * r.Servers
	r.Servers = r.Width.Shown
	r.Utilisation = min(r.Busy, r.Queue/r.Servers)
	r.Demand *= stats.Ratio(r.Utilisation*r.Servers, before) // D = U*m/X
}
