package neighbour

import (
	"math"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Bounds is how far the response times of a trial may be off for others' work, and its throughput, which is off
// by less where users think.
type Bounds struct{ Response, Rate bound.Bound }

// both gives response times and throughput the same bound.
func both(b bound.Bound) Bounds { return Bounds{b, b} }

// smaller takes the smaller bound for each.
func (b Bounds) smaller(other Bounds) Bounds {
	if other.Response.Size() < b.Response.Size() {
		b.Response = other.Response
	}
	if other.Rate.Size() < b.Rate.Size() {
		b.Rate = other.Rate
	}
	return b
}

// WithoutCPU bounds a trial's figures where others used a share of the machine's CPU. While they ran, work
// of the trial was ready and waited: of the time that it waited for a CPU, as much as they had of all
// that was used, and of the time that it ran, as long as all CPUs were taken; no more than waited could
// have run besides. Without that the units under way, which are L = X*R of Little's law (1961), end so
// much earlier. Others took no more than the trial could have used: if it used u, it is at most
// (u+s)/u times as fast, in the time in which something waited.
func WithoutCPU(t *result.Trial, h trial.Host, share float64) Bounds {
	busy, known := h.Mean(describe.CPUKind, "", "utilisation")
	if !known || share <= 0 {
		return Bounds{}
	}
	busy = min(1, max(busy, share))
	most := both(bound.Lacks(share * waitedAt(h, busy) / busy))
	if waiting, counted := waitingForCPU(h); counted {
		return most.smaller(savedOf(t, waiting))
	}
	return most
}

// waitedAt is in how much of the time something waited for a CPU: pressure stall information, or the chance
// that all c cores of a machine are busy that is busy for a share of b, b^c.
func waitedAt(h trial.Host, busy float64) float64 {
	if some, measured := h.Mean(describe.PressureKind, "cpu", "some"); measured {
		return min(1, some)
	}
	return math.Pow(busy, max(1, h.Cores))
}

// waitingForCPU is how many threads of the trial were ready and waited for a CPU of a machine, on average.
func waitingForCPU(h trial.Host) (threads float64, counted bool) {
	for _, name := range h.Names(describe.TimeKind) {
		n, known := h.Mean(describe.TimeKind, name, string(describe.CPUWait))
		threads, counted = threads+n, counted || known
	}
	return threads, counted
}

// savedOf bounds figures where so many of the units under way, on average, waited for something else.
func savedOf(t *result.Trial, waiting float64) Bounds {
	underWay := stats.Ratio(float64(trial.Ended(t)), trial.Seconds(t)) * t.Whole().Mean
	response := bound.Lacks(min(0.99, stats.Ratio(waiting, underWay)))
	return Bounds{response, response.OfWaiting(trial.Waiting(t))}
}

// Stolen bounds a trial's figures on a machine whose hypervisor gave a share of its CPU to others: whoever
// ran there stood still, and those that waited for the same CPU waited longer.
func Stolen(t *result.Trial, h trial.Host, share float64) Bounds {
	most := WithoutCPU(t, h, share)
	waiting, counted := waitingForCPU(h)
	busy, _ := h.Mean(describe.CPUKind, "", "utilisation")
	switch {
	case h.Cores <= 0 || busy <= share:
		return most
	case !counted: // at most all of the response time was on a CPU
		stood := savedOf(t, share*h.Cores)
		most.Response, most.Rate = bound.Sum(most.Response, stood.Response), bound.Sum(most.Rate, stood.Rate)
		return most.smaller(both(bound.Lacks(share / busy)))
	}
	return savedOf(t, share*h.Cores+waiting).smaller(both(bound.Lacks(share / busy)))
}
