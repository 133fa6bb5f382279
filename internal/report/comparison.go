package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"plimsoll/internal/analysis"
)

// Comparison writes how B differs from A: the verdict in words, then every
// difference of whole orders, and of operations where one was shown. width is
// the terminal's in columns (0 when not known).
func Comparison(w io.Writer, c *analysis.Comparison, width int) error {
	l := &lines{width: clampWidth(width)}
	l.paragraph("", c.Text)
	l.gap()
	l.paragraph("", fmt.Sprintf("Change from A (%s) to B (%s); between is what the repetitions leave open, p is of the Mann-Whitney U test at %s", c.A, c.B, percent(c.Alpha)))
	g := grid{
		head: texts("variant", c.Noun+"s", "what", "A", "B", "change", "between", "p", "n", "verdict"),
		left: []bool{true, false, true, false, false, false, false, false, false, true},
	}
	for _, d := range c.Differences {
		if worthShowing(d) {
			g.rows = append(g.rows, differenceRow(d))
		}
	}
	if !slices.ContainsFunc(c.Differences, func(d analysis.Difference) bool { return d.Variant != "" }) {
		g = g.dropped("variant")
	}
	l.table(g.without(l.width, "n", "p", "A", "between", "B"))
	for _, warning := range c.Warnings {
		l.item("", warning.Severity+":", warning.Text)
	}
	if len(c.Failed) > 0 {
		l.heading("Conditions that hold")
		writeAll(l, "✗", c.Failed)
	}
	return l.flush(w)
}

func worthShowing(d analysis.Difference) bool {
	return d.Operation == "order" || d.Verdict == analysis.Better || d.Verdict == analysis.Worse
}

func differenceRow(d analysis.Difference) []cell {
	what := d.Metric
	if d.Operation != "order" {
		what = d.Operation + " " + what
	}
	write := seconds
	switch d.Metric {
	case "throughput":
		write = number
	case "errors":
		write = percent
	}
	p := ""
	if !math.IsNaN(d.P) && d.Verdict != analysis.Untested {
		p = fmt.Sprintf("%.3f", d.P)
	}
	return texts(d.Variant, fmt.Sprint(d.Instances), what, write(d.A.Value), write(d.B.Value),
		signed(d.Change.Value), signed(d.Change.Low)+" … "+signed(d.Change.High),
		p, fmt.Sprintf("%d+%d", d.NA, d.NB), shortVerdict(d.Verdict))
}

// shortVerdict fits a column.
func shortVerdict(v analysis.Verdict) string {
	switch v {
	case analysis.NoDifference:
		return "none shown"
	case analysis.Untested:
		return "untested"
	default:
		return string(v)
	}
}

// signed writes a relative change: "+3.2 %".
func signed(v float64) string {
	if v > 0 {
		return "+" + percent(v)
	}
	return percent(v)
}
