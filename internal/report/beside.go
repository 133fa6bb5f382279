package report

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/text/words"
)

// besideTable is one of the two tables that compare published results with ours.
type besideTable struct {
	title string
	of    func(analysis.GrowthPoint) float64
}

// besideTables are none where there are no curves.
func besideTables(a *analysis.Analysis) []besideTable {
	if len(a.Beside.Curves) == 0 {
		return nil
	}
	return []besideTable{
		{"Throughput, times that of one " + strings.TrimSuffix(nouns(a), "s"), func(p analysis.GrowthPoint) float64 { return p.Throughput }},
		{"Mean response time, times that at the smallest rung", func(p analysis.GrowthPoint) float64 { return p.Response }},
	}
}

const besideHeading = "Beside published results"

// writeBeside shows published results next to ours, both relative to one instance. On a
// narrow terminal, the published figures for the largest counts come first.
func writeBeside(l *lines, a *analysis.Analysis) {
	b := a.Beside
	if b == nil || len(b.Curves) == 0 {
		return
	}
	l.heading(besideHeading)
	l.paragraph(dim, b.Source)
	for _, t := range besideTables(a) {
		l.gap()
		l.paragraph("", t.title+":")
		g := grid{head: texts(besideHead(b)...), left: []bool{true}}
		for _, c := range b.Curves {
			g.rows = append(g.rows, texts(besideRow(b, c, t.of)...))
		}
		counts := besideHead(b)[1:]
		slices.Reverse(counts)
		l.table(g, counts...)
	}
	l.gap()
	for _, text := range b.Text {
		l.item("", "•", l.plain(text))
	}
}

// beside is the same as Markdown, with the authors' conclusions.
func (m *markdown) beside(a *analysis.Analysis) {
	b := a.Beside
	if b == nil {
		return
	}
	m.heading(besideHeading)
	m.line("%s", m.prose(b.Source))
	for _, t := range besideTables(a) {
		m.line("\n%s:\n", plain(t.title))
		m.head(1, besideHead(b)...)
		for _, c := range b.Curves {
			m.row(plains(besideRow(b, c, t.of)...)...)
		}
	}
	m.line("")
	for _, text := range b.Text {
		m.line("- %s", m.prose(text))
	}
	for _, text := range b.Claims {
		m.line("- Published: %s", m.prose(text))
	}
}

// besideHead names the columns: every count that either of the two measured.
func besideHead(b *analysis.PublishedComparison) []string {
	head := []string{""}
	for _, n := range besideCounts(b) {
		head = append(head, strconv.Itoa(n))
	}
	return head
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
