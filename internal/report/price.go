package report

import (
	"slices"
	"strconv"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/text/words"
)

// priceTables are what the variants cost and what that buys, in work and in space.
func priceTables(a *analysis.Analysis) []grid {
	p := a.Prices
	if p == nil || len(p.Variants) == 0 {
		return nil
	}
	variant := column[price.Bill]{"variant", func(b price.Bill) cell { return cell{text: b.Variant, variant: b.Variant} }}
	g := gridOf("l", p.Variants, slices.Concat([]column[price.Bill]{
		variant,
		said("total", func(b price.Bill) string { return words.Number(b.Total) }),
		said("best "+p.Unit+" within objectives", func(b price.Bill) string { return words.Number(b.Throughput) }),
		said("at "+p.Noun+"s", func(b price.Bill) string { return strconv.Itoa(b.At) }),
		said("per "+p.Unit, func(b price.Bill) string { return money(b.PerUnit) }),
		said("per "+p.Noun, func(b price.Bill) string { return money(b.PerInstance) }),
		said("on the front", func(b price.Bill) string { return yesNo(b.OnFront) }),
	}, known(p.Variants,
		said(p.Unit+" per drive", func(b price.Bill) string { return numberOrMissing(b.PerDrive, words.Number) }),
		said("per raw TB", func(b price.Bill) string { return money(b.PerTerabyte) }),
	)))
	of := ", " + p.Currency + " over " + words.Significant(p.Years, 2) + " years"
	g.title = "Price and performance" + of
	space := known(p.Variants,
		said("usable", func(b price.Bill) string { return numberOrMissing(b.Usable, words.Bytes) }),
		said("per usable TB", func(b price.Bill) string { return money(b.PerUsableTerabyte) }),
		said("sets for equal space", func(b price.Bill) string { return numberOrMissing(b.Sets, words.Figures) }),
		said("their total", func(b price.Bill) string { return money(b.EqualTotal) }),
		said("their "+p.Unit, func(b price.Bill) string { return numberOrMissing(b.EqualThroughput, words.Number) }),
	)
	if len(space) == 0 {
		return []grid{g}
	}
	bySpace := gridOf("l", p.Variants, append([]column[price.Bill]{variant}, space...))
	bySpace.title = "Price and space" + of
	return []grid{g, bySpace}
}

// money writes a price with cents below 100 and whole units above; zero means
// that there is none.
func money(v float64) string {
	switch {
	case v == 0 || !finite(v):
		return words.Missing
	case v < 0.1:
		return words.Significant(v, 3)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return words.Number(v)
	}
}
