package analysis

import (
	"slices"

	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// withBaseline divides each variant's best throughput by a baseline's, and warns where that compares
// different sizes or counts. An unreadable baseline is a warning.
func withBaseline(figures Analysis, run *result.Run) Analysis {
	if run == nil {
		return figures
	}
	a := figures
	theirs, err := Analyse(run, Options{})
	if err != nil {
		a.Warnings = slices.Concat(a.Warnings, []trust.Warning{trust.Warn(trust.Baseline, trust.Caution, trust.BaselineLeftOut, trust.Name(err.Error()))})
		return a
	}
	a.Variants, a.Warnings = slices.Clone(a.Variants), slices.Clone(a.Warnings)
	for i := range a.Variants {
		v := &a.Variants[i]
		if v.Best == nil {
			continue
		}
		best := *v.Best
		best.Baseline = pairwise.Fraction(&figures, v, theirs)
		if v.Best = &best; best.Baseline != nil && len(best.Baseline.Differs) > 0 {
			say.SetRemark(best.Baseline)
			a.Warnings = append(a.Warnings, trust.Warn(trust.Baseline, trust.Note, trust.BaselineOther, trust.Name(v.Name), trust.Name(best.Baseline.Variant), trust.Name(best.Baseline.Remark)))
		}
	}
	return a
}
