// Package pairwise compares the variants of a run with each other, with a baseline's and
// with published ones. It produces no sentences.
package pairwise

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// Contrast is the difference in throughput between two variants at the rungs that both
// measured.
type Contrast struct {
	Rungs []int
	// Published reports that the figures are published means, which have neither
	// repetitions nor an interval and are taken as they are.
	Published bool
	all       stats.Contrast
	// Family is how many conclusions of a kind the analysis draws, which share the level
	// (Bonferroni).
	Family int
}

// level is the confidence level of each interval.
func (c Contrast) level() float64 { return 1 - (1-stats.Confidence)/float64(max(1, c.Family)) }

// ContrastOf compares two variants. Without a common rung, or where the two
// count different things, it has none.
func ContrastOf(a *model.Analysis, from, to *model.Variant) Contrast {
	return ContrastBy(a, from, to, func(variant string, rung int) []float64 { return throughputsAt(a, variant, rung) })
}

// ContrastBy is the same for another figure. values returns its logarithms at a variant's
// rung.
func ContrastBy(a *model.Analysis, from, to *model.Variant, values func(variant string, rung int) []float64) Contrast {
	c := Contrast{Published: a.Run.Reference != ""}
	var strata []stats.Stratum
	for _, r := range from.Rungs {
		x, y := values(from.Name, r.Instances), values(to.Name, r.Instances)
		if len(x) > 0 && len(y) > 0 && from.Work.Unit == to.Work.Unit {
			c.Rungs = append(c.Rungs, r.Instances)
			strata = append(strata, stats.Stratum{A: x, B: y, Ceiling: stats.ThroughputCeiling})
		}
	}
	c.all = stats.Compare(strata)
	return c
}

// throughputsAt are the logarithms of the throughput of the trials that passed.
func throughputsAt(a *model.Analysis, variant string, rung int) []float64 {
	return logarithmsAt(a, variant, rung, func(t model.TrialInfo) float64 { return t.Throughput })
}

func logarithmsAt(a *model.Analysis, variant string, rung int, figure func(model.TrialInfo) float64) []float64 {
	var values []float64
	for _, t := range a.Trials {
		if t.Variant == variant && t.Rung == rung && t.Status == string(result.Passed) {
			values = append(values, figure(t))
		}
	}
	return stats.Logarithms(values)
}

// Mean is the mean change over the rungs.
func (c Contrast) Mean() stats.Interval {
	which := make([]int, len(c.Rungs))
	for i := range which {
		which[i] = i
	}
	return stats.RelativeChange(c.all.Mean(which), c.level())
}

// Has reports whether both variants measured a rung.
func (c Contrast) Has(rung int) bool { return slices.Contains(c.Rungs, rung) }

// At is the change at one of the rungs.
func (c Contrast) At(rung int) stats.Interval {
	return stats.RelativeChange(c.all.Each[slices.Index(c.Rungs, rung)], c.level())
}

// Moved is the change of throughput from which an experiment shows something.
const Moved = 0.1

// Standing holds a change against the smallest that matters.
type Standing int

// What a change can be.
const (
	Open     Standing = iota // the interval allows both
	Gained                   // it lies above 0, and the change matters
	Lost                     // it lies below 0, and the change matters
	Steadied                 // it is within the range that does not matter
)

// Stands judges a change; figures that are taken as they are need no interval.
func (c Contrast) Stands(i stats.Interval) Standing {
	if i.Confidence == 0 && !c.Published {
		return Open
	}
	switch {
	case i.Low > 0 && i.Value >= Moved:
		return Gained
	case i.High < 0 && i.Value <= -Moved:
		return Lost
	case i.Low > -Moved && i.High < Moved:
		return Steadied
	}
	return Open
}

// Outcome compares a change in throughput with the expectation: better, worse or same.
func (c Contrast) Outcome(did stats.Interval, expect string) model.Outcome {
	switch c.Stands(did) {
	case map[string]Standing{"better": Gained, "worse": Lost, "same": Steadied}[expect]:
		return model.Confirmed
	case Open:
		return model.Undecided
	}
	return model.Refuted
}

// Order is which of two variants does more.
type Order int

// Orders.
const (
	NoRung     Order = iota // both measured none
	Unrepeated              // nothing was repeated
	Undecided               // the interval allows both
	More                    // the second does
	Less                    // the second does less
)

// Order tells the two variants apart by the mean change over the rungs.
func (c Contrast) Order() Order {
	if len(c.Rungs) == 0 {
		return NoRung
	}
	switch mean := c.Mean(); {
	case mean.Confidence == 0:
		return Unrepeated
	case mean.Low > 0:
		return More
	case mean.High < 0:
		return Less
	}
	return Undecided
}
