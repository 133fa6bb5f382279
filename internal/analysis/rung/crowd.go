package rung

import (
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// crowd is a trial with lookups by instance: it may have thousands.
type crowd struct {
	*result.Trial
	units        int64 // that all of them completed
	timed, means sortedFigures
}

func crowdOf(t *result.Trial) crowd {
	c := crowd{Trial: t}
	for i := range t.Instances {
		s := &t.Instances[i]
		c.units += s.Count
		c.timed, c.means = append(c.timed, timed(s)), append(c.means, s.Mean)
	}
	slices.Sort(c.timed)
	slices.Sort(c.means)
	return c
}

// share is an instance's share of all units of work.
func (c crowd) share(s *result.InstanceSummary) float64 {
	if c.units <= 0 {
		return 0
	}
	return float64(s.Count) / float64(c.units)
}

// sortedFigures are figures of all instances in their order.
type sortedFigures []float64

// without is the median of the figures of the others, for an instance with such a figure.
func (a sortedFigures) without(own float64) float64 {
	at, found := slices.BinarySearch(a, own)
	if !found { // the figure of an operation, not of units of work
		return stats.Median(a)
	}
	// The median lies between the two in the middle, which of one fewer are one further on
	// from where the own figure was.
	last := len(a) - 2
	if last < 0 {
		return 0
	}
	middle := make([]float64, 0, 2)
	for _, i := range []int{last / 2, (last + 1) / 2} {
		if i >= at {
			i++
		}
		middle = append(middle, a[i])
	}
	return stats.Median(middle)
}
