package verdict

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// breaking says what the following figures do not: that a variant meets its objectives at
// no rung, where the answer is not the load line, or that items of its list failed.
//
// Needs: Before any other sentence: the objectives are kept at none of the rungs that were measured,
// and the answer is a throughput or a metric; items of a list failed in a repetition or more.
func breaking(a *model.Analysis) string {
	var nowhere, failed []string
	for _, b := range a.Breaking {
		if b.Nowhere {
			nowhere = append(nowhere, "`"+b.Variant+"`")
		}
		if len(b.Items) > 0 {
			failed = append(failed, say.F("`%s` failed %s", b.Variant, itemsText(b.Items)))
		}
	}
	var parts []string
	if len(nowhere) > 0 && a.Reply != nil && a.Reply.ByThroughput() {
		parts = append(parts, whoKeeps(a, nowhere))
	}
	if len(failed) > few {
		failed = []string{say.F("%d of %d variants failed items of the list", len(failed), len(a.Variants))}
	}
	if len(failed) > 0 {
		parts = append(parts, say.Join(failed))
	}
	return words.Capital(strings.Join(parts, "; "))
}

// whoKeeps names those that do not keep the objectives.
func whoKeeps(a *model.Analysis, nowhere []string) string {
	limits := objectivesText(a.Study)
	switch {
	case len(nowhere) == len(a.Variants) && len(nowhere) > 1:
		return say.F("no variant keeps %s at any rung", limits)
	case len(nowhere) > few:
		return say.F("%d of %d variants keep %s at no rung", len(nowhere), len(a.Variants), limits)
	case len(nowhere) > 1:
		return say.F("%s keep %s at no rung", say.Join(nowhere), limits)
	}
	return say.F("%s keeps %s at no rung", nowhere[0], limits)
}

// itemsText names a few items, or counts them.
func itemsText(items []string) string {
	if len(items) > few {
		return say.F("%d items of its list", len(items))
	}
	return say.Join(items)
}

// carried says how many each variant carries, or each store of tiles.
func carried(a *model.Analysis, measured []*model.Variant) string {
	if lines := tileLines(a); len(lines) > 0 {
		return words.Capital(cmp.Or(allAlike(lines, "tile"), oneByOne(lines, "tile"), fromTo(lines, "tile"))) + "."
	}
	if len(a.Study.Objectives) == 0 {
		return ofEachUnit(reaches)(a, measured)
	}
	lines := linesOf(a, measured)
	return say.F("Within %s, %s.", limitsOf(a.Study, len(lines)), cmp.Or(allAlike(lines, a.Study.Noun), oneByOne(lines, a.Study.Noun), mostAndFewest(a, measured)))
}

// line is the line of a variant, or of a store of tiles.
type line struct {
	name  string
	reach loadline.Reach
	spare string // little of an objective is left
}

// linesOf are the load lines of variants, the highest first.
func linesOf(a *model.Analysis, measured []*model.Variant) (lines []line) {
	for _, v := range byRank(measured, rankOf(a)) {
		lines = append(lines, line{v.Name, v.LoadLine.Reach(), headroom(v)})
	}
	return lines
}

// rankOf is what variants are sorted by.
func rankOf(a *model.Analysis) func(*model.Variant) float64 {
	if a.Study.OpenLoop {
		return rateRank
	}
	return lineRank
}

// tileLines are the load lines of the measured stores, the highest first.
func tileLines(a *model.Analysis) (lines []line) {
	for _, t := range a.Tiles {
		if r := t.Reach(); r != (loadline.Reach{}) {
			lines = append(lines, line{name: t.Variant, reach: r})
		}
	}
	slices.SortStableFunc(lines, func(l, m line) int { return cmp.Compare(m.reach.Low, l.reach.Low) })
	return lines
}

// limitsOf writes the objectives of a study; of several, of many variants, only how many they are.
func limitsOf(s model.StudyInfo, variants int) string {
	switch n := len(s.Objectives); {
	case n > 2:
		return say.F("all %d objectives", n)
	case n == 2 && variants > 2:
		return say.F("both objectives")
	}
	return objectivesText(s)
}

// unsettled says why variants are not shown to carry as many as met the objectives.
func unsettled(variants []*model.Variant) string {
	var parts []string
	for _, v := range variants {
		if text := say.UnsettledText(v.LoadLine); text != "" {
			parts = append(parts, say.F("on `%s`, %s", v.Name, text))
		}
	}
	if len(parts) > few {
		return say.F("On %d variants response times rose within the phase, so that they are not shown to meet the objectives at their load line", len(parts))
	}
	return words.Capital(strings.Join(parts, "; "))
}

// allAlike is for lines that cannot be told apart: "all 4 variants carry at least 128 instances".
//
// Needs: The same bracket of rungs for all.
func allAlike(lines []line, noun string) string {
	if len(lines) < 2 || slices.ContainsFunc(lines, func(l line) bool { return l.reach != lines[0].reach }) {
		return ""
	}
	how := say.F("all %d variants carry", len(lines))
	if len(lines) == 2 {
		how = say.F("both `%s` and `%s` carry", lines[0].name, lines[1].name)
	}
	return how + " " + say.Reach(lines[0].reach, noun)
}

// oneByOne tells a few lines one by one.
//
// Needs: Two variants with a line each; the headroom where less than 5 % of a limit is left at the
// line.
func oneByOne(lines []line, noun string) string {
	if len(lines) > few {
		return ""
	}
	var texts []string
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && lines[end].reach == lines[i].reach {
			end++
		}
		who, carries, spare := say.F("`%s`", lines[i].name), say.F("carries"), lines[i].spare
		if end > i+1 {
			who, carries, spare = say.F("both `%s` and `%s`", lines[i].name, lines[i+1].name), say.F("carry"), ""
		}
		if i == 0 {
			texts = append(texts, say.F("%s %s %s%s", who, carries, say.Reach(lines[i].reach, noun), spare))
		} else {
			texts = append(texts, say.F("%s %s%s", who, say.Reach(lines[i].reach, ""), spare))
		}
		i = end
	}
	return say.Join(texts)
}

// fromTo tells the ends of many lines.
//
// Needs: Stores of a study with members; of more than three, both ends.
func fromTo(lines []line, noun string) string {
	first, last := lines[0], lines[len(lines)-1]
	return say.F("of %d variants, `%s` carries %s and `%s` %s", len(lines), first.name, say.Reach(first.reach, noun), last.name, say.Reach(last.reach, ""))
}

// tight is the share of an objective below which the remaining margin is stated.
const tight = 0.05

// headroom says how much is left to the tightest objective at the line, where that is
// little: " (1 % of headroom at 4)".
func headroom(v *model.Variant) string {
	r := rung.Find(v.Rungs, v.LoadLine.Rung)
	if r == nil {
		return ""
	}
	spare := 1.0
	for _, o := range r.Objectives {
		if !o.Unknown && o.Limit > 0 {
			spare = min(spare, 1-o.Value/o.Limit)
		}
	}
	if spare < 0 || spare >= tight {
		return ""
	}
	return say.F(" (%s of headroom at %s)", words.PercentOf(spare), words.Whole(r.Instances))
}

// mostAndFewest tells the ends of many, and whether they are more than chance.
//
// Needs: “… carries the most of 4 variants, …, and … the fewest, …”: the intervals of the two load
// lines do not meet; published figures are taken as they are; without repetitions "nothing was
// repeated" follows. “none of 4 variants is shown to carry more than another: …”: repetitions, and
// intervals that meet.
func mostAndFewest(a *model.Analysis, variants []*model.Variant) string {
	variants = byRank(variants, rankOf(a))
	first, last := variants[0], variants[len(variants)-1]
	most, fewest := say.LineRange(first.LoadLine, a.Study.Noun), say.WithoutNoun(last.LoadLine)
	repeated := first.LoadLine.Count.Confidence > 0 && last.LoadLine.Count.Confidence > 0
	if repeated && first.LoadLine.Against(last.LoadLine) != loadline.CarriesMore {
		return say.F("none of %d variants is shown to carry more than another. `%s` carries %s and `%s` %s", len(variants), first.Name, most, last.Name, fewest)
	}
	if tied := tiedAtTop(variants); tied == len(variants) {
		return say.F("each of %d variants carries %s", tied, most)
	} else if tied > 1 {
		return say.F("%d of %d variants carry %s, the most that was tried. `%s` carries the fewest, %s", tied, len(variants), most, last.Name, fewest)
	}
	return say.F("`%s` carries the most of %d variants, %s. `%s` carries the fewest, %s", first.Name, len(variants), most, last.Name, fewest)
}

// tiedAtTop is how many variants met their objectives at the largest rung of the first, and were not
// tried beyond it: which of them carries most is not known.
func tiedAtTop(variants []*model.Variant) (n int) {
	top := variants[0].LoadLine.Reach()
	for _, v := range variants {
		if r := v.LoadLine.Reach(); r.Extent == loadline.AtLeast && r.Extent == top.Extent && r.Low == top.Low {
			n++
		}
	}
	return n
}

// reaches answers where there is no objective: by the highest throughput.
//
// Needs: A study without objectives; the highest throughput of each.
func reaches(a *model.Analysis, variants []*model.Variant) string {
	text := func(v *model.Variant) string {
		r := v.Rungs[rung.Best(v.Rungs, rung.Measured)]
		if len(v.Rungs) == 1 && r.Instances == 1 {
			return say.Plain(r.Throughput, words.Figures) + " " + v.Work.Unit.Throughput
		}
		return say.F("%s %s at %s", say.Plain(r.Throughput, words.Figures), v.Work.Unit.Throughput, say.Count(r.Instances, a.Study.Noun))
	}
	variants = slices.Clone(variants)
	slices.SortStableFunc(variants, func(v, w *model.Variant) int { return cmp.Compare(peakOf(w), peakOf(v)) })
	first, last := variants[0], variants[len(variants)-1]
	if len(variants) == 1 {
		return say.F("`%s` reaches %s.", first.Name, text(first))
	}
	return say.F("`%s` reaches the most, %s, and `%s` the least, %s.", first.Name, text(first), last.Name, text(last))
}
