package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// mostItems is how many items a terminal shows: those that differ most.
const mostItems = 5

// unfolded is how many rows a table of Markdown may have before it is folded.
const unfolded = 20

// writeLists writes what variants took for the items of a list: all together, and the few
// that differ most, at the smallest rung.
func writeLists(l *lines, a *analysis.Analysis) {
	if len(a.Lists) == 0 {
		return
	}
	list := a.Lists[0]
	l.heading(listHeading(a))
	rows := differing(list)
	if len(rows) < len(list.Rows) {
		l.paragraph(dim, fmt.Sprintf("%s, and the %d of %d that differ most", listTitle(a, list), len(rows), len(list.Rows)))
	} else {
		l.paragraph(dim, listTitle(a, list))
	}
	head, all := listTotals(a, list)
	g := grid{head: texts(head...), left: []bool{true}}
	for _, row := range slices.Concat(all, itemRows(rows, false)) {
		g.rows = append(g.rows, texts(row...))
	}
	l.table(g)
	for _, text := range slices.Concat(list.Differ, list.Bounds, list.Store) {
		l.item(dim, "•", l.plain(text))
	}
}

// differing are the rows with the largest ratio of slowest to fastest, or a failure, in the
// order of the list.
func differing(l analysis.List) []items.Row {
	worst := func(r items.Row) float64 {
		most := 0.0
		for _, c := range r.Cells {
			most = max(most, c.Ratio)
			if c.Failed > 0 {
				most = 1e9 // what failed differs most of all
			}
		}
		return most
	}
	sorted := slices.SortedStableFunc(slices.Values(l.Rows), func(x, y items.Row) int { return cmp.Compare(worst(y), worst(x)) })
	chosen := sorted[:min(mostItems, len(sorted))]
	return slices.DeleteFunc(slices.Clone(l.Rows), func(r items.Row) bool {
		return !slices.ContainsFunc(chosen, func(c items.Row) bool { return c.Name == r.Name })
	})
}

func listHeading(a *analysis.Analysis) string { return "By " + a.Study.Work.Unit.Name }

func listTitle(a *analysis.Analysis, l analysis.List) string {
	return "Time at " + words.Count(l.Rung, a.Study.Noun)
}

// listTotals are the head of a table, and its rows on all items together.
func listTotals(a *analysis.Analysis, l analysis.List) (head []string, rows [][]string) {
	labels := labelsOf(a)
	unit := a.Study.Work.Unit
	head = []string{unit.Name}
	mean := "geometric mean"
	if l.Common < len(l.Rows) {
		mean += fmt.Sprintf(" of %d", l.Common)
	}
	rows = [][]string{{"all " + unit.Plural}, {mean}, {"instant store, at most"}}
	cost, terabyte, read := []string{"cost per " + unit.Name}, []string{"cost per TB scanned"}, []string{"read by the engine"}
	for _, c := range l.Columns {
		head = append(head, cmp.Or(labels[c.Variant], c.Variant))
		rows[0] = append(rows[0], totalText(c))
		rows[1] = append(rows[1], spanKnown(c.Geometric))
		rows[2] = append(rows[2], fasterText(c.Storage))
		each, scanned := 0.0, 0.0
		if c.Cost != nil {
			each, scanned = c.Cost.Each, c.Cost.Terabyte
		}
		cost, terabyte = append(cost, currency(a.Prices, each)), append(terabyte, currency(a.Prices, scanned))
		read = append(read, readText(c.Read))
	}
	if slices.ContainsFunc(l.Columns, func(c items.Column) bool { return c.Read > 0 }) {
		rows = append(rows, read)
	}
	if has(l, func(c items.Cost) float64 { return c.Each }) {
		rows = append(rows, cost)
	}
	if has(l, func(c items.Cost) float64 { return c.Terabyte }) {
		rows = append(rows, terabyte)
	}
	return head, rows
}

func readText(bytes float64) string {
	if bytes <= 0 {
		return words.Missing
	}
	return words.Bytes(bytes)
}

func has(l analysis.List, of func(items.Cost) float64) bool {
	return slices.ContainsFunc(l.Columns, func(c items.Column) bool { return c.Cost != nil && of(*c.Cost) > 0 })
}

func currency(p *price.Prices, v float64) string {
	if p == nil || v <= 0 {
		return words.Missing
	}
	return money(v) + " " + p.Currency
}

func totalText(c items.Column) string {
	if c.Failed > 0 {
		return fmt.Sprintf("%d failed", c.Failed)
	}
	return spanKnown(c.Total)
}

func spanKnown(i stats.Interval) string {
	if i.Value == 0 {
		return words.Missing
	}
	return spanText(i, measuredSeconds)
}

func fasterText(s *items.Storage) string {
	if s == nil || s.Faster == 0 {
		return words.Missing
	}
	if s.Little() {
		return words.Percent(s.Busy) + " less time"
	}
	return words.Figures(s.Faster) + " times as fast"
}

// itemRows are the rows of single items, their times with bounds or without.
func itemRows(rows []items.Row, bounds bool) (all [][]string) {
	for _, r := range rows {
		row := []string{r.Name}
		for _, c := range r.Cells {
			row = append(row, itemText(c, bounds))
		}
		all = append(all, row)
	}
	return all
}

// itemText is the time of an item with its ratio to the fastest, and what failed.
func itemText(c items.Cell, bounds bool) string {
	var parts []string
	switch {
	case c.Time.Value > 0 && bounds:
		parts = append(parts, spanKnown(c.Time))
	case c.Time.Value > 0:
		parts = append(parts, measuredSeconds(c.Time.Value))
	}
	if c.Ratio > 1 {
		parts = append(parts, words.Figures(c.Ratio)+"×")
	}
	if c.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed (%s)", c.Failed, strings.Join(slices.Sorted(maps.Keys(c.Errors)), ", ")))
	}
	if c.Busy != nil && c.Busy.Bound != "" {
		parts = append(parts, string(c.Busy.Bound)+"-bound")
	}
	return cmp.Or(strings.Join(parts, ", "), words.Missing)
}

// lists writes the tables of all rungs; long ones are folded.
func (m *markdown) lists(a *analysis.Analysis) {
	for i, l := range a.Lists {
		if i == 0 {
			m.heading(listHeading(a))
		}
		m.line("### %s\n", plain(listTitle(a, l)))
		head, all := listTotals(a, l)
		m.head(1, head...)
		for _, row := range all {
			m.row(plains(row...)...)
		}
		m.line("")
		for _, text := range slices.Concat(l.Differ, l.Bounds, l.Store, words.NonEmpty([]string{l.Priced})) {
			m.line("- %s", m.prose(text))
		}
		m.line("")
		if len(l.Rows) > unfolded {
			m.line("<details><summary>%s</summary>\n", plain(fmt.Sprintf("The %d %s", len(l.Rows), a.Study.Work.Unit.Plural)))
		}
		m.head(1, head...)
		for _, row := range itemRows(l.Rows, true) {
			m.row(plains(row...)...)
		}
		if len(l.Rows) > unfolded {
			m.line("\n</details>")
		}
		m.line("")
	}
}
