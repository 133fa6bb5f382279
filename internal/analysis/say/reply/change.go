package reply

import (
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// changed describes each other level's change against the first level of a factor.
//
// Needs: Variants that differ in the factor alone, at a rung that both measured.
func changed(r *model.Reply, s model.StudyInfo) string {
	var levels []string
	for _, g := range r.Groups {
		for _, step := range g.Steps {
			if !slices.Contains(levels, step.Level) {
				levels = append(levels, step.Level)
			}
		}
	}
	parts := make([]string, len(levels))
	for i, level := range levels {
		parts[i] = say.F("“%s” instead of “%s”: %s", level, r.Groups[0].Cells[0].Level, levelText(ofLevel(r.Groups, level), r, s))
	}
	return strings.Join(parts, ". ") + "."
}

// ofLevel keeps the steps to one level.
func ofLevel(groups []model.ReplyGroup, level string) (kept []model.ReplyGroup) {
	for _, g := range groups {
		g.Steps = slices.DeleteFunc(slices.Clone(g.Steps), func(s model.ReplyStep) bool { return s.Level != level })
		if len(g.Steps) > 0 {
			kept = append(kept, g)
		}
	}
	return kept
}

// levelText tells a few groups one by one; of more, those that share the level of a factor
// together.
func levelText(groups []model.ReplyGroup, r *model.Reply, s model.StudyInfo) string {
	texts := make([]string, len(groups))
	for i, g := range groups {
		if texts[i] = groupText(g, r, s); i > 0 {
			texts[i] = words.Capital(texts[i])
		}
	}
	bundles := bundled(groups)
	switch {
	case len(groups) <= fewCases:
		return strings.Join(texts, ". ")
	case len(bundles) == 0, len(bundles) > fewCases:
		return summary(groups, r)
	}
	texts = texts[:0]
	for _, b := range bundles {
		with := say.F("With ")
		if len(texts) == 0 {
			with = say.F("with ")
		}
		texts = append(texts, with+b.label+", "+bundleText(b.steps, unitOf(r, groups[0]), r.Per))
	}
	return strings.Join(texts, ". ")
}

// fewCases is how many cases of a change are listed one by one.
const fewCases = 3

// groupText describes the changes of a group: "with 64 KiB, 1.7 times the Gb/s".
// Neighbouring rungs with the same result share a clause.
func groupText(g model.ReplyGroup, r *model.Reply, s model.StudyInfo) string {
	unit := unitOf(r, g)
	var parts []string
	for _, same := range alikeRuns(g.Steps) {
		text := stepsText(same, unit)
		if len(g.Steps) > 1 {
			text += say.F(" at %s", rungsText(same, s.Noun))
		}
		parts = append(parts, text+perText(same, r.Per, factorsText))
	}
	text := strings.Join(parts, ", ")
	if g.Shared != "" {
		text = say.F("with %s, %s", g.Shared, text)
	}
	if r.Metric != "" {
		return text
	}
	return text + tailText(g.Steps[len(g.Steps)-1], s)
}

// unitOf names the quantity that changes: the unit of throughput, or the metric.
func unitOf(r *model.Reply, g model.ReplyGroup) string {
	if r.Metric != "" {
		return metricText(r.Metric)
	}
	return g.Cells[0].Unit
}

// statement is what kind of thing is to be said of a change.
type statement int

const (
	differs  statement = iota
	once               // measured once each, so that chance may have made it
	unshown            // the interval allows both
	steadied           // shown to be of no account
)

func saidOf(s model.ReplyStep) statement {
	switch {
	case s.Alike:
		return steadied
	case s.Shown:
		return differs
	case s.Throughput.Confidence > 0:
		return unshown
	}
	return once
}

// alikeRuns splits steps into runs of neighbours with the same result.
func alikeRuns(steps []model.ReplyStep) (runs [][]model.ReplyStep) {
	for i, s := range steps {
		if i == 0 || saidOf(s) != saidOf(steps[i-1]) {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], s)
	}
	return runs
}

// stepsText writes changes in throughput with the same result: "−7 % OPM (−9 to −5 %)",
// "1.7 times the Gb/s", "−7, +6 and +18 % OPM".
//
// Needs: “+7 % OPM (5 to 9 %), 1.7 times the OPM (1.5 to 1.9 times)”: the ratio at that rung, adjusted
// for the number of rungs and levels: the change is 5 % or more and its interval excludes none; the
// bounds where there are any. “about the same OPM”: the interval lies within 10 % of none. “no
// difference in OPM is shown”: repetitions, and neither of the above.
func stepsText(steps []model.ReplyStep, unit string) string {
	all := steps[0].Throughput
	values := make([]float64, len(steps))
	bounded := true
	for i, s := range steps {
		values[i] = s.Throughput.Value
		bounded = bounded && s.Throughput.Bounded()
		all.Value, all.Low, all.High = max(all.Value, s.Throughput.Value), min(all.Low, s.Throughput.Low), max(all.High, s.Throughput.High)
	}
	text := ""
	switch saidOf(steps[0]) {
	case steadied:
		return say.F("about the same %s", unit)
	case unshown:
		text = say.F("no difference in %s is shown", unit)
	default:
		if text = ofUnits(factorsText, values, unit); len(steps) > 1 {
			return text
		}
	}
	if bounded {
		text += " (" + boundsText(all) + ")"
	}
	return text
}

// rungsText writes "1, 2 and 4 instances".
func rungsText(steps []model.ReplyStep, noun string) string {
	if len(steps) == 1 {
		return say.Count(steps[0].Rung, noun)
	}
	numbers := make([]string, len(steps))
	for i, s := range steps {
		numbers[i] = words.Whole(s.Rung)
	}
	return say.Join(numbers) + " " + say.Noun(noun+"s")
}

// perText states the change of throughput per unit, following the change of the total;
// empty if it is not known for each.
func perText(steps []model.ReplyStep, per string, write func([]float64) (string, bool)) string {
	var ratios []float64
	for _, s := range steps {
		if s.PerRatio > 0 {
			ratios = append(ratios, s.PerRatio)
		}
	}
	if len(ratios) < len(steps) {
		return ""
	}
	text, times := write(ratios)
	if times {
		return say.F(", %s times that per %s", text, per)
	}
	return say.F(", %s %% per %s", text, per)
}

// bundle is what groups that share a level change.
type bundle struct {
	label string
	steps []model.ReplyStep
}

// bundled puts groups together by the level of the one of their factors that makes most of
// a difference; none where they do not share levels.
func bundled(groups []model.ReplyGroup) (best []bundle) {
	least := math.Inf(1)
	for factor := range groups[0].Levels {
		var bundles []bundle
		for _, g := range groups {
			if len(g.Levels) != len(groups[0].Levels) {
				return nil
			}
			i := slices.IndexFunc(bundles, func(b bundle) bool { return b.label == g.Levels[factor] })
			if i < 0 {
				i = len(bundles)
				bundles = append(bundles, bundle{label: g.Levels[factor]})
			}
			bundles[i].steps = append(bundles[i].steps, g.Steps...)
		}
		if spread := spreadOf(bundles); len(bundles) > 1 && len(bundles) < len(groups) && spread < least {
			best, least = bundles, spread
		}
	}
	return best
}

// spreadOf is the spread of changes about the mean of their bundle: the sum of the squares
// of logarithms.
func spreadOf(bundles []bundle) (spread float64) {
	for _, b := range bundles {
		mean := 0.0
		for _, s := range b.steps {
			mean += math.Log(s.Throughput.Value) / float64(len(b.steps))
		}
		for _, s := range b.steps {
			spread += math.Pow(math.Log(s.Throughput.Value)-mean, 2)
		}
	}
	return spread
}

// bundleText writes how far changes go, and of how many a difference is not shown.
//
// Needs: More cases than are told one by one, that share the level of a factor; the least and the most
// of each level.
func bundleText(steps []model.ReplyStep, unit, per string) string {
	if len(alikeRuns(steps)) == 1 && saidOf(steps[0]) >= unshown {
		return stepsText(steps, unit) + perText(steps, per, spanText)
	}
	var values []float64
	for _, s := range steps {
		if saidOf(s) < unshown {
			values = append(values, s.Throughput.Value)
		}
	}
	if len(values) == 0 {
		return say.F("no difference in %s is shown", unit) + perText(steps, per, spanText)
	}
	text := ofUnits(spanText, values, unit)
	if len(values) < len(steps) {
		text += say.F(" in %d of %d cases", len(values), len(steps))
	}
	return text + perText(steps, per, spanText)
}

// large is the ratio from which a change is written as a factor.
const large = 1.5

// factorsText writes ratios as changes in percent, and as factors, which it reports, where one is
// large: "−7, +6 and +18".
func factorsText(ratios []float64) (text string, times bool) {
	if len(ratios) > few {
		return spanText(ratios)
	}
	write, times := scaleOf(ratios)
	parts := make([]string, len(ratios))
	for i, r := range ratios {
		parts[i] = write(r)
	}
	return say.Join(parts), times
}

// spanText writes the least and the most of ratios in the same way: "1.7–1.9", "+6 to +18".
func spanText(ratios []float64) (text string, times bool) {
	write, times := scaleOf(ratios)
	low, high := write(slices.Min(ratios)), write(slices.Max(ratios))
	switch {
	case low == high:
		return low, times
	case times:
		return low + "–" + high, times
	}
	return say.F("%s to %s", low, high), times
}

// scaleOf is how ratios are written: as factors where one is large, else in percent.
func scaleOf(ratios []float64) (write func(float64) string, times bool) {
	if slices.Max(ratios) >= large {
		return ratioText, true
	}
	return percentText, false
}

// ofUnits says what changed so: "1.7 times the Gb/s", "+6 to +18 % OPM".
func ofUnits(write func([]float64) (string, bool), ratios []float64, unit string) string {
	text, times := write(ratios)
	if times {
		return say.F("%s times the %s", text, unit)
	}
	return text + " % " + unit
}

// ratioText has an extra digit below 1, where the first is zero.
func ratioText(ratio float64) string {
	switch {
	case ratio < 1:
		return say.F("%.2g", ratio)
	case ratio < 100:
		return say.F("%.1f", ratio)
	}
	return say.Times(ratio, 3)
}

// percentText omits the sign of no change.
func percentText(ratio float64) string {
	percent := math.Round(100 * (ratio - 1))
	if percent == 0 {
		return "0"
	}
	return words.Signed(percent, 0)
}

// boundsText writes the bounds as the value is written.
func boundsText(i stats.Interval) string {
	if i.Value >= large {
		return say.F("%s to %s times", ratioText(i.Low), ratioText(i.High))
	}
	return say.F("%s to %s %%", percentText(i.Low), percentText(i.High))
}

// tailText says how p99 changed at the last rung, where it at least doubled or halved.
//
// Needs: p99 of both at the last common rung, at least doubled or halved; ten units of work or more beyond
// each, and an interval of the change that leaves out none.
func tailText(s model.ReplyStep, info model.StudyInfo) string {
	if !s.P99Shown || math.Abs(math.Log2(s.P99To/s.P99From)) < 1 {
		return ""
	}
	how := say.F("rises")
	if s.P99To < s.P99From {
		how = say.F("falls")
	}
	return say.F("; p99 %s from %s to %s at %s", how, words.Seconds(s.P99From), words.Seconds(s.P99To), say.Count(s.Rung, info.Noun))
}

// summary counts the changes of many groups.
//
// Needs: More changes than are told one by one; each counted as above.
func summary(groups []model.ReplyGroup, r *model.Reply) string {
	more, less, all := []float64{}, []float64{}, 0
	for _, g := range groups {
		for _, s := range g.Steps {
			switch all++; {
			case s.Shown && s.Throughput.Value > 1:
				more = append(more, s.Throughput.Value)
			case s.Shown:
				less = append(less, s.Throughput.Value)
			}
		}
	}
	what := say.Noun("throughput")
	if r.Metric != "" {
		what = metricText(r.Metric)
	}
	span := func(ratios []float64) string {
		return say.F("%d of %d cases (%s to %s times)", len(ratios), all, say.Times(slices.Min(ratios), 3), say.Times(slices.Max(ratios), 3))
	}
	var parts []string
	if len(more) > 0 {
		parts = append(parts, say.F("more %s in %s", what, span(more)))
	}
	switch {
	case len(less) == 0:
	case len(more) == 0:
		parts = append(parts, say.F("less %s in %s", what, span(less)))
	default:
		parts = append(parts, say.F("less in %s", span(less)))
	}
	if open := all - len(more) - len(less); open > 0 {
		parts = append(parts, say.F("no difference is shown in %d", open))
	}
	return say.Join(parts)
}
