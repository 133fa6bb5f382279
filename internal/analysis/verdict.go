package analysis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/words"
)

// verdict is one sentence per variant; they stand as in the study, and as tables
// and charts have them.
func verdict(a *Analysis) []Sentence {
	out := make([]Sentence, 0, len(a.Variants))
	for i := range a.Variants {
		v := &a.Variants[i]
		out = append(out, Sentence{Variant: v.Name, Text: sentence(v, a.Study)})
	}
	return out
}

func throughputAt(v *Variant, instances int) float64 {
	if r := v.rung(instances); r != nil {
		return r.Throughput.Value
	}
	return 0
}

// rung finds the rung with so many instances, nil when there is none.
func (v *Variant) rung(instances int) *Rung {
	for i := range v.Rungs {
		if v.Rungs[i].Instances == instances {
			return &v.Rungs[i]
		}
	}
	return nil
}

// sentence says what a variant carries and what gives out first.
func sentence(v *Variant, s StudyInfo) string {
	text := carries(v, s)
	if b := brokeAt(v, s); b != "" {
		text += "; " + b
	}
	if v.LoadLine.Unstable {
		text += "; a larger rung passed again, so the load line is unstable"
	}
	if peak := peakBelow(v, s); peak != "" {
		text += "; " + peak
	}
	if b := givesOut(v, s.Noun); b != "" {
		text += "; " + b
	}
	return text + "."
}

// brokeAt says what broke at the rung above the line, where the line's limits do
// not say so already: which of several objectives did, how much work failed, or
// that a trial did.
func brokeAt(v *Variant, s StudyInfo) string {
	r := v.rung(v.LoadLine.Next)
	if r == nil || r.Repetitions == 0 {
		return ""
	}
	var parts []string
	for _, i := range brokenObjectives(r) {
		if r.Objectives[i].byInstance() {
			parts = append(parts, instanceText(v, r.Objectives[i], s.Noun))
			continue
		}
		if i < len(s.Objectives) && (len(s.Objectives) > 1 || s.Objectives[i].IsShare()) {
			if s.Objectives[i].Metric == "errors" && trial.IsWhole(v.Work, s.Objectives[i].Operation) && r.ErrorClasses != nil {
				parts = append(parts, errorsText(v, r))
				continue
			}
			parts = append(parts, brokenText(v, s.Objectives[i], r.Objectives[i]))
		}
	}
	if r.Breaks != "" {
		parts = append(parts, r.Breaks)
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("at %d, %s", r.Instances, words.Join(parts))
}

// brokenObjectives are the places of the objectives that a rung does not keep.
func brokenObjectives(r *Rung) (places []int) {
	for i, o := range r.Objectives {
		if !o.Kept {
			places = append(places, i)
		}
	}
	return places
}

// brokenText writes "errors were 12 %", or "p95 was not recorded".
func brokenText(v *Variant, o study.Objective, r ObjectiveResult) string {
	name := o.Metric
	if !trial.IsWhole(v.Work, o.Operation) {
		name = o.Operation + " " + name
	}
	switch {
	case r.Unknown:
		return name + " was not recorded"
	case o.Metric == "errors":
		return fmt.Sprintf("%s were %s", name, words.Percent(r.Value))
	case o.Metric == study.Undone:
		return percentKept(r.Value) + " of the offered rate was kept"
	case o.IsShare():
		return fmt.Sprintf("%s of %s was rolled back", words.Percent(r.Value), plural(v, o))
	}
	if r.Recorded > 0 {
		return fmt.Sprintf("%s was %s, corrected for a stall (%s recorded)", name, words.Seconds(r.Value), words.Seconds(r.Recorded))
	}
	return fmt.Sprintf("%s was %s", name, words.Seconds(r.Value))
}

// percentKept writes what is left beside a small share that was not done, with a digit
// more than other shares: it is the last one that a limit such as 99.5 % is about.
func percentKept(undone float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(100*(1-undone), 'f', 1, 64), ".0") + " %"
}

// plural names what an objective counts: the units of work, or the operations of
// a name.
func plural(v *Variant, o study.Objective) string {
	if trial.IsWhole(v.Work, o.Operation) {
		return v.Work.Unit.Plural
	}
	return o.Operation + "s"
}

// peakBelow warns where throughput had its peak below the line, by more than
// repetitions differ: then the line is kept, but at a loss.
func peakBelow(v *Variant, s StudyInfo) string {
	best := bestRung(v.Rungs, func(r Rung) bool { return r.Kept })
	if best < 0 || len(s.Objectives) == 0 || v.Rungs[best].Instances >= v.LoadLine.Rung {
		return ""
	}
	at := throughputAt(v, v.LoadLine.Rung)
	peak := v.Rungs[best]
	if line := v.rung(v.LoadLine.Rung); line == nil || !clearlyMore(peak.Throughput, line.Throughput) {
		return ""
	}
	return fmt.Sprintf("throughput is highest at %s (%s %s) and falls to %s at %d",
		words.Count(peak.Instances, s.Noun), words.Figures(peak.Throughput.Value), v.Work.Unit.Throughput, words.Figures(at), v.LoadLine.Rung)
}

// clearlyMore says that the intervals do not meet or, where nothing was repeated,
// that a is more by a twentieth.
func clearlyMore(a, b interval.Interval) bool {
	if a.Confidence > 0 && b.Confidence > 0 {
		return a.Low > b.High
	}
	return a.Value >= 1.05*b.Value
}

func carries(v *Variant, s StudyInfo) string {
	l, name := v.LoadLine, "`"+v.Name+"`"
	within := objectivesText(s)
	switch {
	case len(v.Rungs) == 0:
		return name + " has no finished trial"
	case allFailed(v.Rungs):
		return name + " failed in every trial" + failedBy(v.Rungs)
	case len(s.Objectives) == 0:
		return fmt.Sprintf("%s reaches %s %s at %s (the study sets no objective)", name,
			words.Figures(throughputAt(v, l.Rung)), v.Work.Unit.Throughput, words.Count(l.Rung, s.Noun))
	case undecided(l):
		return fmt.Sprintf("how many %s carries within %s is undecided (%s)", name, within, restsOn(v))
	case l.Rung == 0 && v.rung(l.Next) != nil && len(brokenObjectives(v.rung(l.Next))) == 0:
		return fmt.Sprintf("%s does not carry %s, the smallest rung tried", name, words.Count(v.Rungs[0].Instances, s.Noun))
	case l.Rung == 0:
		return fmt.Sprintf("%s does not meet %s at %s, the smallest rung tried (%s)", name, within, words.Count(l.Next, s.Noun), timesMeasured(v.rung(l.Next)))
	}
	return fmt.Sprintf("%s carries %s within %s (%s)", name, l.Range(s.Noun), within, restsOn(v))
}

// failedBy says why trials failed, where that is known: ": no space is left on a file
// system".
func failedBy(rungs []Rung) string {
	var all []string
	for _, r := range rungs {
		all = append(all, r.FailedBy...)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return ""
	}
	return ": " + words.Join(all)
}

// undecided says that the repetitions allow any load line.
func undecided(l LoadLine) bool {
	return l.Count.Confidence > 0 && l.Count.Low <= 0 && math.IsInf(l.Count.High, 1)
}

// Range writes the interval of a line, or the rungs beside it where nothing was
// repeated. Noun is what a rung counts.
func (l LoadLine) Range(noun string) string {
	c := l.Count
	switch {
	case undecided(l):
		return "an undetermined number"
	case math.IsInf(c.High, 1), l.Open:
		return "at least " + words.Count(int(c.Low), noun)
	case c.Low <= 0:
		return "fewer than " + words.Count(int(c.High)+1, noun)
	case c.Low == c.High:
		return words.Count(int(c.Low), noun)
	}
	return fmt.Sprintf("%s to %s", words.Thousands(c.Low), words.Count(int(c.High), noun))
}

// restsOn says what was measured beside a line, and how often.
func restsOn(v *Variant) string {
	l := v.LoadLine
	below, above := v.rung(l.Rung), v.rung(l.Next)
	switch {
	case l.Open:
		return fmt.Sprintf("%d met %s in %s, the largest rung tried", l.Rung, limits(below), timesMeasured(below)) + whyWider(v)
	case l.Rung == 0:
		return fmt.Sprintf("%d did not meet %s in %s, the smallest rung tried", l.Next, limits(above), timesMeasured(above))
	}
	text := fmt.Sprintf("%d met %s in %s, %d did not in %s", l.Rung, limits(below), timesMeasured(below), l.Next, timesMeasured(above))
	if l.Count.Value > float64(l.Rung) {
		text += "; interpolated " + words.Thousands(l.Count.Value)
	}
	return text + whyWider(v)
}

// whyWider says why the interval of a line is wider than from its rung to below the next:
// which of the two is not sure, and what that is for.
func whyWider(v *Variant) string {
	l := v.LoadLine
	below, above := v.rung(l.Rung), v.rung(l.Next)
	if l.Count.Confidence == 0 || below == nil {
		return ""
	}
	var doubts []string
	if l.Count.Low < float64(l.Rung) {
		doubts = append(doubts, fmt.Sprintf("that %d does is not sure, because %s", l.Rung, doubtOf(below)))
	}
	if above != nil && l.Count.High >= float64(l.Next) {
		doubts = append(doubts, fmt.Sprintf("that %d does not is not sure, because %s", l.Next, doubtOf(above)))
	}
	if len(doubts) == 0 {
		return ""
	}
	between := fmt.Sprintf("at least %d", l.Rung)
	if above != nil {
		between = fmt.Sprintf("%d to %d", l.Rung, l.Next-1)
	}
	return fmt.Sprintf("; by the measured values alone it would be %s, but %s", between, words.Join(doubts))
}

// doubtOf says why a rung's judgement is not sure.
func doubtOf(r *Rung) string {
	switch {
	case anyDoubtful(*r):
		return "one instance may miss it"
	case r.Repetitions == 1:
		return "it was measured once, and another trial could differ by more than its distance from the limit"
	}
	return fmt.Sprintf("its %s differ by too much for their distance from the limit", words.Count(r.Repetitions, "trial"))
}

// limits is the pronoun for the objectives.
func limits(r *Rung) string {
	if r != nil && len(r.Objectives) > 1 {
		return "them"
	}
	return "it"
}

func allFailed(rungs []Rung) bool {
	for _, r := range rungs {
		if r.Repetitions > 0 {
			return false
		}
	}
	return true
}

// objectivesText writes the objectives as a reader says them: "p95 ≤ 200 ms".
func objectivesText(s StudyInfo) string {
	parts := make([]string, 0, len(s.Objectives))
	for _, o := range s.Objectives {
		parts = append(parts, ObjectiveText(o, s.Work))
	}
	return words.Join(parts)
}

// ObjectiveText writes an objective of a workload as a reader says it.
func ObjectiveText(o study.Objective, p describe.Profile) string {
	if o.Metric == study.Undone {
		return "rate ≥ " + percentKept(o.Limit)
	}
	limit := words.Seconds(o.Limit)
	if o.IsShare() {
		limit = words.Percent(o.Limit)
	}
	text := o.Metric + " ≤ " + limit
	if !trial.IsWhole(p, o.Operation) {
		text = o.Operation + " " + text
	}
	return strings.Replace(text, "rolledback", "rolled back", 1)
}
