package analysis

import (
	"slices"

	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// lists are the tables of the items of lists.
func (s *subject) lists(variants []Variant, prices *price.Prices) []items.List {
	var sources []items.Source
	for _, v := range variants {
		if !v.Work.Listed {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(s.Run.Trials), func(t *result.Trial) bool { return t.Variant.Name != v.Name })
		sources = append(sources, items.Source{Variant: v.Name, Work: v.Work, Rungs: v.Rungs, Groups: trial.ByRung(own), Price: pricePerSecond(prices, v.Name)})
	}
	return items.Compare(s.Evidence, sources)
}

// pricePerSecond spreads a variant's bill over its years; 0 where it has none.
func pricePerSecond(prices *price.Prices, variant string) float64 {
	const year = 365.25 * 24 * 3600 // seconds
	if prices == nil || prices.Years <= 0 {
		return 0
	}
	for _, b := range prices.Variants {
		if b.Variant == variant {
			return b.Total / (prices.Years * year)
		}
	}
	return 0
}
