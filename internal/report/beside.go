package report

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/text/words"
)

// besideTables are the two tables that compare published results with ours.
func besideTables(a *analysis.Analysis) []grid {
	return []grid{
		besideTable(a.Beside, "Throughput, times that of one "+strings.TrimSuffix(nouns(a), "s"), func(p analysis.GrowthPoint) float64 { return p.Throughput }),
		besideTable(a.Beside, "Mean response time, times that at the smallest rung", func(p analysis.GrowthPoint) float64 { return p.Response }),
	}
}

// besideTable has a column for every count that either of the two measured.
func besideTable(b *analysis.PublishedComparison, title string, of func(analysis.GrowthPoint) float64) grid {
	g := newGrid("l", "")
	g.title = title
	for _, n := range besideCounts(b) {
		g.head = append(g.head, cell{text: strconv.Itoa(n)})
	}
	for _, c := range b.Curves {
		g.add(besideRow(b, c, of)...)
	}
	g.drop = g.heads()[1:]
	slices.Reverse(g.drop)
	return g
}

// writeBeside shows published results next to ours, both relative to one instance.
func writeBeside(s sheet, a *analysis.Analysis) {
	b := a.Beside
	if b == nil || len(b.Curves) == 0 {
		return
	}
	s.heading("Beside published results")
	s.note(b.Source)
	for _, t := range besideTables(a) {
		s.gap()
		s.text(t.title + ":")
		s.table(t)
	}
	s.gap()
	s.items(b.Text)
}

func besideCounts(b *analysis.PublishedComparison) (counts []int) {
	for _, c := range b.Curves {
		for _, p := range c.Points {
			counts = append(counts, p.Instances)
		}
	}
	slices.Sort(counts)
	return slices.Compact(counts)
}

func besideRow(b *analysis.PublishedComparison, c analysis.GrowthCurve, of func(analysis.GrowthPoint) float64) []string {
	row := []string{c.Label}
	if c.Published {
		row[0] = "published " + c.Label
	}
	for _, n := range besideCounts(b) {
		text := ""
		for _, p := range c.Points {
			if p.Instances == n && of(p) > 0 {
				text = words.Figures(of(p))
			}
		}
		row = append(row, text)
	}
	return row
}
