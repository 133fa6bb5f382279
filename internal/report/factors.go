package report

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// writeFactors writes what figures of the page show, for readers without a browser.
func writeFactors(s sheet, a *analysis.Analysis) {
	for i, t := range factorTables(a) {
		if i == 0 {
			s.heading("By factor")
		} else {
			s.gap()
		}
		s.text(t.title + ":")
		s.table(t)
	}
}

// leastName is how short a name may become for a table to fit.
const leastName = 12

// squeeze shortens the names of columns, and then of rows, until the table fits the width or
// they can get no shorter.
func (g grid) squeeze(width int) {
	rows := make([]*cell, len(g.rows))
	for i := range g.rows {
		rows[i] = &g.rows[i][0]
	}
	heads := make([]*cell, len(g.head))
	for i := range g.head {
		heads[i] = &g.head[i]
	}
	for _, cells := range [][]*cell{heads, rows} {
		names, longest := make([]string, len(cells)), 0
		for i, c := range cells {
			names[i], longest = c.text, max(longest, runewidth.StringWidth(c.text))
		}
		for room := longest - 1; room >= leastName && g.width() > width; room-- {
			for i, short := range words.Distinct(names, room) {
				cells[i].text = short
			}
		}
	}
}

// factorTables are none where nothing varies and nothing is known to relate to. What answers
// the question stands first.
func factorTables(a *analysis.Analysis) (all []grid) {
	if t := answerTable(a); len(t.rows) > 0 {
		all = append(all, t)
	}
	for _, f := range a.Factors {
		if t := pairTable(a, f); len(t.rows) > 0 {
			all = append(all, t)
		}
	}
	if slices.ContainsFunc(a.Variants, related) {
		all = append(all, efficiencyTable(a))
	}
	return all
}

// related reports whether a variant's drives, price or baseline are known. Its use of cores
// alone does not justify a table, except for the throughput of a network, which is paid for
// in cores.
func related(v analysis.Variant) bool {
	b := v.Best
	return b != nil && (b.PerDrive > 0 || b.PerMoney > 0 || b.Rated > 0 || b.Baseline != nil || b.PerCore > 0 && v.Work.Unit.Each > 0)
}

// pairTable holds the levels of a factor against its first, a row for each
// combination of the other factors.
func pairTable(a *analysis.Analysis, f analysis.Factor) grid {
	t := levelGrid(a, f.Levels)
	t.title = "Throughput by " + f.Name + ", with its ratio to the first"
	if a.Study.OpenLoop {
		t.title = "Mean response time and p99 by " + f.Name + ", at the rate that was offered"
	}
	for i := 0; i < len(a.Pairs); {
		p := a.Pairs[i]
		row := []string{cmp.Or(p.Shared, "all"), strconv.Itoa(p.At), pairCell(a, p.From, p.At, "")}
		cells := map[string]string{}
		for ; i < len(a.Pairs) && a.Pairs[i].Factor == p.Factor && a.Pairs[i].From == p.From; i++ {
			to := a.Pairs[i]
			cells[levelOf(a, to.To, f.Path)] = pairCell(a, to.To, to.At, ", "+spanText(to.Ratio, words.Figures))
		}
		for _, l := range f.Levels[1:] {
			row = append(row, cmp.Or(cells[l.Level], words.Missing))
		}
		if p.Factor == f.Path {
			t.add(row...)
		}
	}
	return t
}

// levelGrid has a column for each level of a factor.
func levelGrid(a *analysis.Analysis, levels []analysis.Level) grid {
	g := newGrid("l", "", "at "+nouns(a))
	g.head[1].lines = []string{words.Capital(nouns(a))}
	g.levels = true
	for _, l := range levels {
		g.head = append(g.head, cell{text: l.Label, lines: []string{l.Label}})
	}
	return g
}

// levelOf is the level of a factor that a variant has.
func levelOf(a *analysis.Analysis, name, path string) string {
	for _, v := range a.Variants {
		if v.Name == name {
			return v.Factors[path]
		}
	}
	return ""
}

// pairCell is a variant's throughput with its ratio; of an open loop, where it is what was
// offered, the response times.
func pairCell(a *analysis.Analysis, name string, at int, ratio string) string {
	if !a.Study.OpenLoop {
		return throughputAt(a, name, at) + ratio
	}
	for _, v := range a.Variants {
		if r, measured := rungOf(v, at); v.Name == name && measured {
			return measuredSeconds(r.Mean.Value) + ", p99 " + measuredSeconds(r.Percentile["p99"])
		}
	}
	return words.Missing
}

func throughputAt(a *analysis.Analysis, name string, rung int) string {
	for _, v := range a.Variants {
		if r, measured := rungOf(v, rung); v.Name == name && measured {
			return say.Plain(r.Throughput, words.Number) + " " + v.Work.Unit.Throughput
		}
	}
	return words.Missing
}

// efficiencyTable is each variant's best throughput divided by its use of resources.
// Columns without data are left out.
func efficiencyTable(a *analysis.Analysis) grid {
	able := slices.DeleteFunc(slices.Clone(a.Variants), func(v analysis.Variant) bool { return v.Best == nil })
	money := "per 1,000"
	if a.Prices != nil {
		money += " " + a.Prices.Currency
	}
	per := func(head string, of func(*analysis.Best) float64, text func(float64) string) column[analysis.Variant] {
		return said(head, func(v analysis.Variant) string { return numberOrMissing(of(v.Best), text) })
	}
	t := gridOf("l", able, append([]column[analysis.Variant]{
		{"", func(v analysis.Variant) cell { return cell{text: variantTitle(v), variant: v.Name} }},
		said("best", func(v analysis.Variant) string {
			return say.Plain(v.Best.Throughput, words.Number) + " " + v.Work.Unit.Throughput
		}),
		said("at "+nouns(a), func(v analysis.Variant) string { return strconv.Itoa(v.Best.Rung) }),
	}, known(able,
		per("drives", func(b *analysis.Best) float64 { return b.Drives }, words.Number),
		per("per drive", func(b *analysis.Best) float64 { return b.PerDrive }, words.Number),
		per("of rated", func(b *analysis.Best) float64 { return b.Rated }, words.PercentOf),
		per("of "+baselineName(able), ofBaseline, words.PercentOf),
		per(money, func(b *analysis.Best) float64 { return b.PerMoney }, words.Number),
		per("per core used", func(b *analysis.Best) float64 { return b.PerCore }, words.Number),
	)...))
	t.title, t.levels = bestTitle(a), true
	return t
}

func ofBaseline(b *analysis.Best) float64 {
	if b.Baseline == nil {
		return 0
	}
	return b.Baseline.Share
}

// baselineName is the run that throughput is related to.
func baselineName(variants []analysis.Variant) string {
	for _, v := range variants {
		if v.Best.Baseline != nil {
			return v.Best.Baseline.Run
		}
	}
	return "baseline"
}

// bestTitle says which rung a best one is.
func bestTitle(a *analysis.Analysis) string {
	if len(a.Study.Objectives) == 0 {
		return "Best throughput of all rungs, and what it uses"
	}
	return "Best throughput within the objectives (overall, where none meets them), and what it uses"
}
