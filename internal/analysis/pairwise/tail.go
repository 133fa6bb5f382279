package pairwise

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// leastBeyond is how many units of work lie beyond a percentile that says something.
const leastBeyond = 10

// tailShown reports whether the p99 of two variants at a rung differs by more than chance: each of
// both has enough units of work beyond it, and its repetitions leave out that they are the
// same. Published figures are taken as they are.
func (f figures) tailShown(from, to *model.Variant, n, pairs int) bool {
	c := ContrastBy(f.a, from, to, f.tails)
	if c.Published {
		return true
	}
	c.Family = pairs
	change := c.At(n)
	return f.beyond(from, n) && f.beyond(to, n) && change.Confidence > 0 && (change.Low > 0 || change.High < 0)
}

// tails are the logarithms of the p99 in the trials of a rung.
func (f figures) tails(variant string, n int) []float64 {
	return stats.Logarithms(trial.Collect(f.trials(variant, n), func(t *result.Trial) float64 { return t.Whole().P99 }))
}

// beyond reports whether enough units of work took longer than the p99 of a rung.
func (f figures) beyond(v *model.Variant, n int) bool {
	units := int64(0)
	for _, t := range f.trials(v.Name, n) {
		units += t.Whole().Count
	}
	return float64(units)/100 >= leastBeyond
}
