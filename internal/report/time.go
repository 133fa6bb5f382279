package report

import (
	"slices"
	"strconv"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say/limit"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/text/words"
)

// writeTimes writes what the response time is spent on at each rung, of each variant of which states
// of threads were counted.
func writeTimes(l *lines, a *analysis.Analysis) {
	for _, v := range a.Variants {
		profiled := counted(v)
		if len(profiled) == 0 {
			continue
		}
		l.gap()
		l.paragraph(dim, "What "+words.A(v.Work.Unit.Name)+" spends its time on with "+variantTitle(v)+", by "+nouns(a))
		l.table(timeGrid(profiled))
	}
}

// counted are the rungs of a variant with a time profile of states of threads.
func counted(v analysis.Variant) (all []rung.Rung) {
	for _, r := range v.Rungs {
		if r.TimeCounted() {
			all = append(all, r)
		}
	}
	return all
}

// leastShown is the share of a response time below which a part is left out of the table for
// readers, if it is below at every rung.
const leastShown = 0.002

// timeGrid has a row for what time is spent on, in the order of the parts, and a column for each rung.
func timeGrid(rungs []rung.Rung) grid {
	g := newGrid("l", "time")
	var parts []string
	for _, r := range rungs {
		g.head = append(g.head, cell{text: strconv.Itoa(r.Instances)})
		for _, p := range r.Time.Parts {
			if name := limit.SpentOn(p); !slices.Contains(parts, name) && p.Seconds.Value >= leastShown*r.Time.Response {
				parts = append(parts, name)
			}
		}
	}
	g.drop = g.heads()[2:max(2, len(g.head)-1)] // the ends of the ladder say most
	add := func(head string, of func(*timeprofile.Breakdown) string) {
		row := []string{head}
		for _, r := range rungs {
			row = append(row, of(r.Time))
		}
		g.add(row...)
	}
	for _, name := range parts {
		add(name, func(b *timeprofile.Breakdown) string { return partSeconds(b, name) })
	}
	add("accounted for", func(b *timeprofile.Breakdown) string { return words.Percent(b.Accounted.Value) })
	add("mean response time", func(b *timeprofile.Breakdown) string { return words.Seconds(b.Response) })
	return g
}

// partSeconds adds up the parts of one name: several roles may wait for the same.
func partSeconds(p *timeprofile.Breakdown, name string) string {
	sum, known := 0.0, false
	for _, part := range p.Parts {
		if limit.SpentOn(part) == name {
			sum, known = sum+part.Seconds.Value, true
		}
	}
	if !known {
		return ""
	}
	return words.Seconds(sum)
}

// writeGrowth writes what the response time is spent on at the two rungs that an attribution
// compares; nothing for nil.
func writeGrowth(l *lines, c *timeprofile.Comparison) {
	if c == nil {
		return
	}
	l.gap()
	g := comparisonGrid(c)
	if c.From == 0 {
		g = g.dropped(atRung(c.From)).dropped("growth")
	}
	l.table(g)
}

// atRung heads the column of a rung.
func atRung(n int) string { return "at " + strconv.Itoa(n) }

// comparisonGrid has a row for each component, with those of its named waits after it, and the sums
// last.
func comparisonGrid(c *timeprofile.Comparison) grid {
	g := newGrid("l", "time", atRung(c.From), atRung(c.To), "growth", "share")
	g.drop = []string{atRung(c.From)}
	for i, of := range c.Growth {
		row := c.Rows[i]
		if row.After.Value < leastShown*c.After && (row.Before == nil || row.Before.Value < leastShown*c.Before) {
			continue
		}
		g.add(limit.SpentOnGrowth(of), optional(row.Before, measuredSeconds), spanText(row.After, measuredSeconds), signedSeconds(of.Seconds), words.PercentOf(of.Share.Value))
		for _, w := range of.Waits {
			if w.Seconds.Value >= leastShown*(c.After-c.Before) {
				at := ""
				if c.From == 0 { // what grew is all of it
					at = measuredSeconds(w.Seconds.Value)
				}
				g.add("  "+w.Name, "", at, signedSeconds(w.Seconds.Value), "")
			}
		}
	}
	g.add("unexplained", "", "", "", words.PercentOf(c.Unexplained.Value))
	g.add("accounted for", optional(c.AccountedBefore, words.PercentOf), spanText(c.AccountedAfter, words.PercentOf), "", "")
	g.add("mean response time", measuredSeconds(c.Before), measuredSeconds(c.After), signedSeconds(c.After-c.Before), "")
	return g
}

// optional writes an estimate that may be missing.
func optional(i *stats.Interval, write func(float64) string) string {
	if i == nil {
		return ""
	}
	return spanText(*i, write)
}

// signedSeconds writes a change of a time.
func signedSeconds(v float64) string {
	if v < 0 {
		return "−" + words.Latency(-v)
	}
	return "+" + words.Latency(v)
}
