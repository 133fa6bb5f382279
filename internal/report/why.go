package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/provenance"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/text/words"
)

// Why writes the chain from the verdict of an analysis to its evidence. width is the terminal's in
// columns (0 when not known); colour turns ANSI styles on.
func Why(w io.Writer, a *analysis.Analysis, width int, colour bool) error {
	l := &lines{painter: painter{colour}, width: clampWidth(width), labels: labelsOf(a)}
	c := provenance.Build(bestFirst(a))
	writeTitle(l, a)
	writeHeadline(l, &analysis.Analysis{Study: a.Study, Parts: a.Parts, Caveats: a.Caveats}) // the grade comes last
	for _, v := range c.Verdicts {
		writeWhyVerdict(l, c, v)
	}
	writeScore(l, a)
	writeWhyAudit(l, c.Audit)
	writeWhyGrade(l, a, c.Grade)
	return l.flush(w)
}

func writeWhyVerdict(l *lines, c provenance.Chain, v provenance.Verdict) {
	l.heading(cmp.Or(v.Label, v.Variant))
	if v.Text != "" {
		l.item(cyan, "⦵", l.plain(v.Text))
	}
	for _, r := range v.Rungs {
		l.gap()
		l.paragraph(dim, decidedText(r, c.Noun))
		writeObjectives(l, r)
		writeDecisive(l, r)
	}
	if b := v.Bottleneck; b != nil {
		l.gap()
		l.item(dim, "•", l.plain(b.Text))
		if b.Resource != nil {
			l.item(dim, " ", resourceText(*b.Resource))
		}
		writeGrowth(l, v.Time)
		writeSource(l, b.Finding)
		if b.Next != "" && !v.Judged() {
			l.item(cyan, "→", l.plain(b.Next))
		}
	}
	for _, f := range v.Experiments {
		l.item(cyan, "→", l.plain(f.Text))
		if f.Run != "" {
			writeSource(l, f)
		}
	}
}

// writeSource names the trials that a finding is from.
func writeSource(l *lines, f analysis.Finding) {
	if len(f.Trials) == 0 {
		return
	}
	text := "from " + strings.Join(f.Trials, ", ")
	if f.Run != "" {
		text += " of " + f.Run
	}
	l.item(dim, " ", text)
}

func decidedText(r provenance.Rung, noun string) string {
	text := words.Count(r.Instances, cmp.Or(noun, "instance"))
	switch {
	case len(r.Objectives) == 0 && r.Breaks == "":
		return text
	case r.Kept:
		return text + ": every objective kept"
	case r.Breaks != "":
		return text + ": not kept, " + r.Breaks
	}
	return text + ": not kept"
}

func writeObjectives(l *lines, r provenance.Rung) {
	if len(r.Objectives) == 0 {
		return
	}
	g := newGrid("lrl", "objective", "measured", "")
	for _, o := range r.Objectives {
		mark := cell{text: "broken", style: red}
		switch {
		case o.Unknown:
			mark = cell{text: "not recorded", style: red}
		case o.Kept:
			mark = cell{text: "kept", style: green}
		}
		g.rows = append(g.rows, []cell{{text: o.Text}, {text: objectiveValue(o)}, mark})
	}
	l.table(g)
}

// objectiveValue is what was measured of the metric that an objective limits.
func objectiveValue(o rung.ObjectiveResult) string {
	switch {
	case o.Unknown:
		return words.Missing
	case o.IsShare():
		return words.PercentOf(o.Value)
	}
	return measuredSeconds(o.Value)
}

func writeDecisive(l *lines, r provenance.Rung) {
	if len(r.Trials) == 0 {
		return
	}
	g := newGrid("l", "trial", r.Trials[0].Unit, "mean", "p95", "p99", "grade")
	g.drop = []string{"mean", "p99"}
	for _, t := range r.Trials {
		g.add(t.ID, numberOrMissing(t.Throughput, words.Number), measuredSeconds(t.Mean), measuredSeconds(t.P95), measuredSeconds(t.P99), orMissing(t.Grade))
	}
	l.table(g)
	for _, t := range r.Trials {
		if t.Cause != "" {
			l.item(red, "✗", t.ID+": "+t.Cause)
		}
	}
}

// resourceText has the figures of a resource that limits, or may.
func resourceText(r resource.Resource) string {
	parts := []string{say.LoadText(r)}
	if r.Demand > 0 {
		parts = append(parts, "demand "+words.Seconds(r.Demand)+" a unit of work")
	}
	if r.Servers > 0 {
		parts = append(parts, words.Number(r.Servers)+" at once")
	}
	if r.Queue > 0 {
		parts = append(parts, words.Number(r.Queue)+" waiting or in service")
	}
	if r.Await > 0 {
		parts = append(parts, words.Seconds(r.Await)+" a request")
	}
	return r.Name + ": " + strings.Join(parts, ", ")
}

func writeWhyAudit(l *lines, a provenance.Audit) {
	l.heading("Audit")
	if a.Trials == 0 {
		l.paragraph("", "No trial that decides has passed.")
		return
	}
	text := fmt.Sprintf("Of the %s that decide and passed, %d found everything that was acknowledged", words.Count(a.Trials, "trial"), a.Passed)
	if a.Passed == a.Trials {
		text = fmt.Sprintf("Everything that was acknowledged was found in every one of the %s that decide and passed", words.Count(a.Trials, "trial"))
	}
	if a.Present > 0 {
		text += ": " + words.Whole(a.Present) + " units of work"
	}
	l.paragraph("", text+".")
	if n := len(a.Without); n > 0 {
		shown := a.Without[:min(n, mostNamed)]
		if n > mostNamed {
			shown = append(slices.Clone(shown), strconv.Itoa(n-mostNamed)+" more")
		}
		l.paragraph("", "Without an audit: "+strings.Join(shown, ", ")+".")
	}
}

func writeWhyGrade(l *lines, a *analysis.Analysis, g provenance.Grade) {
	if g.Grade == "" {
		return
	}
	l.heading("Grade")
	l.item(gradeStyle(g.Grade), g.Grade, l.plain(boundLine(a)))
	if by := gradedBy(a); by != "" {
		l.item(dim, " ", by)
	}
	writeDoubts(l, a)
	for _, w := range warning.Groups(g.Warnings) {
		l.item(severityStyle(w.Severity), string(w.Severity)+":", warningText(w, l.labels))
	}
}

// WhyJSON writes the chain as one indented JSON document.
func WhyJSON(w io.Writer, a *analysis.Analysis) error {
	return writeJSON(w, "the chain", provenance.Build(a))
}
