package analysis

import (
	"slices"

	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/say"
)

// publishedComparison returns nil where nothing is published or measured, or there are neither curves
// nor claims. Published figures that cannot be used do not stop our own report.
func publishedComparison(a *Analysis, p *Published) *PublishedComparison {
	measured := slices.ContainsFunc(a.Variants, func(v Variant) bool { return v.Best != nil })
	if p == nil || a.Run.Reference != "" || !measured {
		return nil
	}
	theirs, err := Analyse(p.Run, Options{})
	if err != nil {
		return nil
	}
	b := &PublishedComparison{Name: theirs.Study.Name, Source: theirs.Run.Reference, Claims: p.Claims}
	if ours, published := pairwise.GrowthCurves(a.Variants, false), pairwise.GrowthCurves(theirs.Variants, true); len(ours) > 0 && len(published) > 0 {
		b.Curves = append(ours, published...)
		b.Text = say.Agreements(b.Curves, a.Study.Noun)
	}
	if len(b.Curves) == 0 && len(b.Claims) == 0 {
		return nil
	}
	return b
}
