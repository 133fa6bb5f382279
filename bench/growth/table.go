package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// row is one line of the table and one curve.
type row struct {
	name  string
	of    func(taken) float64
	unit  string
	limit float64 // 0 is none
}

// rows are the measured quantities.
func rows() []row {
	return []row{
		{"on the wire, for each instance", func(t taken) float64 { return float64(t.Wire) / float64(t.seconds) / float64(t.driven()) }, "B/s", 0},
		{"on the wire, in all", func(t taken) float64 { return float64(t.Wire) / float64(t.seconds*t.trials()) / 1e6 }, "MB/s", 0},
		{"plan", func(t taken) float64 { return t.Plan.Seconds() }, "s", 0},
		{"campaign: CPU", func(t taken) float64 { return t.cpu().Seconds() / float64(t.seconds*t.trials()) }, "cores", 1},
		{"campaign: peak memory", func(t taken) float64 { return float64(t.collect.Peak) / 1e6 }, "MB", 1000},
		{"journal", func(t taken) float64 { return float64(t.journal) / 1e3 }, "kB", 0},
		{"run directory", func(t taken) float64 { return float64(t.run) / 1e6 }, "MB", 0},
		{"report as text: time", func(t taken) float64 { return t.text.Took.Seconds() }, "s", 60},
		{"report as text: peak memory", func(t taken) float64 { return float64(t.text.Peak) / 1e6 }, "MB", 500},
		{"report as HTML: time", func(t taken) float64 { return t.html.Took.Seconds() }, "s", 60},
		{"report as HTML: peak memory", func(t taken) float64 { return float64(t.html.Peak) / 1e6 }, "MB", 500},
		{"page", func(t taken) float64 { return float64(t.page) / 1e6 }, "MB", 20},
	}
}

// print writes the table, as Markdown.
func print(w io.Writer, all []taken) {
	var head, line strings.Builder
	for _, t := range all {
		fmt.Fprintf(&head, " %s nodes, %s instances, %s users |", grouped(t.nodes), grouped(t.instances), grouped(t.instances*t.users))
		line.WriteString("---:|")
	}
	fmt.Fprintf(w, "| |%s goal |\n|---|%s---:|\n", head.String(), line.String())
	for _, r := range rows() {
		fmt.Fprintf(w, "| %s |", r.name)
		for _, t := range all {
			fmt.Fprintf(w, " %s %s |", figure(r.of(t)), r.unit)
		}
		goal := ""
		if r.limit > 0 {
			goal = fmt.Sprintf("< %s %s", figure(r.limit), r.unit)
		}
		fmt.Fprintf(w, " %s |\n", goal)
	}
	for _, t := range all {
		fmt.Fprintf(w, "\n%s instances: %d trials of up to %d drivers, which recorded %d s; the campaign took %.1f s, of which %.1f s from the first driver of the last trial on\n",
			grouped(t.instances), t.trials(), t.size.drivers(), t.seconds, t.Whole.Seconds(), t.Drive.Seconds())
	}
}

// figure is a number with at most three significant digits.
func figure(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return grouped(int(math.Round(v)))
	}
	decimals := max(0, 1-int(math.Floor(math.Log10(v))))
	return fmt.Sprintf("%.*f", decimals, v)
}

// grouped writes a whole number with commas.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
