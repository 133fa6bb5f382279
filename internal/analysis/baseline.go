package analysis

import (
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// setBaseline divides each variant's best throughput by a baseline's. An unreadable
// baseline is a warning.
func setBaseline(a *Analysis, run *result.Run) {
	if run == nil {
		return
	}
	theirs, err := Analyse(run, Options{})
	if err != nil {
		a.Warnings = append(a.Warnings, trust.Warn(trust.Baseline, trust.Caution, trust.BaselineLeftOut, trust.Name(err.Error())))
		return
	}
	defer remarkBaseline(a)
	for i := range a.Variants {
		v := &a.Variants[i]
		if v.Best != nil {
			v.Best.Baseline = pairwise.Fraction(a, v, theirs)
		}
	}
}

// remarkBaseline warns where a fraction compares different sizes or counts.
func remarkBaseline(a *Analysis) {
	for i := range a.Variants {
		if v := &a.Variants[i]; v.Best != nil && v.Best.Baseline != nil && v.Best.Baseline.Remark != "" {
			b := v.Best.Baseline
			a.Warnings = append(a.Warnings, trust.Warn(trust.Baseline, trust.Note, trust.BaselineOther, trust.Name(v.Name), trust.Name(b.Variant), trust.Name(b.Remark)))
		}
	}
}
