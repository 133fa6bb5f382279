package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/words"
)

// Plan writes what a plan would do: every trial in order with its duration,
// memory and disk, then the totals, the notes and the problems. width is the
// terminal's in columns (0 when not known).
func Plan(w io.Writer, p *plan.Plan, width int) error {
	l := &lines{width: clampWidth(width)}
	writePlanTitle(l, p)
	writeDatasets(l, p)
	writePlannedTrials(l, p)
	writeTotals(l, p)
	if len(p.Notes) > 0 {
		l.heading("Notes")
		l.items(p.Notes)
	}
	if len(p.Problems) > 0 {
		l.heading("This plan cannot run here")
		for _, problem := range p.Problems {
			l.item("", "✗", problem.Text)
			l.item("", "→", problem.Hint)
		}
	}
	return l.flush(w)
}

// writePlanTitle says which study and profile the plan is for.
func writePlanTitle(l *lines, p *plan.Plan) {
	if p.Study == nil {
		return
	}
	title := p.Study.Name
	if p.Study.Title != "" {
		title += ": " + p.Study.Title
	}
	l.paragraph("", title)
	if p.Study.Profile != "" {
		l.paragraph("", "profile "+p.Study.Profile)
	}
	if len(p.Study.Set) > 0 {
		l.paragraph("", setLabel(p.Study.Set))
	}
}

// setLabel says what was set on the command line.
func setLabel(set []string) string { return "set on the command line: " + strings.Join(set, ", ") }

// writeDatasets lists the golden volumes that are made first.
func writeDatasets(l *lines, p *plan.Plan) {
	if len(p.Datasets) == 0 {
		return
	}
	l.heading("Data sets to load first")
	for _, d := range p.Datasets {
		l.item("", "•", d.Description+", "+d.Servers+", "+datasetSize(d))
	}
}

func datasetSize(d plan.Dataset) string {
	switch each := size(d.UserBytes) + " for each user"; {
	case d.UserBytes == 0:
		return size(d.Bytes)
	case d.Bytes == 0:
		return each
	default:
		return size(d.Bytes) + " and " + each
	}
}

// writePlannedTrials writes the table of trials.
func writePlannedTrials(l *lines, p *plan.Plan) {
	l.heading("Trials in order")
	if len(p.Trials) == 0 {
		l.add("none")
		return
	}
	if g := narrow(plannedGrid(p), l.width); g.width() <= l.width {
		l.table(g)
		return
	}
	l.stack(plannedGrid(p).dropped("#"))
}

func plannedGrid(p *plan.Plan) grid {
	g := newGrid("rl", "#", "variant", p.Noun()+"s", "repetition", "duration", "memory", "disk")
	labels := setup.Labels(p.Variants)
	for _, t := range p.Trials {
		rung := words.Whole(t.Rung)
		if t.Alone != "" {
			rung = t.Alone + " alone"
		}
		g.add(strconv.Itoa(t.Position), cmp.Or(labels[t.Variant], t.Variant), rung,
			strconv.Itoa(t.Repetition), words.Span(t.Duration), size(t.MemoryBytes), size(t.DiskBytes))
	}
	return g
}

// narrow shortens heads, then the variant column, until the grid fits.
func narrow(g grid, width int) grid {
	if g.width() <= width {
		return g
	}
	g.head = newGrid("rl", "#", "variant", strings.Replace(g.head[2].text, "instances", "inst.", 1), "rep.", "time", "memory", "disk").head
	if over := g.width() - width; over > 0 {
		room := g.widths()[1] - over
		names := make([]string, len(g.rows))
		for i, row := range g.rows {
			names[i] = row[1].text
		}
		for i, short := range words.Distinct(names, max(room, 4)) {
			g.rows[i][1].text = short
		}
	}
	return g
}

// writeTotals writes what the whole plan needs: one time in which it is done, and what
// that consists of.
func writeTotals(l *lines, p *plan.Plan) {
	l.gap()
	need := size(p.Estimate.MemoryBytes) + " of memory"
	if p.Estimate.DiskBytes > 0 {
		need += " and " + size(p.Estimate.DiskBytes) + " of disk"
	}
	l.paragraph("", totalTime(p)+". At most "+need+" at a time.")
}

// totalTime is how long the plan takes, with what may come on top.
func totalTime(p *plan.Plan) string {
	e := p.Estimate
	trials, time, takes, most := words.Count(len(p.Trials), "trial"), e.Duration, "about "+words.Span(e.Duration), "at most "
	switch {
	case e.AtMost > 0:
		trials = fmt.Sprintf("the %d to %s of the search", e.FewestTrials, words.Count(e.MostTrials, "trial"))
		time, takes = e.AtMost, words.Span(e.AtLeast)+" to "+words.Span(e.AtMost)
	case fixedWork(p) && p.Study.Phases.Expect > 0:
		trials += fmt.Sprintf(" of fixed work, if each takes as long as the study expects (%s; at most %s)", p.Study.Phases.Expect, p.Study.Phases.Measure)
		most = "about "
	case fixedWork(p):
		trials, takes = trials+" of fixed work, which mostly ends before its limit (phases.measure)", "at most "+words.Span(time)
	}
	if e.Retries > 0 && e.RetryTime == 0 {
		trials += ", with those that are measured again (--retries)"
	}
	if e.RetryTime == 0 {
		return "In all " + takes + ": " + trials
	}
	return "In all " + most + words.Span(time+e.RetryTime) + ": " + takes + " for " + trials + ", and " +
		words.Span(e.RetryTime) + " where something outside spoils " + words.Count(e.Retries, "trial") + " (--retries)"
}

// fixedWork reports whether a variant's work ends by itself.
func fixedWork(p *plan.Plan) bool {
	for _, v := range p.Variants {
		if p.FactsOf(v).Profile.Fixed {
			return true
		}
	}
	return false
}
