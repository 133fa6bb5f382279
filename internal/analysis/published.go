package analysis

import (
	"slices"

	"plimsoll/internal/analysis/claims"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/result"
)

// ledger judges the claims of the study and of published results.
func ledger(a *Analysis, run *result.Run, p *Published) []ClaimResult {
	var all []ClaimResult
	if run.Plan != nil && run.Plan.Study != nil {
		all = claims.Judge(a, run.Plan.Study.Claims, "", nil)
	}
	if p != nil {
		all = append(all, claims.Judge(a, p.Claims, "reference/"+p.Run.ID, levels(p.Run))...)
	}
	return say.Claims(all, a.Study.Noun)
}

// levels gives the levels of each published variant.
func levels(published *result.Run) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, t := range published.Trials {
		all[t.Variant.Name] = t.Variant.Factors
	}
	return all
}

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
	b := &PublishedComparison{Name: theirs.Study.Name, Source: theirs.Run.Reference, Notes: p.Notes}
	if ours, published := pairwise.GrowthCurves(a.Variants, false), pairwise.GrowthCurves(theirs.Variants, true); len(ours) > 0 && len(published) > 0 {
		b.Curves = append(ours, published...)
		b.Text = say.Agreements(b.Curves, a.Study.Noun)
	}
	if len(b.Curves) == 0 && len(b.Notes) == 0 {
		return nil
	}
	return b
}
