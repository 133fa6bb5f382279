package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
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

// mostShaded is how many of a long list the page shows.
const mostShaded = 12

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
	rows := differing(list, mostItems)
	if len(rows) < len(list.Rows) {
		l.paragraph(dim, fmt.Sprintf("%s, and the %d of %d that differ most", listTitle(a, list), len(rows), len(list.Rows)))
	} else {
		l.paragraph(dim, listTitle(a, list))
	}
	g := listTotals(a, list)
	addItems(&g, rows, false)
	l.table(g)
	l.items(slices.Concat(list.Differ, list.Bounds, list.Store))
}

// differing are the rows with the largest ratio of slowest to fastest, or a failure, in the
// order of the list.
func differing(l analysis.List, most int) []items.Row {
	worst := func(r items.Row) float64 {
		ratio := 0.0
		for _, c := range r.Cells {
			ratio = max(ratio, c.Ratio)
			if c.Failed > 0 {
				ratio = 1e9 // what failed differs most of all
			}
		}
		return ratio
	}
	sorted := slices.SortedStableFunc(slices.Values(l.Rows), func(x, y items.Row) int { return cmp.Compare(worst(y), worst(x)) })
	chosen := sorted[:min(most, len(sorted))]
	return slices.DeleteFunc(slices.Clone(l.Rows), func(r items.Row) bool {
		return !slices.ContainsFunc(chosen, func(c items.Row) bool { return c.Name == r.Name })
	})
}

func listHeading(a *analysis.Analysis) string { return "By " + a.Study.Work.Unit.Name }

func listTitle(a *analysis.Analysis, l analysis.List) string {
	return "Time at " + words.Count(l.Rung, a.Study.Noun)
}

// listTotals is a table with its rows on all items together.
func listTotals(a *analysis.Analysis, l analysis.List) grid {
	labels := labelsOf(a)
	unit := a.Study.Work.Unit
	g := newGrid("l", unit.Name)
	mean := "geometric mean"
	if l.Common < len(l.Rows) {
		mean += fmt.Sprintf(" of %d", l.Common)
	}
	for _, c := range l.Columns {
		g.head = append(g.head, cell{text: cmp.Or(labels[c.Variant], c.Variant), variant: c.Variant})
	}
	for _, row := range []struct {
		head string
		of   func(items.Column) string
	}{
		{"all " + unit.Plural, totalText},
		{mean, func(c items.Column) string { return spanKnown(c.Geometric) }},
		{"devices busy, at most", func(c items.Column) string { return busiestDevice(c.Storage) }},
		{"instant store, at most", func(c items.Column) string { return fasterText(c.Storage) }},
		{"read by the engine", func(c items.Column) string { return numberOrMissing(c.Read, words.Bytes) }},
		{"cost per " + unit.Name, func(c items.Column) string {
			return costText(a.Prices, c.Cost, func(c *items.Cost) float64 { return c.Each })
		}},
		{"cost per TB scanned", func(c items.Column) string {
			return costText(a.Prices, c.Cost, func(c *items.Cost) float64 { return c.Terabyte })
		}},
	} {
		texts, known := []string{row.head}, false
		for _, c := range l.Columns {
			texts = append(texts, row.of(c))
			known = known || row.of(c) != words.Missing
		}
		if known {
			g.add(texts...)
		}
	}
	return g
}

func costText(p *price.Prices, c *items.Cost, of func(*items.Cost) float64) string {
	if p == nil || c == nil || of(c) <= 0 {
		return words.Missing
	}
	return money(of(c)) + " " + p.Currency
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

func busiestDevice(s *items.Storage) string {
	if s == nil {
		return words.Missing
	}
	return numberOrMissing(s.Busy, words.Percent)
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

// addItems adds the rows of single items, their times with bounds or without.
func addItems(g *grid, rows []items.Row, bounds bool) {
	for _, r := range rows {
		row := texts(r.Name)
		for _, c := range r.Cells {
			row = append(row, itemCell(c, bounds))
		}
		g.rows = append(g.rows, row)
	}
}

// deepest is the ratio to the fastest that has the full colour.
const deepest = 4

// itemCell is the time of an item with its ratio to the fastest, and what failed.
func itemCell(c items.Cell, bounds bool) cell {
	var parts []string
	switch {
	case c.Time.Value > 0 && bounds:
		parts = append(parts, spanKnown(c.Time))
	case c.Time.Value > 0:
		parts = append(parts, measuredSeconds(c.Time.Value))
	}
	out := cell{kind: ShadedCell, title: busyText(c)}
	if c.Ratio > 1 {
		parts = append(parts, words.Figures(c.Ratio)+"×")
		out.share = min(1, math.Log(c.Ratio)/math.Log(deepest))
	}
	if c.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed (%s)", c.Failed, strings.Join(slices.Sorted(maps.Keys(c.Errors)), ", ")))
	}
	if c.Busy != nil && c.Busy.Bound != "" {
		parts = append(parts, string(c.Busy.Bound)+"-bound")
	}
	out.text, out.lines = cmp.Or(strings.Join(parts, ", "), words.Missing), parts
	switch {
	case c.Ratio > 1 && c.Time.Value > 0: // what colour stands for comes first
		out.lines = slices.Concat(parts[1:2], parts[:1], parts[2:])
	case c.Ratio > 0:
		out.lines = append([]string{"fastest"}, parts...)
	}
	return out
}

// busyText is the evidence of what an item is bound by, and what the engine counted.
func busyText(c items.Cell) string {
	text := ""
	if b := c.Busy; b != nil {
		var parts []string
		add := func(name string, share *float64) {
			if share != nil {
				parts = append(parts, name+" "+words.Percent(*share))
			}
		}
		if b.Storage != nil {
			add("devices", &b.Storage.Busy)
		}
		add("CPU", b.CPU)
		add("network", b.Network)
		if b.Others > 0 {
			add("CPU by other processes", &b.Others)
		}
		text = fmt.Sprintf("Busy while it ran: %s (%d samples).", strings.Join(parts, ", "), b.Samples)
		if b.Storage != nil && b.Storage.Faster > 0 {
			text += " With a store that takes no time, at most " + words.Figures(b.Storage.Faster) + " times as fast."
		}
	}
	if c.Read > 0 {
		text += " The engine read " + words.Bytes(c.Read) + "."
	}
	return strings.TrimSpace(text)
}

// itemTables are those of a list on the page: all items together, those that differ most, and of a
// long list all of them.
func itemTables(a *analysis.Analysis, l analysis.List) []grid {
	several := a.Study.Work.Unit.Plural
	totals := listTotals(a, l)
	totals.title = "All " + several + " at " + words.Count(l.Rung, a.Study.Noun)
	every := totals
	every.title = fmt.Sprintf("Time of each %s at %s, and how many times that of the fastest variant it is: the deeper the colour, the slower", a.Study.Work.Unit.Name, words.Count(l.Rung, a.Study.Noun))
	every.rows = nil
	some := every
	addItems(&every, l.Rows, true)
	if len(l.Rows) <= unfolded {
		return []grid{totals, every}
	}
	rows := differing(l, mostShaded)
	some.title = fmt.Sprintf("The %d of %d %s that differ most: the deeper the colour, the slower", len(rows), len(l.Rows), several)
	addItems(&some, rows, true)
	every.title, every.folded = fmt.Sprintf("All %d %s", len(l.Rows), several), true
	return []grid{totals, some, every}
}

// lists writes the tables of all rungs; long ones are folded.
func (m *markdown) lists(a *analysis.Analysis) {
	for i, l := range a.Lists {
		if i == 0 {
			m.heading(listHeading(a))
		}
		m.line("### %s\n", plain(listTitle(a, l)))
		g := listTotals(a, l)
		m.table(g)
		m.items(slices.Concat(l.Differ, l.Bounds, l.Store, words.NonEmpty([]string{l.Priced})))
		m.line("")
		if len(l.Rows) > unfolded {
			m.line("<details><summary>%s</summary>\n", plain(fmt.Sprintf("The %d %s", len(l.Rows), a.Study.Work.Unit.Plural)))
		}
		g.rows = nil
		addItems(&g, l.Rows, true)
		m.table(g)
		if len(l.Rows) > unfolded {
			m.line("\n</details>")
		}
		m.line("")
	}
}
