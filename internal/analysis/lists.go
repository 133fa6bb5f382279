package analysis

import (
	"slices"

	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// lists are the tables of the items of lists; the bills must be there.
func (s *subject) lists(a *Analysis) []items.List {
	var sources []items.Source
	for _, v := range a.Variants {
		if !v.Work.Listed {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(s.Run.Trials), func(t *result.Trial) bool { return t.Variant.Name != v.Name })
		sources = append(sources, items.Source{Variant: v.Name, Work: v.Work, Rungs: v.Rungs, Groups: trial.ByRung(own), Price: pricePerSecond(a, v.Name)})
	}
	return items.Compare(s.Evidence, sources)
}

// pricePerSecond spreads a variant's bill over its years; 0 where it has none.
func pricePerSecond(a *Analysis, variant string) float64 {
	const year = 365.25 * 24 * 3600 // seconds
	if a.Prices == nil || a.Prices.Years <= 0 {
		return 0
	}
	for _, b := range a.Prices.Variants {
		if b.Variant == variant {
			return b.Total / (a.Prices.Years * year)
		}
	}
	return 0
}
