package loadline

import (
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
)

// Limiting is where to look for the bottleneck: the first rung that broke
// an objective, or else the largest one with a measurement.
func Limiting(rungs []rung.Rung, l LoadLine) *rung.Rung {
	if r := rung.Find(rungs, l.Next); r != nil && r.Repetitions > 0 {
		return r
	}
	for i := len(rungs) - 1; i >= 0; i-- {
		if rungs[i].Repetitions > 0 {
			return &rungs[i]
		}
	}
	return nil
}

// LimitedBy is the resource that gave out where the line ends, nil where none was saturated or
// nothing was sampled.
func LimitedBy(rungs []rung.Rung, l LoadLine) *resource.Resource {
	r := Limiting(rungs, l)
	if r == nil {
		return nil
	}
	return resource.Limiting(r.Resources)
}
