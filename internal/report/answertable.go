package report

import (
	"cmp"
	"slices"
	"strconv"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// mostAnswered is how many rows of what answers the page shows at once.
const mostAnswered = 12

// answeredTables is what answers in place of load lines, for the page.
func answeredTables(a *analysis.Analysis) []grid {
	r := a.Reply
	if !r.ByFactor() || len(r.Groups) == 0 {
		return nil
	}
	t := levelTable(a)
	if r.Kind == study.OfRating {
		t = shareTable(a)
	} else {
		t.title = words.Capital(t.title) + map[bool]string{true: "; bold where a change is shown", false: "; bold where it is clearly best"}[r.Kind == study.Effect]
	}
	if len(t.rows) > mostAnswered {
		t.rest = mostAnswered
	}
	return []grid{t}
}

// answerTable holds the figures that answer a comparison or an effect where they are not
// throughput alone, which the tables of factors have.
func answerTable(a *analysis.Analysis) (t grid) {
	r := a.Reply
	if !r.ByFactor() || r.Factor == "" || r.Metric == "" && !r.Divided() {
		return t
	}
	return levelTable(a)
}

// levelTable has a column for each level that is compared and a row for each case, and of an effect
// for each rung.
func levelTable(a *analysis.Analysis) grid {
	r := a.Reply
	levels, name := answerLevels(a)
	t := levelGrid(a, levels)
	t.title = r.What() + " by " + name
	for _, g := range r.Groups {
		for _, n := range answerRungs(g) {
			row := texts(cmp.Or(g.Shared, "all"), strconv.Itoa(n))
			for _, l := range levels {
				row = append(row, answerCell(r, g, l.Label, n))
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// answerRungs are those at which a case has figures, each once.
func answerRungs(g analysis.ReplyGroup) (all []int) {
	for _, c := range g.Cells {
		for _, f := range along(c) {
			if f.Rung > 0 && !slices.Contains(all, f.Rung) {
				all = append(all, f.Rung)
			}
		}
	}
	slices.Sort(all)
	return all
}

// along are the rungs of a cell: all of an effect, and otherwise the one that answers.
func along(c analysis.ReplyCell) []analysis.ReplyFigure {
	if len(c.Along) > 0 {
		return c.Along
	}
	return []analysis.ReplyFigure{{Rung: c.Rung}}
}

// answerLevels are the levels of the factor, or those that the cases name, and what the factor is called.
func answerLevels(a *analysis.Analysis) (levels []analysis.Level, name string) {
	for _, f := range a.Factors {
		if f.Path == a.Reply.Factor {
			return f.Levels, f.Name
		}
	}
	for _, g := range a.Reply.Groups {
		for _, c := range g.Cells {
			if !slices.ContainsFunc(levels, func(l analysis.Level) bool { return l.Label == c.Level }) {
				levels = append(levels, analysis.Level{Level: c.Level, Label: c.Level})
			}
		}
	}
	return levels, "factor"
}

// answerCell is the figure of a level at a rung, and its ratio to the first level's.
func answerCell(r *analysis.Reply, g analysis.ReplyGroup, level string, n int) cell {
	write := words.Number
	if r.Metric != "" {
		write = measuredSeconds
	}
	out := cell{text: words.Missing}
	for _, c := range g.Cells {
		for _, f := range along(c) {
			if c.Level != level || f.Rung != n {
				continue
			}
			if out.text = write(f.Value.Value); len(c.Along) == 0 {
				out.text = spanText(r.Figure(c), write)
			}
			out.lines = append(spanLines(r.Figure(c), write), beforeDivision(r, c)...)
			if len(c.Along) > 0 {
				out.lines = []string{out.text}
			}
			if best := map[bool]string{true: g.BestPer, false: g.Best}[r.Divided()]; best == level {
				out.kind = BestCell
			}
		}
	}
	for _, s := range g.Steps {
		if s.Level == level && s.Rung == n {
			addStep(&out, r, s)
		}
	}
	return out
}

// beforeDivision is the throughput of an answer that is divided by something, and the quotient of one
// that is not though it is known here.
func beforeDivision(r *analysis.Reply, c analysis.ReplyCell) []string {
	switch {
	case len(c.Along) > 0 || c.Per.Value <= 0:
		return nil
	case r.Divided():
		return []string{spanText(c.Value, words.Number) + " " + c.Unit}
	}
	return []string{words.Number(c.Per.Value) + " per " + r.Per}
}

// addStep adds what a level changes to its figure.
func addStep(c *cell, r *analysis.Reply, s model.ReplyStep) {
	times := func(v float64) string { return words.Figures(v) + "×" }
	switch {
	case r.Metric != "":
		c.text += ", " + spanText(s.Throughput, words.Figures)
	case s.PerRatio > 0:
		c.text += ", " + words.Figures(s.PerRatio)
	}
	c.lines = append(c.lines, spanText(s.Throughput, times))
	if s.PerRatio > 0 {
		c.lines = append(c.lines, times(s.PerRatio)+" per "+r.Per)
	}
	if s.Shown {
		c.kind = BestCell
	}
}

// shareTable is each variant's share of a rating or another whole.
func shareTable(a *analysis.Analysis) grid {
	t := newGrid("lrl", "", "share", "of", "throughput", "drives", "per drive")
	t.title = shareTitle(a.Reply)
	for _, g := range a.Reply.Groups {
		for _, c := range g.Cells {
			row := []cell{{variant: c.Variant}, {text: words.Missing}, {}, {text: words.Missing}, {text: words.Missing}, {text: words.Missing}}
			if !c.Unrated {
				row[1], row[2].text = cell{text: words.PercentOf(c.Value.Value), kind: BestCell}, wholeOf(c)
			}
			for _, v := range a.Variants {
				if v.Name == c.Variant && v.Best != nil {
					row[3].text = spanText(v.Best.Throughput, words.Number) + " " + c.Unit
					row[4].text, row[5].text = numberOrMissing(v.Best.Drives, words.Number), numberOrMissing(v.Best.PerDrive, words.Number)
				}
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// shareTitle names what all shares are of, if that is one thing.
func shareTitle(r *analysis.Reply) string {
	title := ""
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			switch of := "Share of " + wholeOf(c); {
			case c.Unrated:
			case title == "":
				title = of
			case title != of:
				return "Share of what it is held against"
			}
		}
	}
	return cmp.Or(title, "Share of what it is held against")
}

// wholeOf is what a share is of.
func wholeOf(c model.ReplyCell) string { return cmp.Or(c.Whole, "the drives’ rating") }
