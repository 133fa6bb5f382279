// Package verdict has the conclusions of an analysis in words: the headline, a sentence on
// each variant, the leading questions, and the reason of a grade.
package verdict

import (
	"cmp"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/limit"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// Sentences is one sentence per variant; they stand as in the study, and as tables
// and charts have them.
func Sentences(a *model.Analysis) []model.Sentence {
	out := make([]model.Sentence, 0, len(a.Variants))
	for i := range a.Variants {
		v := &a.Variants[i]
		text := sentence(v, a.Study)
		if does := reachesText(a.Reply, v, a.Study); does != "" {
			text = does
		}
		out = append(out, model.Sentence{Variant: v.Name, Text: words.Sentences(text, words.Capital(takes(v)))})
	}
	return out
}

// reachesText describes a variant by its highest throughput and what limits it, where
// throughput answers the question. It is empty where the load line does.
//
// Needs: A question that throughput answers.
func reachesText(r *model.Reply, v *model.Variant, s model.StudyInfo) string {
	if !r.ByThroughput() || v.Best == nil || !v.Best.Kept && len(s.Objectives) > 0 {
		return ""
	}
	text := say.F("`%s` does %s at %s", v.Name, say.FigureText(v.Best.Throughput, v.Work.Unit.Throughput), say.Count(v.Best.Rung, s.Noun))
	return sentences(text, brokeAt(v, s), limit.GivesOut(v, s.Noun))
}

// sentences makes a sentence of each clause.
func sentences(clauses ...string) string {
	for i := range clauses {
		clauses[i] = words.Capital(clauses[i])
	}
	return words.Sentences(clauses...)
}

func throughputAt(v *model.Variant, instances int) float64 {
	if r := rung.Find(v.Rungs, instances); r != nil {
		return r.Throughput.Value
	}
	return 0
}

// sentence states the load that a variant carries and what gives out first.
func sentence(v *model.Variant, s model.StudyInfo) string {
	unstable := ""
	if v.LoadLine.Unstable {
		unstable = say.F("a larger rung passed again, so the load line is unstable")
	}
	return sentences(carries(v, s), doubts(v), say.UnsettledText(v.LoadLine), brokeAt(v, s), unstable, peakBelow(v, s), limit.GivesOut(v, s.Noun))
}

// brokeAt says what broke at the rung above the line, where the line's limits do
// not say so already: which of several objectives did, how much work failed, or
// that a trial did.
func brokeAt(v *model.Variant, s model.StudyInfo) string {
	r := rung.Find(v.Rungs, v.LoadLine.Next)
	if r == nil || r.Repetitions == 0 {
		return ""
	}
	var parts []string
	for _, i := range rung.Broken(r) {
		if r.Objectives[i].ByInstance() {
			parts = append(parts, limit.InstanceText(v, r.Objectives[i], s.Noun))
			continue
		}
		if i < len(s.Objectives) && (len(s.Objectives) > 1 || s.Objectives[i].IsShare()) {
			if s.Objectives[i].Metric == "errors" && trial.IsWhole(v.Work, s.Objectives[i].Operation) && r.ErrorClasses != nil {
				parts = append(parts, limit.ErrorsText(v, r))
				continue
			}
			parts = append(parts, BrokenText(v, s.Objectives[i], r.Objectives[i]))
		}
	}
	if r.Break.Any() {
		parts = append(parts, r.Breaks)
	}
	if len(parts) == 0 {
		return ""
	}
	return say.F("at %s, %s", words.Whole(r.Instances), say.Join(parts))
}

// BrokenText writes "errors were 12 %", or "p95 was not recorded".
//
// Needs: The metric of the objective at the rung that broke.
func BrokenText(v *model.Variant, o study.Objective, r rung.ObjectiveResult) string {
	name := o.Metric
	if !trial.IsWhole(v.Work, o.Operation) {
		name = o.Operation + " " + name
	}
	switch {
	case r.Unknown:
		return say.F("%s was not recorded", name)
	case o.Metric == "errors":
		return say.F("%s were %s", name, words.Percent(r.Value))
	case o.Metric == study.Undone:
		return say.F("%s of the offered rate was kept", percentKept(r.Value))
	case o.Metric == study.Decline:
		return say.F("throughput was %s below that of fewer", words.Percent(r.Value))
	case o.Metric == study.Idle:
		return say.F("%s %s for %s of the time", say.Noun(cmp.Or(v.Work.User, "user")+"s"), v.Work.MetricOf(o.Operation).Does, percentKept(r.Value))
	case o.IsShare():
		return say.F("%s of %s was rolled back", words.Percent(r.Value), plural(v, o))
	}
	if r.Recorded > 0 && r.Value > hidden*r.Recorded {
		return say.F("%s was %s with the time of a stall, %s as recorded", name, words.Seconds(r.Value), words.Seconds(r.Recorded))
	}
	return say.F("%s was %s", name, words.Seconds(r.Value))
}

// hidden is how many times as long as recorded a response time must be for a stall to be named.
const hidden = 1.05

// percentKept writes 1 minus a small undone share with an extra digit, because a limit such
// as 99.5 % is decided by the last one.
func percentKept(undone float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(100*(1-undone), 'f', 1, 64), ".0") + " %"
}

// plural names what an objective counts: the units of work, or the operations of
// a name.
func plural(v *model.Variant, o study.Objective) string {
	if trial.IsWhole(v.Work, o.Operation) {
		return v.Work.Unit.Plural
	}
	return say.Noun(o.Operation + "s")
}

// peakBelow warns where throughput had its peak below the line, by more than
// repetitions differ: then the line is kept, but at a loss.
//
// Needs: A rung below the line with clearly more throughput than at the line.
func peakBelow(v *model.Variant, s model.StudyInfo) string {
	best := rung.Best(v.Rungs, func(r rung.Rung) bool { return r.Kept })
	if best < 0 || len(s.Objectives) == 0 || v.Rungs[best].Instances >= v.LoadLine.Rung {
		return ""
	}
	at := throughputAt(v, v.LoadLine.Rung)
	peak := v.Rungs[best]
	if line := rung.Find(v.Rungs, v.LoadLine.Rung); line == nil || !stats.ClearlyMore(peak.Throughput, line.Throughput) {
		return ""
	}
	return say.F("throughput is highest at %s (%s %s) and falls to %s at %s",
		say.Count(peak.Instances, s.Noun), say.Plain(peak.Throughput, words.Figures), v.Work.Unit.Throughput, words.Figures(at), words.Whole(v.LoadLine.Rung))
}

// carries states between which rungs a line lies, and what broke above it.
//
// Needs: A rung on each side of the line, or the end of the ladder; failed trials break a rung.
func carries(v *model.Variant, s model.StudyInfo) string {
	l, name := v.LoadLine, "`"+v.Name+"`"
	within := objectivesText(s)
	switch {
	case len(v.Rungs) == 0:
		return say.F("%s has no finished trial", name)
	case rung.AllFailed(v.Rungs):
		return say.F("%s failed in every trial%s", name, say.FailedBy(v.Rungs))
	case len(s.Objectives) == 0:
		return say.F("%s reaches %s %s at %s (the study sets no objective)", name,
			words.Figures(throughputAt(v, l.Rung)), v.Work.Unit.Throughput, say.Count(l.Rung, s.Noun))
	case l.Rung == 0 && rung.Find(v.Rungs, l.Next) != nil && len(rung.Broken(rung.Find(v.Rungs, l.Next))) == 0:
		return say.F("%s does not carry %s, the smallest rung tried", name, say.Count(v.Rungs[0].Instances, s.Noun))
	case l.Rung == 0:
		return say.F("%s does not meet %s at %s, the smallest rung tried (%s)", name, within, say.Count(l.Next, s.Noun), say.TimesMeasured(rung.Find(v.Rungs, l.Next)))
	}
	return say.F("%s carries %s within %s (%s)", name, say.LineRange(l, s.Noun), within, restsOn(v))
}

// restsOn says which other rungs were measured, and how often.
//
// Needs: The trials of both rungs; the interpolation needs a figure of the objective at both.
func restsOn(v *model.Variant) string {
	l := v.LoadLine
	below, above := rung.Find(v.Rungs, l.Rung), rung.Find(v.Rungs, l.Next)
	switch {
	case l.Open:
		return say.F("%s met %s in %s, the largest rung tried", words.Whole(l.Rung), limits(below), say.TimesMeasured(below))
	case l.Rung == 0:
		return say.F("%s did not meet %s in %s, the smallest rung tried", words.Whole(l.Next), limits(above), say.TimesMeasured(above))
	}
	text := say.F("%s met %s in %s, %s did not in %s", words.Whole(l.Rung), limits(below), say.TimesMeasured(below), words.Whole(l.Next), say.TimesMeasured(above))
	if l.Count.Value > float64(l.Carried()) {
		text += say.F("; interpolated %s", words.Thousands(l.Count.Value))
	}
	return text
}

// doubts says of the rungs around a line that another trial could judge them otherwise, where the
// repetitions leave that open.
func doubts(v *model.Variant) string {
	l := v.LoadLine
	below, above := rung.Find(v.Rungs, l.Rung), rung.Find(v.Rungs, l.Next)
	text := ""
	if below != nil && !l.SureBelow() {
		text = doubtOf(below, say.F("met"), say.F("miss"))
	}
	if above != nil && !l.SureAbove() {
		text = words.Sentences(text, doubtOf(above, say.F("missed"), say.F("meet")))
	}
	return text
}

// doubtOf says of a rung that did one thing that it could do the other.
//
// Needs: The interval of the line reaches below the rung that met the objectives, or above the one
// that did not.
func doubtOf(r *rung.Rung, did, could string) string {
	it := limits(r)
	switch {
	case rung.AnyDoubtful(*r):
		return say.F("%s %s %s, but one instance could %s %s", words.Whole(r.Instances), did, it, could, it)
	case r.Repetitions == 1:
		return say.F("%s %s %s once, so near the limit that another trial could %s %s", words.Whole(r.Instances), did, it, could, it)
	case r.Repetitions == 2: // whose interval is wide even where both are about the same
		return say.F("%s %s %s twice, and two trials are too few to say that no other would %s %s", words.Whole(r.Instances), did, it, could, it)
	}
	return say.F("%s %s %s in %s, which differ so much that another could %s %s", words.Whole(r.Instances), did, it, say.Count(r.Repetitions, "trial"), could, it)
}

// limits is the pronoun for the objectives.
func limits(r *rung.Rung) string {
	if r != nil && len(r.Objectives) > 1 {
		return say.F("them")
	}
	return say.F("it")
}

// objectivesText writes the objectives as a reader says them: "p95 ≤ 200 ms".
func objectivesText(s model.StudyInfo) string {
	parts := make([]string, 0, len(s.Objectives))
	for _, o := range s.Objectives {
		parts = append(parts, ObjectiveText(o, s.Work))
	}
	return say.Join(parts)
}

// ObjectiveText writes an objective of a workload as a reader says it.
func ObjectiveText(o study.Objective, p describe.Profile) string {
	if o.Metric == study.Undone {
		return say.F("rate ≥ %s", percentKept(o.Limit))
	}
	if o.Metric == study.Decline {
		return say.F("growth ≥ %s", words.PercentOf(-o.Limit))
	}
	if o.Metric == study.Idle {
		return p.MetricOf(o.Operation).Text + " ≥ " + percentKept(o.Limit)
	}
	limit := words.Seconds(o.Limit)
	if o.IsShare() {
		limit = words.Percent(o.Limit)
	}
	text := metricName(o.Metric) + " ≤ " + limit
	if !trial.IsWhole(p, o.Operation) {
		text = o.Operation + " " + text
	}
	return text
}

// metricName is a metric of studies as a reader says it.
func metricName(metric string) string {
	if metric == study.RolledBack {
		return say.F("rolled back")
	}
	return say.Noun(metric)
}
