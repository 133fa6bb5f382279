package neighbour

import (
	"math"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// WithoutCPU bounds a trial's figures where others used a share of the machine's CPU. While they ran, work
// of the trial was ready and waited: of the time that it waited for a CPU, as much as they had of all
// that was used, and of the time that it ran, as long as all CPUs were taken; no more than waited could
// have run besides. Without that the units under way, which are L = X*R of Little's law (1961), end so
// much earlier. Others took no more than the trial could have used: if it used u, it is at most
// (u+s)/u times as fast, in the time in which something waited.
func WithoutCPU(t *result.Trial, h trial.Host, share float64) bound.Bound {
	busy, known := h.Mean(describe.CPUKind, "", "utilisation")
	if !known || share <= 0 {
		return bound.Bound{}
	}
	busy = min(1, max(busy, share))
	most := bound.Lacks(share * waitedAt(h, busy) / busy)
	if waiting, counted := waitingForCPU(h); counted {
		turns := (waiting + max(0, busy-share)*h.Cores*waitedAt(h, busy)) * share / busy
		return smaller(most, savedOf(t, min(waiting, turns)))
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

// savedOf bounds a rate by so many units of work that waited for something else, on average.
func savedOf(t *result.Trial, waiting float64) bound.Bound {
	underWay := stats.Ratio(float64(trial.Ended(t)), trial.Seconds(t)) * t.Whole().Mean
	return bound.Lacks(min(0.99, stats.Ratio(waiting, underWay)))
}

func smaller(a, b bound.Bound) bound.Bound {
	if a.Size() < b.Size() {
		return a
	}
	return b
}

// Stolen bounds a trial's figures on a machine whose hypervisor gave a share of its CPU to others: whoever
// ran there stood still, and those that waited for the same CPU waited longer.
func Stolen(t *result.Trial, h trial.Host, share float64) bound.Bound {
	most := WithoutCPU(t, h, share)
	waiting, counted := waitingForCPU(h)
	busy, _ := h.Mean(describe.CPUKind, "", "utilisation")
	switch {
	case h.Cores <= 0 || busy <= share:
		return most
	case !counted: // at most all of the response time was on a CPU
		return smaller(bound.Sum(most, savedOf(t, share*h.Cores)), bound.Lacks(share/busy))
	}
	return savedOf(t, share*h.Cores*(1+waiting/((busy-share)*h.Cores)))
}
