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
	metrics := slices.DeleteFunc(slices.Clone(heldMetrics), func(m string) bool { return !g.Knows(m) })
	t := newGrid("l", append([]string{"variant", nouns(a), g.Called}, metrics...)...)
	for _, other := range g.Counterparts {
		for _, r := range other.Rungs {
			if !r.Shared() && r.Instances != other.Base {
				continue
			}
			row := []string{counterpartName(other), besideText(r), words.Number(r.Metrics["throughput"].Theirs.Value)}
			for _, m := range metrics {
				row = append(row, write(r.Metrics[m]))
			}
			t.add(row...)
		}
	}
	return t
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
