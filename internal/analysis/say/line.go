// Package say turns numbers and causes into sentences. No other package of the analysis has any of its
// conclusions in words.
package say

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// Line writes the line, and what broke at the rungs, in words.
func Line(l loadline.LoadLine, rungs []rung.Rung, noun string) (loadline.LoadLine, []rung.Rung) {
	rungs = slices.Clone(rungs)
	for i := range rungs {
		rungs[i].Breaks = breakText(&rungs[i])
	}
	l.Broken = brokenFirstText(l, rungs)
	l.Text = lineText(l, rungs, noun)
	l.Bracket.Text = BracketText(l.Reach())
	return l, rungs
}

// breakText says in a clause what besides the objectives breaks the rung.
//
// Needs: Failed trials at the rung.
func breakText(r *rung.Rung) string {
	switch {
	case r.Break.Failed != nil:
		return F("%d of %d trials failed: %s", r.Failed, r.Failed+r.Repetitions, CauseOf(r.Break.Failed))
	case r.Break.Behind != nil:
		return shortfallText(*r.Break.Behind)
	}
	return ""
}

// shortfallText says in a clause by how much a rung fell behind its offered rate.
//
// Needs: An open loop that completed less than 98 % of what fell due, by more than chance
// (3√(2(waiting+1)) units).
func shortfallText(s rung.Shortfall) string {
	text := F("%s of the offered rate was achieved", words.Percent(s.Achieved))
	if s.Waiting == 0 {
		return text
	}
	upTo, were := "", F("were")
	if s.Trials > 1 {
		upTo = F("up to ")
	}
	if s.Waiting == 1 {
		were = F("was")
	}
	return F("%s, and %s%s %s waiting at the end", text, upTo, CountOf(int(s.Waiting), s.Unit.Name, s.Unit.Plural), were)
}

// brokenFirstText names what broke at the rung above the line.
func brokenFirstText(l loadline.LoadLine, rungs []rung.Rung) string {
	next := rung.Find(rungs, l.Next)
	if next == nil {
		return ""
	}
	switch l.Why {
	case loadline.ObjectiveMissed:
		o := next.Objectives[l.Missed]
		return o.Text + onInstance(o)
	case loadline.RungBroke:
		return next.Breaks
	case loadline.TrialsFailed:
		return F("%d of %d trials failed", next.Failed, next.Failed+next.Repetitions) + FailedBy([]rung.Rung{*next})
	}
	return F("every trial failed")
}

// lineText says the line in words.
//
// Needs: A rung above one that broke keeps them.
func lineText(l loadline.LoadLine, rungs []rung.Rung, noun string) string {
	switch {
	case l.Why == loadline.NoTrial:
		return F("no trial of this variant has ended")
	case l.Why == loadline.NoObjective:
		return F("the study sets no objective; throughput is highest at %s", Count(l.Rung, noun))
	case l.Unmeasured, l.Why == loadline.EveryTrialFailed && l.Next == 0:
		return F("every trial of this variant failed")
	}
	text := lineSentence(l, rungs, noun)
	if unsettled := UnsettledText(l); unsettled != "" {
		text += "; " + unsettled
	}
	if l.Unstable {
		text += F("; a larger rung met the objectives again, so the load line is unstable: repeat these rungs")
	}
	return text
}

func lineSentence(l loadline.LoadLine, rungs []rung.Rung, noun string) string {
	below, above := rung.Find(rungs, l.Rung), rung.Find(rungs, l.Next)
	switch {
	case l.Open && l.Rising != nil:
		return F("every rung up to %s (%s) met the objectives", Count(l.Rung, noun), TimesMeasured(below))
	case l.Open:
		return F("every rung up to %s (%s) met the objectives: the load line is at %d or above%s",
			Count(l.Rung, noun), TimesMeasured(below), l.Carried(), lessSure(l))
	case l.Rung == 0:
		return F("%s (%s) did not meet the objectives (%s), and no smaller rung was measured%s",
			Count(l.Next, noun), TimesMeasured(above), l.Broken, lessSure(l))
	}
	return F("%s (%s) met the objectives and %d (%s) did not (%s)%s",
		Count(l.Rung, noun), TimesMeasured(below), l.Next, TimesMeasured(above), l.Broken, between(l))
}

// between names the rungs that bracket the line, and the open question between them.
func between(l loadline.LoadLine) string {
	text := ""
	if l.Count.Value > float64(l.Carried()) {
		text = F("; interpolated, the load line is %s", words.Thousands(l.Count.Value))
	}
	return text + lessSure(l)
}

// lessSure says how much wider than its bracket the repetitions leave the line.
//
// Needs: No interval; an interval wider than the bracket.
func lessSure(l loadline.LoadLine) string {
	c := l.Count
	switch {
	case c.Confidence == 0:
		return F("; nothing was repeated, so its uncertainty is unknown")
	case c.Low >= float64(l.Carried()) && (l.Open || c.High < float64(l.Next)):
		return ""
	case math.IsInf(c.High, 1):
		return F("; the repetitions are consistent with any load line of %s or more", words.Thousands(c.Low))
	}
	return F("; the repetitions are consistent with any load line from %s to %s", words.Thousands(c.Low), words.Thousands(c.High))
}

// TimesMeasured says how many trials a rung rests on.
func TimesMeasured(r *rung.Rung) string {
	if r == nil {
		return F("not measured")
	}
	switch {
	case r.Repetitions == 0:
		return Count(r.Failed, "failed trial")
	case r.Failed > 0:
		return F("%s, %d of them failed", Count(r.Repetitions+r.Failed, "trial"), r.Failed) + worked(r)
	}
	return Count(r.Repetitions, "trial") + worked(r)
}

// UnsettledText says in a clause why the rung of a line is not shown to keep the objectives,
// though its figures do: "at 4 the mean rose from 10 ms to 160 ms within the phase: …". Empty
// where it is.
func UnsettledText(l loadline.LoadLine) string {
	if l.Rising == nil {
		return ""
	}
	at := words.Whole(l.Rung)
	return F("at %s the mean rose from %s to %s within the phase: no steady state was reached, so %s is not shown to meet the objectives",
		at, words.Seconds(l.Rising.Course.Begins), words.Seconds(l.Rising.Course.Ends), at)
}

// worked says in how many instances a rung's trials ended, where some were set aside.
//
// Needs: Instances of the rung that were set aside.
func worked(r *rung.Rung) string {
	switch {
	case r.Ran == 0:
		return ""
	case r.Repetitions > 1:
		return F(" with %s or more at work to the end", words.Whole(r.Ran))
	}
	return F(" with %s at work to the end", words.Whole(r.Ran))
}

// onInstance names the instance that broke an objective which all together keep.
func onInstance(o rung.ObjectiveResult) string {
	if !o.ByInstance() {
		return ""
	}
	return F(" on instance %d", o.Worst.Instance)
}

// LineRange writes a line. Noun is the noun for a rung's count.
func LineRange(l loadline.LoadLine, noun string) string { return Reach(l.Reach(), noun) }

// WithoutNoun writes the line without its noun, where the noun is clear from context.
func WithoutNoun(l loadline.LoadLine) string { return Reach(l.Reach(), "") }

// Reach writes a bracket, without a noun where that is empty.
func Reach(r loadline.Reach, noun string) string {
	if noun == "" {
		return reachText(r, words.Whole[int])
	}
	return reachText(r, func(n int) string { return Count(n, noun) })
}

// BracketText writes a bracket in a few characters: "8–15", "≥ 8".
func BracketText(r loadline.Reach) string {
	low, high := words.Whole(r.Low), words.Whole(r.High)
	switch r.Extent {
	case loadline.AtLeast:
		return "≥ " + low
	case loadline.FewerThan:
		return "< " + high
	case loadline.Exactly:
		return low
	case loadline.Between:
		return low + "–" + high
	case loadline.NotShown:
		return F("not shown")
	}
	return F("not measured")
}

func reachText(r loadline.Reach, count func(int) string) string {
	switch r.Extent {
	case loadline.AtLeast:
		return F("at least %s", count(r.Low))
	case loadline.FewerThan:
		if r.High == 1 {
			return F("not even %s", count(1))
		}
		return F("fewer than %s", count(r.High))
	case loadline.Exactly:
		return count(r.Low)
	case loadline.Between:
		return F("%s to %s", words.Whole(r.Low), count(r.High))
	}
	return F("an undetermined number")
}

// FailedBy says why trials failed, where that is known: ": no space is left on a file
// system".
func FailedBy(rungs []rung.Rung) string {
	var all []string
	for _, r := range rungs {
		all = append(all, r.FailedBy...)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return ""
	}
	return ": " + Join(all)
}

// CauseOf is why a trial failed.
func CauseOf(t *result.Trial) string {
	if t.Failure == nil {
		return F("no cause was recorded")
	}
	if t.Failure.Stage == "" || trial.Published(t) {
		return t.Failure.Cause
	}
	return F("%s (stage: %s)", t.Failure.Cause, t.Failure.Stage)
}
