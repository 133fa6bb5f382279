package analysis

import (
	"fmt"
	"slices"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/repetition"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// contrast is how the throughput of one variant differs from that of the other at
// the rungs that both measured.
type contrast struct {
	rungs []int
	// published says that the figures are published means, which have neither
	// repetitions nor an interval and are taken as they are.
	published bool
	all       repetition.Contrast
	// family is how many conclusions of a kind the analysis draws, which share the level
	// (Bonferroni).
	family int
}

// level is that of each interval.
func (c contrast) level() float64 { return 1 - (1-interval.Confidence)/float64(max(1, c.family)) }

// contrastOf compares two variants. Without a common rung, or where the two
// count different things, it has none.
func contrastOf(a *Analysis, from, to *Variant) contrast {
	c := contrast{published: a.Run.Reference != ""}
	var strata []repetition.Stratum
	for _, r := range from.Rungs {
		x, y := throughputsAt(a, from.Name, r.Instances), throughputsAt(a, to.Name, r.Instances)
		if len(x) > 0 && len(y) > 0 && from.Work.Unit == to.Work.Unit {
			c.rungs = append(c.rungs, r.Instances)
			strata = append(strata, repetition.Stratum{A: x, B: y, Ceiling: repetition.ThroughputCeiling})
		}
	}
	c.all = repetition.Compare(strata)
	return c
}

// throughputsAt are the logarithms of the throughput of the trials that passed.
func throughputsAt(a *Analysis, variant string, rung int) []float64 {
	return logarithmsAt(a, variant, rung, func(t TrialInfo) float64 { return t.Throughput })
}

func logarithmsAt(a *Analysis, variant string, rung int, figure func(TrialInfo) float64) []float64 {
	var values []float64
	for _, t := range a.Trials {
		if t.Variant == variant && t.Rung == rung && t.Status == string(result.Passed) {
			values = append(values, figure(t))
		}
	}
	return stats.Logarithms(values)
}

// mean is the mean change over the rungs.
func (c contrast) mean() interval.Interval {
	which := make([]int, len(c.rungs))
	for i := range which {
		which[i] = i
	}
	return interval.RelativeChange(c.all.Mean(which), c.level())
}

// has says that both variants measured a rung.
func (c contrast) has(rung int) bool { return slices.Contains(c.rungs, rung) }

// at is the change at one of the rungs.
func (c contrast) at(rung int) interval.Interval {
	return interval.RelativeChange(c.all.Each[slices.Index(c.rungs, rung)], c.level())
}

// standing holds a change against the smallest that matters.
type standing int

const (
	open     standing = iota // the interval allows both
	gained                   // it lies above 0, and the change matters
	lost                     // it lies below 0, and the change matters
	steadied                 // it lies within what does not matter
)

// stands judges a change; figures that are taken as they are need no interval.
func (c contrast) stands(i interval.Interval) standing {
	if i.Confidence == 0 && !c.published {
		return open
	}
	switch {
	case i.Low > 0 && i.Value >= moved:
		return gained
	case i.High < 0 && i.Value <= -moved:
		return lost
	case i.Low > -moved && i.High < moved:
		return steadied
	}
	return open
}

// rungsText names the rungs: "at 16 instances", "over 4 common rungs".
func (c contrast) rungsText(noun string) string {
	if len(c.rungs) == 1 {
		return "at " + words.Count(c.rungs[0], noun)
	}
	return fmt.Sprintf("over %d common rungs", len(c.rungs))
}
