package report

import (
	"slices"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/price"
)

// bestFirst sorts an analysis' variants, their bills, and the findings about them, in the order of the
// page: the best first, then findings about several.
func bestFirst(a *analysis.Analysis) *analysis.Analysis {
	place := func(variant string) int {
		if at := slices.Index(a.Ranking, variant); at >= 0 {
			return at
		}
		return len(a.Ranking)
	}
	sorted := *a
	sorted.Variants = sortedBy(a.Variants, func(v analysis.Variant) int { return place(v.Name) })
	sorted.Verdict = sortedBy(a.Verdict, func(s analysis.Sentence) int { return place(s.Variant) })
	sorted.Findings = sortedBy(a.Findings, func(f analysis.Finding) int { return place(f.Variant) })
	if a.Prices != nil {
		prices := *a.Prices
		prices.Variants = sortedBy(prices.Variants, func(b price.Bill) int { return place(b.Variant) })
		sorted.Prices = &prices
	}
	return &sorted
}

// sortedBy is a copy of a list in the order of a key; what has the same key stays in order.
func sortedBy[T any](list []T, key func(T) int) []T {
	return slices.SortedStableFunc(slices.Values(list), func(x, y T) int { return key(x) - key(y) })
}
