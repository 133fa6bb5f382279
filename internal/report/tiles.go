package report

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

const tilesNote = "The score of a tile is the geometric mean of its members’ throughput, each relative to a reference tile; that of several is the sum. The gate is kept where every member keeps its objectives."

// tileTables are the tables of all variants of a study with members: the score of each
// number of tiles, how the others and more tiles slow each member, and each member's work
// on and off burst.
func tileTables(a *analysis.Analysis) (all []grid) {
	for _, t := range a.Tiles {
		for _, one := range []grid{scoreTable(t), interferenceTable(t), costTable(t), burstTable(t)} {
			if len(one.rows) > 0 {
				all = append(all, one)
			}
		}
	}
	return all
}

func scoreTable(t analysis.Tile) grid {
	out := newGrid("rrllrrrrl", "tiles", "score", "gate", "member", "throughput", "of reference", "mean", "p95", "objectives")
	out.title, out.text, out.drop = "Score and gate of "+t.Variant, referenceText(t), []string{"p95", "of reference", "mean"}
	for _, r := range t.Rungs {
		score := numberOrMissing(r.Score.Value, words.Figures)
		if hasBounds(r.Score) {
			score = spanText(r.Score, words.Figures)
		}
		first := []string{strconv.Itoa(r.Tiles), score, gateText(t, r)}
		for _, m := range r.Members {
			out.add(append(first, m.Member, spanText(m.Throughput, words.Number)+" "+unitOf(t, m.Member),
				numberOrMissing(m.Relative, words.PercentOf), spanText(m.Mean, measuredSeconds), spanText(m.P95, measuredSeconds), memberGate(t, r, m))...)
			first = []string{"", "", ""}
		}
		if len(r.Members) == 0 {
			out.add(append(first, "failed", words.Missing, words.Missing, words.Missing, words.Missing, words.Missing)...)
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

// referenceText says what the scores are relative to.
func referenceText(t analysis.Tile) string {
	var all []string
	own := ""
	for _, r := range t.References {
		text := r.Member + " " + words.Number(r.Throughput) + " " + r.Unit
		if r.Published {
			text += " (published)"
		} else {
			own = "; where it is not published, the average tile of the first rung of " + r.Variant
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return ""
	}
	return "Reference tile: " + strings.Join(all, ", ") + own + "."
}

func gateText(t analysis.Tile, r model.TileRung) string {
	switch {
	case !r.Kept:
		return "broken"
	case r.Tiles == t.Flat:
		return "kept, adds nothing"
	}
	return "kept"
}

func memberGate(t analysis.Tile, r model.TileRung, m model.TileMember) string {
	switch {
	case m.Kept:
		return "kept"
	case t.First != nil && t.First.Member == m.Member && r.Tiles == t.Next && len(t.Broken) > 1:
		return "broken, first"
	}
	return "broken"
}

// interferenceTable has the response times of each member alone, in the fewest tiles and in the
// most, and how many times as long they take.
func interferenceTable(t analysis.Tile) grid {
	out := newGrid("ll", "member", "tiles", "mean", "to alone", "to fewest", "p95", "p95 to alone", "p95 to fewest")
	out.title, out.drop = "Response time alone and beside the others on "+t.Variant, []string{"p95 to fewest", "p95 to alone", "p95"}
	for _, i := range t.Interference {
		addInterference(&out, i)
	}
	return out
}

func addInterference(g *grid, i analysis.Interference) {
	add := func(tiles string, r, toAlone, toFewest analysis.Responses) {
		g.add(i.Member, tiles, spanText(r.Mean, measuredSeconds), timesText(toAlone.Mean), timesText(toFewest.Mean),
			spanText(r.P95, measuredSeconds), timesText(toAlone.P95), timesText(toFewest.P95))
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
}

// timesText writes a factor with its bounds, as far as it is known.
func timesText(i stats.Interval) string {
	return numberOrMissing(i.Value, func(float64) string {
		return spanText(i, func(v float64) string { return "× " + words.Figures(v) })
	})
}

// costTable is what the bursts of the one member that has some cost the others.
func costTable(t analysis.Tile) grid {
	out := newGrid("l", "member", "mean on burst", "off burst", "on to off", "work on to off")
	out.title = fmt.Sprintf("What %s costs the others on %s, at %s", t.Bursty, t.Variant, words.Count(t.CostsAt, "tile"))
	for _, c := range t.Costs {
		response := timesText(c.Response)
		if c.Blurred > 0 {
			response = "p99 too long"
		}
		out.add(c.Member, measuredSeconds(c.On), measuredSeconds(c.Off), response, timesText(c.Work))
	}
	return out
}

func burstTable(t analysis.Tile) grid {
	out := newGrid("rll", "tiles", "member", "burst", "of the time", "throughput", "mean", "p95", "p99")
	out.title, out.drop = "On and off burst on "+t.Variant, []string{"of the time", "mean", "p99"}
	for _, r := range t.Rungs {
		for _, m := range r.Members {
			if m.Bursts == nil {
				continue
			}
			add := func(name string, b rung.Burst) {
				out.add(strconv.Itoa(r.Tiles), m.Member, name, words.PercentOf(b.Share), words.Number(b.Throughput)+" "+unitOf(t, m.Member),
					measuredSeconds(b.Mean), measuredSeconds(b.Percentile["p95"]), measuredSeconds(b.Percentile["p99"]))
			}
			add("on", m.Bursts.On)
			add("off", m.Bursts.Off)
		}
	}
	return out
}

// writeTiles writes the tables of tiles.
func writeTiles(s sheet, a *analysis.Analysis) {
	for _, t := range tileTables(a) {
		s.heading(t.title)
		if t.text != "" {
			s.note(t.text)
		}
		s.table(t)
	}
}
