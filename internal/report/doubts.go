package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/text/words"
)

// gradeMeanings say how far an answer of a grade may be off.
var gradeMeanings = map[string]string{
	"A": "at most 5 % off", "B": "at most 10 % off", "C": "at most 25 % off, or could be the opposite",
	"D": "at most 50 % off: repeat before deciding", "E": "may be more than 50 % off", "F": "nothing tells how far it is off",
}

// GradeText is what a grade means, how far the answer may be off, and what would bring it closer.
func GradeText(a *analysis.Analysis) string {
	text := boundLine(a)
	if cure := cureOf(a); cure != "" && a.GradeReason != "" {
		text += ". " + words.Capital(cure)
	}
	return text
}

// boundLine is what a grade means, and how far the answer may be off.
func boundLine(a *analysis.Analysis) string {
	if a.GradeReason == "" {
		return gradeMeanings[a.Grade]
	}
	return gradeMeanings[a.Grade] + ". " + words.Capital(a.GradeReason)
}

// cureOf says what would shrink the bound of an answer; empty where nothing would.
func cureOf(a *analysis.Analysis) string {
	if a.Bound == nil || a.Bound.Cure == nil {
		return ""
	}
	return a.Bound.Cure.Text
}

// gradedBy says which version gave the grade, where another one measured; empty where that is not known.
func gradedBy(a *analysis.Analysis) string {
	if a.Grade == "" || a.Run.Plimsoll == "" || a.Run.AnalysedBy == "" || a.Run.Plimsoll == a.Run.AnalysedBy {
		return ""
	}
	return "Measured by Plimsoll " + a.Run.Plimsoll + ", graded by Plimsoll " + a.Run.AnalysedBy + "."
}

// offText is how far a figure may be off: "up to 12 % too low or 3 % too high".
func offText(b bound.Bound) string {
	low, high := offBy(b, b.TooLow, ""), offBy(b, b.TooHigh, "")
	switch {
	case b.Open:
		return "nothing tells how far it is off"
	case low != "" && high != "":
		return "up to " + low + " too low or " + high + " too high"
	case high != "":
		return "up to " + high + " too high"
	}
	return "up to " + low + " too low"
}

// offBy is the size of a bound in one direction; none where there is none.
func offBy(b bound.Bound, share float64, none string) string {
	switch {
	case b.Open:
		return "unknown"
	case share == 0:
		return none
	}
	return words.PercentOf(share)
}

// doubtText is a doubt in a line: "CPU that others used: up to 12 % too low, 2,153 to 2,411 OPM (ssd/4/1)".
func doubtText(d analysis.Doubt) string {
	text := words.Capital(d.Text) + ": " + offText(d.Bound)
	if d.Range != "" {
		text += ", " + d.Range
	}
	if trials := someTrials(d.Trials); trials != "" {
		text += " (" + trials + ")"
	}
	return text
}

// mostTrials are named; of more there is the number.
const mostTrials = 3

func someTrials(ids []string) string {
	if len(ids) <= mostTrials {
		return strings.Join(ids, ", ")
	}
	return words.Count(len(ids), "trial") + ", first " + ids[0]
}

// writeDoubts writes a line for each doubt, and below it what would shrink it.
func writeDoubts(l *lines, a *analysis.Analysis) {
	if a.Bound == nil {
		return
	}
	var told []string
	tell := func(c *model.Cure) {
		switch {
		case c == nil || c.Text == "":
		case slices.Contains(told, c.Text):
			l.item(dim, " ", "→ the same as above")
		default:
			told = append(told, c.Text)
			l.item(dim, " ", "→ "+l.plain(words.Capital(c.Text)))
		}
	}
	for _, d := range a.Bound.Doubts {
		l.item(dim, "•", l.plain(doubtText(d)))
		tell(d.Cure)
	}
	if c := a.Bound.Cure; c != nil && !slices.Contains(told, c.Text) {
		tell(c)
	}
}

// doubtTable has a row for each doubt about the figure that may be off the most, and one for all together.
func doubtTable(a *analysis.Analysis) grid {
	b := a.Bound
	if b == nil || len(b.Doubts) == 0 {
		return grid{}
	}
	rows := slices.Clone(b.Doubts)
	if len(rows) > 1 {
		rows = append(rows, analysis.Doubt{Text: "all together", Bound: b.Bound, Low: b.Low, High: b.High, Range: b.Range, Cure: b.Cure})
	}
	g := gridOf("lrrrll", rows, []column[analysis.Doubt]{
		said("doubt", func(d analysis.Doubt) string { return words.Capital(d.Text) }),
		said("too low by", func(d analysis.Doubt) string { return offBy(d.Bound, d.TooLow, words.Missing) }),
		said("too high by", func(d analysis.Doubt) string { return offBy(d.Bound, d.TooHigh, words.Missing) }),
		said("it may be", func(d analysis.Doubt) string {
			return cmp.Or(d.Range, words.Missing)
		}),
		{"what helps", cureCell},
		{"trials", func(d analysis.Doubt) cell { return cell{text: someTrials(d.Trials), trials: d.Trials} }},
	})
	g.text = gradedBy(a)
	g.title = "The figure that may be off the most: " + b.Measured
	if v := labelled("`"+b.Variant+"`", labelsOf(a)); b.Variant != "" && len(a.Variants) > 1 {
		g.title += " of " + Plain(v)
	}
	return g
}

// cureCell is what to change, and below it what that leaves and how long it takes.
func cureCell(d analysis.Doubt) cell {
	c := d.Cure
	if c == nil {
		return cell{text: words.Missing}
	}
	var how, left []string
	for _, s := range c.Set {
		how = append(how, "--set "+s)
	}
	if c.Idle {
		how = append(how, "nothing else on the machine")
	}
	if c.Guests {
		how = append(how, "no other guests on its hypervisor")
	}
	if len(how) == 0 {
		how = []string{"run it again"}
	}
	left = append(left, "leaves "+strings.TrimSpace(words.PercentOf(c.Left.Size())))
	if c.Left.Open {
		left = []string{"leaves others open"}
	}
	if c.Minutes >= 0.5 {
		left = append(left, "takes about "+strconv.FormatFloat(c.Minutes, 'f', 0, 64)+" min")
	}
	first, second := strings.Join(how, " "), strings.Join(left, ", ")
	out := cell{text: fmt.Sprintf("%s (%s)", first, second), lines: []string{first, second}}
	if len(c.Set) > 0 && !c.Idle && !c.Guests {
		out.kind = CodeCell
	}
	return out
}
