package rung

import (
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/analysis/trust"
)

// Best is the index of the rung with the highest throughput, -1 for none.
func Best(rungs []Rung, allowed func(Rung) bool) int {
	best := -1
	for i, r := range rungs {
		if allowed(r) && (best < 0 || r.Throughput.Value > rungs[best].Throughput.Value) {
			best = i
		}
	}
	return best
}

// Measured reports whether a trial passed.
func Measured(r Rung) bool { return r.Repetitions > 0 }

// First is the smallest rung with a trial that passed; nil for none.
func First(rungs []Rung) *Rung {
	for i := range rungs {
		if Measured(rungs[i]) {
			return &rungs[i]
		}
	}
	return nil
}

// Throughputs lists the rungs that have one.
func Throughputs(rungs []Rung) (n, x []float64) {
	for _, r := range rungs {
		if r.Repetitions > 0 && r.Throughput.Value > 0 && r.Instances > 0 {
			n, x = append(n, float64(r.Instances)), append(x, r.Throughput.Value)
		}
	}
	return n, x
}

// Find gives the rung with so many instances, nil when there is none.
func Find(rungs []Rung, instances int) *Rung {
	for i := range rungs {
		if rungs[i].Instances == instances {
			return &rungs[i]
		}
	}
	return nil
}

// QueuedFor is how long a unit of work is at a device, in seconds, its requests one after the
// other.
func (r *Rung) QueuedFor(d *resource.Resource) float64 {
	return stats.Ratio(d.Queue, r.UnitsPerSecond)
}

// Unmeasured is where a bottleneck could hide at a rung.
func (r *Rung) Unmeasured() resource.BlindSpots { return r.LeftOpen.Beside(r.Resources) }

// AllFailed reports whether no trial passed.
func AllFailed(rungs []Rung) bool {
	for _, r := range rungs {
		if r.Repetitions > 0 {
			return false
		}
	}
	return true
}

// Broken are the places of the objectives that a rung does not keep.
func Broken(r *Rung) (places []int) {
	for i, o := range r.Objectives {
		if !o.Kept {
			places = append(places, i)
		}
	}
	return places
}

// Failing reports whether work fails at the rung, rather than being slow.
func Failing(r *Rung) bool {
	for _, o := range r.Objectives {
		if o.Metric == "errors" && !o.Kept && !o.Unknown {
			return true
		}
	}
	return r.Errors >= trust.ManyErrors
}

// PastPeak is the count at which throughput peaked, where it is clearly less at the largest
// rung; 0 where it is not.
func PastPeak(rungs []Rung) int {
	n, _ := Throughputs(rungs)
	if len(n) < 2 {
		return 0
	}
	peak := rungs[Best(rungs, Measured)]
	if !stats.ClearlyMore(peak.Throughput, Find(rungs, int(n[len(n)-1])).Throughput) {
		return 0
	}
	return peak.Instances
}

// Profiles are the time profiles of rungs.
func Profiles(rungs []Rung) []timeprofile.Step {
	steps := make([]timeprofile.Step, len(rungs))
	for i := range rungs {
		steps[i] = timeprofile.Step{Instances: rungs[i].Instances, Breakdown: rungs[i].Time}
	}
	return steps
}
