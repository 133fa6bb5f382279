package main

import (
	"math"

	"plimsoll/internal/analysis/next"
)

// doubling is the search that the one in use is measured against: it doubles until an
// objective breaks, halves the bracket down to the precision, and measures both sides of
// the line three to five times.
func doubling(q next.Query, asked []next.Rung) next.Step {
	spent := 0
	for _, r := range asked {
		spent += r.Trials
	}
	if len(asked) == 0 {
		return next.Step{Rung: q.From}
	}
	low, high := next.Bracket(asked)
	from := 0
	if low != nil {
		from = low.Rung
	}
	switch {
	case spent >= q.Budget:
		return next.Step{Done: true}
	case high == nil && from < q.To:
		return next.Step{Rung: min(2*from, q.To)}
	case high != nil && high.Rung-from > max(1, q.Precision) && q.Budget-spent > 6:
		return next.Step{Rung: from + (high.Rung-from)/2}
	case low == nil:
		return twice(high, nil)
	}
	return twice(low, high)
}

// twice repeats the less certain side of the line.
func twice(a, b *next.Rung) next.Step {
	step, least := next.Step{Done: true}, 0.0
	for _, r := range []*next.Rung{a, b} {
		if r == nil {
			continue
		}
		spread := 0.1
		if r.Trials > 1 {
			spread = max(0.05, math.Sqrt(r.Squares/float64(r.Trials-1))) // about half the range of three to five
		}
		margin := math.Abs(r.Excess) / spread * math.Sqrt(float64(r.Trials))
		if (r.Trials < 3 || margin < 1 && r.Trials < 5) && (step.Done || margin < least) {
			step, least = next.Step{Rung: r.Rung}, margin
		}
	}
	return step
}
