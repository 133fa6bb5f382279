package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// Comparison writes how B differs from A: the verdict in words, the grades and
// what differs between the studies, then every difference of the unit of work, and of
// operations where one was shown. width is the terminal's in columns (0 when not
// known).
func Comparison(w io.Writer, c *compare.Comparison, width int) error {
	l := &lines{width: clampWidth(width)}
	l.paragraph("", c.Text)
	l.gap()
	l.item("", "Grades:", fmt.Sprintf("%s for A (%s), %s for B (%s)", gradeOrNone(c.GradeA), c.A, gradeOrNone(c.GradeB), c.B))
	l.item("", "Differs:", differs(c))
	for _, text := range c.Apart {
		l.item("", "Apart:", text)
	}
	if len(c.Shape) > 0 {
		writeShape(l, c)
		return l.flush(w)
	}
	l.gap()
	l.paragraph("", fmt.Sprintf("Change from A to B of the geometric means; between is the 95 %% interval that the repetitions leave, p is adjusted for the number of tests that share the level of %s", words.PercentOf(c.Alpha)))
	g := newGrid("lrlrrrrrrl", "variant", c.Noun+"s", "what", "A", "B", "change", "between", "p", "n", "verdict")
	g.drop = []string{"n", "p", "A", "between", "B"}
	for _, d := range c.Differences {
		if worthShowing(c, d) {
			g.add(differenceRow(c, d)...)
		}
	}
	if !slices.ContainsFunc(c.Differences, func(d family.Difference) bool { return d.Variant != "" }) {
		g = g.dropped("variant")
	}
	l.table(g)
	for _, warning := range c.Warnings {
		l.item("", string(warning.Severity)+":", warning.Text)
	}
	if len(c.Failed) > 0 {
		l.heading("Conditions that hold")
		l.list("✗", c.Failed)
	}
	if len(c.Passed) > 0 {
		l.heading("Conditions that pass")
		l.list("✓", c.Passed)
	}
	if len(c.Undecided) > 0 {
		l.heading("Undecided conditions")
		l.list("?", c.Undecided)
	}
	return l.flush(w)
}

// writeShape writes the ratios of both sides.
func writeShape(l *lines, c *compare.Comparison) {
	l.gap()
	l.paragraph("", "Throughput, and mean response time, over that of another rung or variant of the same side")
	g := newGrid("llll", "variant of A", "of B", "at", "over", "A", "B", "B over A", "time A", "time B")
	g.drop = []string{"time A", "time B", "of B", "over"}
	for _, s := range c.Shape {
		g.add(s.VariantA, s.VariantB, s.At, Plain(s.To), words.Figures(s.A), words.Figures(s.B), signed(s.Off),
			numberOrMissing(s.ResponseA, words.Figures), numberOrMissing(s.ResponseB, words.Figures))
	}
	l.table(g)
	for _, warning := range c.Warnings {
		l.item("", string(warning.Severity)+":", warning.Text)
	}
}

func gradeOrNone(grade string) string {
	if grade == "" {
		return "none"
	}
	return grade
}

func differs(c *compare.Comparison) string {
	if len(c.Differs) == 0 {
		return "no setting"
	}
	return strings.Join(c.Differs, "; ")
}

// worthShowing leaves out of the terminal what the page and the JSON have: of the
// parts of a unit of work, metrics besides mean and p95, and those without a difference.
func worthShowing(c *compare.Comparison, d family.Difference) bool {
	if d.Operation == c.Work.Whole() {
		return true
	}
	shown := d.Verdict == family.Better || d.Verdict == family.Worse
	return shown && (d.Metric == "mean" || d.Metric == "p95")
}

func differenceRow(c *compare.Comparison, d family.Difference) []string {
	what := d.Metric
	if d.Operation != c.Work.Whole() {
		what = d.Operation + " " + what
	}
	write := words.Latency
	switch d.Metric {
	case "throughput":
		write = words.Number
	case "errors":
		write = words.PercentOf
	}
	p := ""
	switch {
	case math.IsNaN(d.P) || d.Verdict == family.Untested:
	case d.P < 0.001:
		p = "<0.001"
	default:
		p = fmt.Sprintf("%.3f", d.P)
	}
	return []string{d.Variant, fmt.Sprint(d.Instances), what, write(d.A.Value), write(d.B.Value),
		signed(d.Change.Value), between(d.Change),
		p, fmt.Sprintf("%d+%d", d.NA, d.NB), shortVerdict(d.Verdict)}
}

// shortVerdict fits a column.
func shortVerdict(v family.Verdict) string {
	switch v {
	case family.NoDifference:
		return "none shown"
	case family.Untested:
		return "untested"
	default:
		return string(v)
	}
}

// between writes the bounds of a change, nothing where there are none.
func between(i stats.Interval) string {
	if !hasBounds(i) {
		return words.Missing
	}
	return signed(i.Low) + " … " + signed(i.High)
}

// signed writes a relative change: "+3.2 %", and from tenfold on the factor: "36 ×".
func signed(v float64) string {
	if v >= stats.LargeChange {
		return words.Figures(1+v) + " ×"
	}
	if v > 0 {
		return "+" + words.PercentOf(v)
	}
	return words.PercentOf(v)
}
