package report

import (
	"fmt"
	"io"
	"math"

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
		head: []cell{{text: "variant"}, {text: c.Noun + "s"}, {text: "what"}, {text: "A"}, {text: "B"}, {text: "change"}, {text: "between"}, {text: "p"}, {text: "n"}, {text: "verdict"}},
		left: []bool{true, false, true, false, false, false, false, false, false, true},
	}
	for _, d := range c.Differences {
		if worthShowing(d) {
			g.rows = append(g.rows, differenceRow(d))
		}
	}
	l.table(g)
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
	return []cell{
		{text: d.Variant}, {text: fmt.Sprint(d.Instances)}, {text: what},
		{text: write(d.A.Value)}, {text: write(d.B.Value)},
		{text: signed(d.Change.Value)}, {text: signed(d.Change.Low) + " … " + signed(d.Change.High)},
		{text: p}, {text: fmt.Sprintf("%d+%d", d.NA, d.NB)}, {text: string(d.Verdict)},
	}
}

// signed writes a relative change: "+3.2 %".
func signed(v float64) string {
	text := percent(math.Abs(v))
	switch {
	case v > 0:
		return "+" + text
	case v < 0:
		return "-" + text
	}
	return text
}
