// Package reply answers the study's question in sentences, from the figures that package
// question finds.
package reply

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// Text answers the study's question in one or two sentences.
func Text(r *model.Reply, s model.StudyInfo, published bool) string {
	once := !published && unrepeated(r)
	text := ""
	switch r.Kind {
	case study.Comparison:
		text = compared(r, s, once)
	case study.Effect:
		text = changed(r, s)
	case study.OfRating:
		text = reached(r)
	case study.Scaling:
		text = grown(r, s)
	case study.Survival:
		return words.Sentences(durability(r), uncounted(r), away(r))
	}
	return words.Capital(text)
}

// unrepeated reports whether no figure of the answer has more than one trial behind it.
func unrepeated(r *model.Reply) bool {
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			if c.Value.Confidence > 0 || c.Value.Extremes {
				return false
			}
		}
	}
	return true
}

// compared says which level does most, per unit and in total, or did in the one trial that
// each had.
//
// Needs: “… has the lowest p99 of purchase: …, at …”: the same of less, of the metric that the study
// asks for in each trial. “Per drive, …”: `per` of the study, and that count known of every variant.
func compared(r *model.Reply, s model.StudyInfo, once bool) string {
	does, to := say.F("does most"), say.F("do most")
	switch {
	case r.Metric != "" && once:
		does, to = say.F("had the lowest %s", metricText(r.Metric)), say.F("have the lowest %s", metricText(r.Metric))
	case r.Metric != "":
		does, to = say.F("has the lowest %s", metricText(r.Metric)), say.F("have the lowest %s", metricText(r.Metric))
	case once:
		does = say.F("did most")
	}
	total := winners(r.Groups, does, to, func(g model.ReplyGroup) string { return g.Best })
	if len(r.Groups) == 1 {
		total = against(r, does, to)
	}
	if n := sharedRung(r); r.Metric != "" && n > 0 {
		total += say.F(", at %s", say.Count(n, s.Noun))
	}
	if r.Per == "" {
		return total + "."
	}
	per := winners(r.Groups, does, to, func(g model.ReplyGroup) string { return g.BestPer })
	return say.F("per %s, %s. In total %s%s.", r.Per, per, total, uses(r))
}

// sharedRung is the one that all cells are read at, 0 for none.
func sharedRung(r *model.Reply) int {
	n := r.Groups[0].Cells[0].Rung
	for _, g := range r.Groups {
		if slices.ContainsFunc(g.Cells, func(c model.ReplyCell) bool { return c.Rung != n }) {
			return 0
		}
	}
	return n
}

// against tells the figures of one group, the most first.
//
// Needs: The level's interval is above all others, or each of its measurements 5 % more than each of
// theirs, by more than the ranges; else undecided.
func against(r *model.Reply, does, to string) string {
	g := r.Groups[0]
	on := ""
	if n := g.Cells[0].Items; n > 0 {
		on = say.F(", of the %d items that all finished", n)
	}
	switch {
	case len(g.Cells) == 1 && g.Best != "":
		return say.F("“%s” is the only level that keeps the objectives: %s%s", g.Best, figure(r, g.Cells[0], true), on)
	case g.Best != "":
		return say.F("“%s” %s: %s%s", g.Best, does, listed(r, g, true), on)
	case g.Broken, unrepeated(r):
		return listed(r, g, false) + on
	}
	return say.F("undecided: %s%s, but the repetitions of each differ too much among themselves", listed(r, g, false), on)
}

// listed tells the figures of a group, the best with its bounds where that is asked for.
func listed(r *model.Reply, g model.ReplyGroup, bounds bool) string {
	parts := make([]string, len(g.Cells))
	for i, c := range g.Cells {
		if i > 0 && c.Unit == g.Cells[0].Unit {
			c.Unit = ""
		}
		parts[i] = say.F("%s with “%s”", figure(r, c, bounds && c.Level == g.Best), c.Level)
	}
	return say.Join(parts)
}

// figure writes a throughput with its unit, or a metric.
func figure(r *model.Reply, c model.ReplyCell, bounds bool) string {
	switch {
	case r.Metric == "" && bounds:
		return say.FigureText(c.Value, c.Unit)
	case r.Metric == "":
		return strings.TrimSpace(say.Plain(c.Value, say.Rounded(c.Value)) + " " + c.Unit)
	case bounds && c.Value.Bounded():
		return say.F("%s (%s–%s)", words.Seconds(c.Value.Value), words.Seconds(c.Value.Low), words.Seconds(c.Value.High))
	}
	return words.Seconds(c.Value.Value)
}

// metricText is a metric of an answer in words: "p99 of purchase".
func metricText(metric string) string {
	operation, name, two := strings.Cut(metric, " ")
	switch {
	case two:
		return say.F("%s of %s", name, operation)
	case metric == study.CPU:
		return say.F("CPU time per unit of work")
	}
	return metric
}

// winners counts in how many groups each level does most: "`a` does most in 3 of 4 cases
// and `b` in 1". The verb is the caller's.
func winners(groups []model.ReplyGroup, does, to string, of func(model.ReplyGroup) string) string {
	var order []string
	count := map[string]int{}
	for _, g := range groups {
		for _, c := range g.Cells {
			if of(g) == c.Level {
				if count[c.Level]++; count[c.Level] == 1 {
					order = append(order, c.Level)
				}
			}
		}
	}
	open := len(groups)
	var parts []string
	for most := open; most > 0; most-- {
		for _, level := range order {
			if count[level] == most {
				open -= most
				parts = append(parts, won(level, does, most, len(groups), len(parts) == 0))
			}
		}
	}
	switch {
	case len(parts) == 0:
		return say.F("no level is shown to %s", to)
	case len(groups) == 1:
		return parts[0]
	}
	if open > 0 {
		parts = append(parts, say.F("in %d no level is shown to %s", open, to))
	}
	return say.Join(parts)
}

// won says in how many groups a level does most; the first says of how many.
func won(level, does string, n, of int, first bool) string {
	switch {
	case of == 1:
		return say.F("“%s” %s", level, does)
	case first:
		return say.F("“%s” %s in %d of %d cases", level, does, n, of)
	}
	return say.F("“%s” in %d", level, n)
}

// uses says how many units both of two levels have, the one with the most first, where that
// differs and is the same in all groups: " (36 drives against
// 12)".
func uses(r *model.Reply) string {
	has := map[string]float64{}
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			if was, known := has[c.Level]; known && was != c.Of {
				return ""
			}
			has[c.Level] = c.Of
		}
	}
	counts := slices.Sorted(maps.Values(has))
	if len(counts) != 2 || counts[0] == counts[1] {
		return ""
	}
	if r.Currency != "" {
		return say.F(" (%s %s against %s)", words.Thousands(1000*counts[1]), r.Currency, words.Thousands(1000*counts[0]))
	}
	return say.F(" (%s against %s)", say.Count(int(counts[1]), r.Per), words.Whole(int(counts[0])))
}

// few is how many things are listed one by one.
const few = 4

// reached says what share of a rating or a baseline each variant gives.
//
// Needs: The highest throughput, and a rating of the storage or a baseline of the same operation.
func reached(r *model.Reply) string {
	cells := r.Groups[0].Cells
	rated := slices.DeleteFunc(slices.Clone(cells), func(c model.ReplyCell) bool { return c.Unrated })
	if len(rated) > few {
		return reachedTogether(rated)
	}
	share := shareText
	if len(rated) > 1 { // their bounds are for a table
		share = func(i stats.Interval) string { return say.Plain(i, words.PercentOf) }
	}
	var parts, unrated []string
	for _, c := range cells {
		if c.Unrated {
			unrated = append(unrated, say.F("%s with `%s`", figure(r, c, false), c.Variant))
			continue
		}
		of := say.F("its drives' rating")
		if c.Whole != "" {
			of = "“" + c.Whole + "”"
		}
		text := say.F("`%s` %s", c.Variant, share(c.Value))
		if len(parts) == 0 {
			text = say.F("`%s` gives %s of %s", c.Variant, share(c.Value), of)
		} else if c.Whole != cells[0].Whole {
			text += say.F(" of %s", of)
		}
		parts = append(parts, text)
	}
	text := say.Join(parts) + "."
	if len(unrated) > 0 {
		text += say.F(" Not rated: %s.", say.Join(unrated))
	}
	return text
}

// shareText writes a share, and its interval or range.
func shareText(i stats.Interval) string {
	text := say.Plain(i, words.PercentOf)
	switch bounds := words.Between(words.PercentOf(i.Low), words.PercentOf(i.High)); {
	case i.Changing:
		text += say.NotSteady()
	case i.Low >= i.High:
	case i.Bounded():
		text += " (" + bounds + ")"
	case i.Extremes:
		text += say.F(" (range %s)", bounds)
	}
	return text
}

// reachedTogether names the highest and the lowest of many cells.
func reachedTogether(cells []model.ReplyCell) string {
	byShare := func(c, d model.ReplyCell) int { return cmp.Compare(c.Value.Value, d.Value.Value) }
	most, least := slices.MaxFunc(cells, byShare), slices.MinFunc(cells, byShare)
	return say.F("of %d variants, `%s` reaches the largest share, %s, and `%s` the smallest, %s.",
		len(cells), most.Variant, say.Plain(most.Value, words.PercentOf), least.Variant, say.Plain(least.Value, words.PercentOf))
}

// grown says how throughput grows with the ladder.
//
// Needs: “… grows 3.9-fold from 1 to 12, 33 % of linear”: two rungs or more; the highest throughput is
// clearly more than at the smallest rung. “… does not grow: …”: the highest that throughput may be at
// the last rung is within 10 % of the lowest that it may be at the first. “… falls by 38 %: …”: the
// highest that throughput may be at the last rung is less than the lowest that it may be at the first.
func grown(r *model.Reply, s model.StudyInfo) string {
	if len(r.Groups[0].Cells) > fewGrow {
		return grownTogether(r.Groups[0].Cells)
	}
	var parts []string
	for _, c := range r.Groups[0].Cells {
		if !c.Grows {
			parts = append(parts, say.F("`%s` %s: %s at %s and %s at %d", c.Variant, stays(c), say.FigureText(*c.First, c.Unit), say.Count(c.FirstRung, s.Noun), words.Figures(c.Value.Value), c.Rung))
			continue
		}
		parts = append(parts, say.F("`%s` grows %s-fold from %d to %s, %s of linear, to %s%s", c.Variant,
			say.Times(c.Value.Value/c.First.Value, 2), c.FirstRung, say.Count(c.Rung, s.Noun), words.PercentOf(c.Linear), say.FigureText(c.Value, c.Unit), beyond(c)))
	}
	return strings.Join(parts, ". ") + "."
}

// fewGrow is how many variants have their growth listed one by one.
const fewGrow = 2

// little is how many times as much is no growth.
const little = 1.1

// beyond questions growth that is more than linear: more of the same does not give it.
//
// Needs: Growth beyond linear, by more than 5 % and by more than the intervals of both rungs.
func beyond(c model.ReplyCell) string {
	if !c.Beyond {
		return ""
	}
	return say.F(", which is more than in proportion: something held the smallest rung back, such as caches that had not filled, or more of them took part later, so measure from a larger rung than %d", c.FirstRung)
}

// stays tells throughput that falls, or does not grow, from one whose trials differ by too much to
// show whether it does.
//
// Needs: Neither of the two.
func stays(c model.ReplyCell) string {
	if c.Falls {
		return say.F("falls by %s", words.Percent(1-c.Value.Value/c.First.Value))
	}
	if stats.WithinOf(c.Value, *c.First, little) {
		return say.F("does not grow")
	}
	return say.F("is not shown to grow")
}

// grownTogether says of many variants how many grow, and by how much.
func grownTogether(cells []model.ReplyCell) string {
	grow, least, most := 0, math.Inf(1), 0.0
	still := ""
	for _, c := range cells {
		if !c.Grows {
			still = cmp.Or(still, c.Variant)
			continue
		}
		grow++
		by := c.Value.Value / c.First.Value
		least, most = min(least, by), max(most, by)
	}
	switch grow {
	case 0:
		return say.F("none of %d variants is shown to grow with the ladder.", len(cells))
	case len(cells):
		return say.F("all %d variants grow with the ladder, %s- to %s-fold.", grow, say.Times(least, 2), say.Times(most, 2))
	}
	return say.F("%d of %d variants grow with the ladder, %s- to %s-fold; the others, such as `%s`, are not shown to.", grow, len(cells), say.Times(least, 2), say.Times(most, 2), still)
}

// durability names the variants that lost acknowledged work, or did not come back at all.
//
// Needs: “nothing that was acknowledged was lost, …, which leaves open that up to 71 % of such trials
// lose some”: an audit of each of these trials, and the exact interval of the share. “… lost
// acknowledged work in 2 of 3 audited trials (9.4–99 %)”: the same; a trial that failed after its
// fault, in recovery.
func durability(r *model.Reply) string {
	var parts []string
	whole, trials, harmed, gone, most := 0, 0, 0, "", 0.0
	for _, c := range r.Groups[0].Cells {
		trials, most = trials+c.Audited, max(most, c.Losses.High)
		if c.Lost+c.Gone == 0 {
			if c.Audited > 0 && c.Uncounted == 0 {
				whole++
			}
			continue
		}
		harmed++
		if c.Lost > 0 {
			parts = append(parts, say.F("`%s` lost acknowledged work in %d of %s%s", c.Variant, c.Lost, say.Count(c.Audited, "audited trial"), among(stats.Proportion(c.Lost, c.Audited))))
		}
		if c.Gone > 0 {
			gone = say.F(" or did not come back after their faults")
			parts = append(parts, say.F("`%s` did not come back after its fault in %d of %s%s", c.Variant, c.Gone, say.Count(ended(c), "trial"), among(stats.Proportion(c.Gone, ended(c)))))
		}
	}
	if harmed > few {
		parts = []string{say.F("%d of %d variants lost acknowledged work%s", harmed, harmed+whole, gone)}
	}
	switch {
	case harmed == 0 && trials == 0: // nothing was looked through
		return ""
	case harmed == 0 && whole <= 1:
		return say.F("Nothing that was acknowledged was lost, in %s, which leaves open that up to %s of such trials lose some.", say.Count(trials, "audited trial"), words.PercentOf(most))
	case harmed == 0:
		return say.F("Nothing that was acknowledged was lost by any of %d variants, in %s, which leaves open that up to %s of the trials of one lose some.", whole, say.Count(trials, "audited trial"), words.PercentOf(most))
	case whole == 1:
		parts = append(parts, say.F("The other kept all"))
	case whole > 0:
		parts = append(parts, say.F("The other %d kept all", whole))
	}
	return words.Sentences(parts...)
}

// ended counts the trials of a cell after which somebody looked for what was acknowledged.
func ended(c model.ReplyCell) int { return c.Audited + c.Uncounted + c.Gone }

// uncounted says in how many trials of which variants the audit could not be made.
//
// Needs: An audit that could not be made, as of a database that does not answer.
func uncounted(r *model.Reply) string {
	return inTrials(r, func(c model.ReplyCell) int { return c.Uncounted }, say.F("what had been acknowledged could not be counted"))
}

// among writes the exact interval of a share of trials.
func among(share stats.Interval) string {
	return " (" + words.Between(words.PercentOf(share.Low), words.PercentOf(share.High)) + ")"
}

// away says how many trials of each variant ended before recovery from a fault was seen.
//
// Needs: A trial that passed, without the end of a fault that something was to undo.
func away(r *model.Reply) string {
	return inTrials(r, func(c model.ReplyCell) int { return c.Away }, say.F("what a fault had hit had not come back when the trial ended"))
}

// inTrials says in how many trials of which variants something happened; empty where it
// did in none.
func inTrials(r *model.Reply, count func(model.ReplyCell) int, what string) string {
	var parts []string
	for _, c := range r.Groups[0].Cells {
		if n := count(c); n > 0 {
			parts = append(parts, say.F("in %d of %s with `%s`", n, say.Count(ended(c), "trial"), c.Variant))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if len(parts) > few {
		parts = []string{say.F("in a trial or more of %d variants", len(parts))}
	}
	return words.Capital(say.Join(parts)) + ", " + what + "."
}

// Recovered says how long the longest recovery of each variant took; empty where the end of
// no fault was seen.
//
// Needs: The end of a fault was seen: the ended servers answered again, or the storage had its
// redundancy back.
func Recovered(r *model.Reply) string {
	cells := slices.DeleteFunc(slices.Clone(r.Groups[0].Cells), func(c model.ReplyCell) bool { return c.Recoveries == 0 })
	if len(cells) == 0 {
		return ""
	}
	slowest := slices.MaxFunc(cells, func(c, d model.ReplyCell) int { return cmp.Compare(c.Recovered, d.Recovered) })
	if len(cells) > few {
		return say.F("Recovery, where it was seen, took %s at most, with `%s`", words.Seconds(slowest.Recovered), slowest.Variant)
	}
	parts := make([]string, len(cells))
	for i, c := range cells {
		parts[i] = words.Seconds(c.Recovered)
		if len(r.Groups[0].Cells) > 1 {
			parts[i] += say.F(" with `%s`", c.Variant)
		}
	}
	if slices.ContainsFunc(r.Groups[0].Cells, func(c model.ReplyCell) bool { return c.Away+c.Gone > 0 }) {
		return say.F("Where it came back, recovery took at most %s", say.Join(parts))
	}
	return say.F("Recovery took at most %s", say.Join(parts))
}
