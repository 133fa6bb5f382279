package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/text/words"
)

// heldMetrics are those that the tables of differences show, as far as they are known.
var heldMetrics = []string{"throughput", "mean", "p95", "p99"}

// writeAgainst shows how far the run lies from another one, or from published results.
func writeAgainst(s sheet, a *analysis.Analysis) {
	for i := range a.Against {
		g := &a.Against[i]
		s.heading("Against " + g.Name)
		s.text(g.Text)
		s.note(againstNote(g, a.Study.Unit))
		if len(g.Counterparts) > 0 {
			s.gap()
			s.table(againstTable(a, g))
		}
		s.items(slices.Concat(g.Apart, warningTexts(g)))
	}
}

// againstNote says what the columns of the table are.
func againstNote(g *analysis.ReferenceResult, unit string) string {
	switch {
	case g.Scaled():
		return words.Sentences(g.Source, "Differences are those of growth since the first rung of either side, where both are set equal; rungs are beside those that are as many times the first")
	case g.InShape:
		return words.Sentences(g.Source, "Differences are those of growth since the first common rung, where both are set equal")
	}
	return "The " + g.Called + " run's " + unit + ", and how this run differs from it, with the interval that the repetitions leave."
}

func warningTexts(g *analysis.ReferenceResult) (all []string) {
	for _, w := range g.Warnings {
		all = append(all, w.Text)
	}
	return all
}

// againstTable has a row for each rung that both measured. Where a terminal is narrow, intervals
// are left out first.
func againstTable(a *analysis.Analysis, g *analysis.ReferenceResult) grid {
	whole, short := heldTable(a, g, heldText), heldTable(a, g, heldShort)
	whole.drop, short.drop = []string{"p99", "p95"}, []string{"p99", "p95", g.Called, "mean"}
	whole.short = &short
	return whole
}

func heldTable(a *analysis.Analysis, g *analysis.ReferenceResult, write func(analysis.ReferenceFigure) string) grid {
	columns := []heldColumn{{g.Called, "throughput", func(_ analysis.Counterpart, h analysis.ReferenceFigure) cell {
		return cell{text: words.Number(h.Theirs.Value)}
	}}}
	for _, m := range knownMetrics(g, heldMetrics) {
		columns = append(columns, heldColumn{m, m, func(_ analysis.Counterpart, h analysis.ReferenceFigure) cell { return cell{text: write(h)} }})
	}
	return heldGrid(a, g, columns, func(c analysis.Counterpart, r analysis.CounterpartRung) bool {
		return r.Shared() || r.Instances == c.Base
	})
}

// timeMetrics are response times.
var timeMetrics = []string{"mean", "p50", "p90", "p95", "p99", "p99.9"}

// againstTables are the page's: for each other side with any of the metrics, its figures with our
// difference below each.
func againstTables(a *analysis.Analysis, metrics []string) (all []grid) {
	for i := range a.Against {
		g := &a.Against[i]
		var columns []heldColumn
		for _, m := range knownMetrics(g, metrics) {
			head, write := m, measuredSeconds
			if m == "throughput" {
				head, write = a.Study.Unit, words.Number
			}
			if g.InShape {
				head += ", times the base"
			} else {
				head += ", " + g.Label
			}
			columns = append(columns, heldColumn{head, m, func(c analysis.Counterpart, h analysis.ReferenceFigure) cell {
				return cell{lines: []string{theirText(g, c, m, h, write), heldText(h)}}
			}})
		}
		t := heldGrid(a, g, columns, func(analysis.Counterpart, analysis.CounterpartRung) bool { return true })
		t.title = "Against " + g.Name + ": its figures, and below how this run differs"
		if g.InShape {
			t.title = "Against " + g.Name + ": its figures over those at the first rung, and below how this run differs"
		}
		if len(columns) > 0 && len(t.rows) > 0 {
			all = append(all, t)
		}
	}
	return all
}

// theirText is a figure of the other side or, where only its shape compares, its ratio to the one at
// the base.
func theirText(g *analysis.ReferenceResult, c analysis.Counterpart, metric string, h analysis.ReferenceFigure, write func(float64) string) string {
	if !g.InShape {
		return spanText(h.Theirs, write)
	}
	for _, r := range c.Rungs {
		if base := r.Metrics[metric].Theirs.Value; r.Instances == c.Base && base > 0 {
			return words.Figures(h.Theirs.Value / base)
		}
	}
	return words.Missing
}

// heldColumn is a column of a table of differences.
type heldColumn struct {
	head, metric string
	write        func(analysis.Counterpart, analysis.ReferenceFigure) cell
}

// knownMetrics are some metrics as far as the other side has them.
func knownMetrics(g *analysis.ReferenceResult, metrics []string) []string {
	return slices.DeleteFunc(slices.Clone(metrics), func(m string) bool { return !g.Knows(m) })
}

func heldGrid(a *analysis.Analysis, g *analysis.ReferenceResult, columns []heldColumn, has func(analysis.Counterpart, analysis.CounterpartRung) bool) grid {
	t := newGrid("l", "variant", nouns(a))
	for _, c := range columns {
		t.head = append(t.head, cell{text: c.head})
	}
	for _, other := range g.Counterparts {
		for _, r := range other.Rungs {
			if !has(other, r) {
				continue
			}
			row := []cell{{text: counterpartName(other), variant: other.Variant, lines: counterpartLines(other)}, {text: besideText(r)}}
			for _, c := range columns {
				row = append(row, c.write(other, r.Metrics[c.metric]))
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// counterpartLines are the variant, and its counterpart where that has another name.
func counterpartLines(g analysis.Counterpart) []string {
	if g.Variant == g.Other {
		return nil
	}
	return []string{g.Variant, "against " + g.Other}
}

// besideText is a rung of ours, with theirs where that is another.
func besideText(r analysis.CounterpartRung) string {
	if r.Theirs == 0 {
		return strconv.Itoa(r.Instances)
	}
	return fmt.Sprintf("%d against %d", r.Instances, r.Theirs)
}

// counterpartName is the variant, with its counterpart where that has another name.
func counterpartName(g analysis.Counterpart) string {
	if g.Variant == g.Other {
		return g.Variant
	}
	return g.Variant + " against " + g.Other
}

// heldText writes "−12 % (−14 % … −9.8 %) worse"; the verdict only where one was shown.
func heldText(h analysis.ReferenceFigure) string {
	if h.Change == nil || !hasBounds(*h.Change) {
		return heldShort(h)
	}
	return strings.TrimSpace(signed(h.Change.Value) + " (" + between(*h.Change) + ") " + shownVerdict(h))
}

// heldShort leaves the interval out.
func heldShort(h analysis.ReferenceFigure) string {
	if h.Change == nil {
		return words.Missing
	}
	return strings.TrimSpace(signed(h.Change.Value) + " " + shownVerdict(h))
}

func shownVerdict(h analysis.ReferenceFigure) string {
	if v := family.Verdict(h.Verdict); v == family.Better || v == family.Worse {
		return h.Verdict
	}
	return ""
}
