package report

import (
	"cmp"
	"slices"
	"strconv"

	"plimsoll/internal/analysis"
	"plimsoll/internal/text/words"
)

// answerTable holds the figures that answer a comparison or an effect where they are not
// throughput alone: a row for each case, and of an effect for each rung.
func answerTable(a *analysis.Analysis) (t grid) {
	r := a.Reply
	at := slices.IndexFunc(a.Factors, func(f analysis.Factor) bool { return r.ByFactor() && f.Path == r.Factor })
	if at < 0 || r.Metric == "" && !r.Divided() {
		return t
	}
	levels := a.Factors[at].Levels
	t = levelGrid(a, levels)
	t.title = r.What() + " by " + a.Factors[at].Name
	for _, g := range r.Groups {
		for _, n := range answerRungs(g) {
			row := []string{cmp.Or(g.Shared, "all"), strconv.Itoa(n)}
			for _, l := range levels {
				row = append(row, answerCell(r, g, l.Label, n))
			}
			t.add(row...)
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

// answerCell is the figure of a level at a rung, and its ratio to the first level's.
func answerCell(r *analysis.Reply, g analysis.ReplyGroup, level string, n int) string {
	write := words.Number
	if r.Metric != "" {
		write = measuredSeconds
	}
	text := words.Missing
	for _, c := range g.Cells {
		for _, f := range along(c) {
			if c.Level != level || f.Rung != n {
				continue
			}
			if text = write(f.Value.Value); len(c.Along) == 0 {
				text = spanText(r.Figure(c), write)
			}
		}
	}
	for _, s := range g.Steps {
		switch {
		case s.Level != level || s.Rung != n:
		case r.Metric != "":
			text += ", " + spanText(s.Throughput, words.Figures)
		case s.PerRatio > 0:
			text += ", " + words.Figures(s.PerRatio)
		}
	}
	return text
}
