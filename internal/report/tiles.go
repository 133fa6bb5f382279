package report

import (
	"fmt"
	"slices"
	"strconv"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// tileTable is one table about the tiles of a variant. The first left columns are names, and
// where a terminal is narrow, drop are the columns that it does without.
type tileTable struct {
	title string
	left  int
	head  []string
	rows  [][]string
	drop  []string
}

// tileTables are the tables of all variants of a study with members: the score of each
// number of tiles, how the others and more tiles slow each member, and each member's work
// on and off burst.
func tileTables(a *analysis.Analysis) (all []tileTable) {
	for _, t := range a.Tiles {
		for _, one := range []tileTable{scoreTable(t), interferenceTable(t), costTable(t), burstTable(t)} {
			if len(one.rows) > 0 {
				all = append(all, one)
			}
		}
	}
	return all
}

func scoreTable(t analysis.Tile) tileTable {
	out := tileTable{
		title: "Score and gate of " + t.Variant, head: []string{"tiles", "score", "gate", "member", "throughput", "of reference", "mean", "p95", "objectives"},
		drop: []string{"p95", "of reference", "mean"},
	}
	for _, r := range t.Rungs {
		score := numberOrMissing(r.Score.Value, words.Figures)
		if hasBounds(r.Score) {
			score = spanText(r.Score, words.Figures)
		}
		first := []string{strconv.Itoa(r.Tiles), score, keptText(r.Kept)}
		for _, m := range r.Members {
			out.rows = append(out.rows, append(first, m.Member, spanText(m.Throughput, words.Number)+" "+unitOf(t, m.Member),
				numberOrMissing(m.Relative, words.PercentOf), spanText(m.Mean, measuredSeconds), spanText(m.P95, measuredSeconds), keptText(m.Kept)))
			first = []string{"", "", ""}
		}
		if len(r.Members) == 0 {
			out.rows = append(out.rows, append(first, "failed", words.Missing, words.Missing, words.Missing, words.Missing, words.Missing))
		}
	}
	return out
}

// unitOf is the unit of a member's throughput, as far as it is known.
func unitOf(t analysis.Tile, member string) string {
	for _, r := range t.References {
		if r.Member == member {
			return r.Unit
		}
	}
	return ""
}

func keptText(kept bool) string {
	if kept {
		return "kept"
	}
	return "broken"
}

// interferenceTable has the response times of each member alone, in the fewest tiles and in the
// most, and how many times as long they take.
func interferenceTable(t analysis.Tile) tileTable {
	out := tileTable{
		title: "Response time alone and beside the others on " + t.Variant, left: 2,
		head: []string{"member", "tiles", "mean", "to alone", "to fewest", "p95", "p95 to alone", "p95 to fewest"},
		drop: []string{"p95 to fewest", "p95 to alone", "p95"},
	}
	for _, i := range t.Interference {
		out.rows = append(out.rows, interferenceRows(i)...)
	}
	return out
}

func interferenceRows(i analysis.Interference) (rows [][]string) {
	add := func(tiles string, r, toAlone, toFewest analysis.Responses) {
		rows = append(rows, []string{i.Member, tiles, spanText(r.Mean, measuredSeconds), timesText(toAlone.Mean), timesText(toFewest.Mean),
			spanText(r.P95, measuredSeconds), timesText(toAlone.P95), timesText(toFewest.P95)})
	}
	var toAlone, topToAlone, none analysis.Responses
	if i.Alone != nil {
		add("alone", *i.Alone, none, none)
		toAlone, topToAlone = *i.TileOverAlone, *i.TopOverAlone
	}
	add(strconv.Itoa(i.From), i.Tile, toAlone, none)
	if i.To > i.From {
		add(strconv.Itoa(i.To), i.Top, topToAlone, analysis.Responses{Mean: i.Mean, P95: i.P95})
	}
	return rows
}

// timesText writes a factor with its bounds, as far as it is known.
func timesText(i stats.Interval) string {
	return numberOrMissing(i.Value, func(float64) string {
		return spanText(i, func(v float64) string { return "× " + words.Figures(v) })
	})
}

// costTable is what the bursts of the one member that has some cost the others.
func costTable(t analysis.Tile) tileTable {
	out := tileTable{
		title: fmt.Sprintf("What %s costs the others on %s, at %s", t.Bursty, t.Variant, words.Count(t.CostsAt, "tile")), left: 1,
		head: []string{"member", "mean on burst", "off burst", "on to off", "work on to off"},
	}
	for _, c := range t.Costs {
		response := timesText(c.Response)
		if c.Blurred > 0 {
			response = "p99 too long"
		}
		out.rows = append(out.rows, []string{c.Member, measuredSeconds(c.On), measuredSeconds(c.Off), response, timesText(c.Work)})
	}
	return out
}

func burstTable(t analysis.Tile) tileTable {
	out := tileTable{
		title: "On and off burst on " + t.Variant, head: []string{"tiles", "member", "burst", "of the time", "throughput", "mean", "p95", "p99"},
		drop: []string{"of the time", "mean", "p99"},
	}
	for _, r := range t.Rungs {
		for _, m := range r.Members {
			if m.Bursts == nil {
				continue
			}
			row := func(name string, b rung.Burst) []string {
				return []string{strconv.Itoa(r.Tiles), m.Member, name, words.PercentOf(b.Share), words.Number(b.Throughput) + " " + unitOf(t, m.Member),
					measuredSeconds(b.Mean), measuredSeconds(b.Percentile["p95"]), measuredSeconds(b.Percentile["p99"])}
			}
			out.rows = append(out.rows, row("on", m.Bursts.On), row("off", m.Bursts.Off))
		}
	}
	return out
}

// writeTiles writes the tables of tiles on a terminal.
func writeTiles(l *lines, a *analysis.Analysis) {
	for _, t := range tileTables(a) {
		l.heading(t.title)
		left := make([]bool, t.left, len(t.head))
		for _, head := range t.head[t.left:] {
			left = append(left, isName(head))
		}
		g := grid{head: texts(t.head...), left: left}
		for _, row := range t.rows {
			g.rows = append(g.rows, texts(row...))
		}
		l.table(g, t.drop...)
	}
}

// isName reports whether a column of a table of tiles has words.
func isName(head string) bool {
	return slices.Contains([]string{"member", "gate", "burst", "objectives"}, head)
}

// tiles is the same as Markdown.
func (m *markdown) tiles(a *analysis.Analysis) {
	for _, t := range tileTables(a) {
		m.heading(t.title)
		m.head(t.left, t.head...)
		for _, row := range t.rows {
			m.row(plains(row...)...)
		}
	}
}
