package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// sumUp is the verdict over all questions, led by the load lines.
func sumUp(c *Comparison) (family.Verdict, string) {
	verdict := c.overall()
	parts := slices.DeleteFunc([]string{c.lineSentences(), c.lostSentence(), c.verdictSentence(verdict), c.sightSentence(verdict)}, func(s string) bool { return s == "" })
	switch {
	case verdict == family.Worse || len(c.lostBy(true)) > 0:
		verdict = family.Worse
	case verdict == family.Better || len(c.lostBy(false)) > 0:
		verdict = family.Better
	}
	return verdict, strings.Join(parts, " ")
}

// overall is the verdict of the questions.
func (c *Comparison) overall() family.Verdict {
	has := func(v family.Verdict) bool {
		return slices.ContainsFunc(c.Questions, func(q family.Question) bool { return q.Verdict == v })
	}
	switch {
	case has(family.Worse):
		return family.Worse
	case has(family.Better):
		return family.Better
	case !has(family.NoDifference):
		return family.Untested
	case c.blind():
		return family.Inconclusive
	}
	return family.NoDifference
}

// blind reports whether a change that matters could have gone unseen at a rung, in the
// metric of the first question.
func (c *Comparison) blind() bool {
	for _, q := range c.Questions {
		if q.Metric == c.Questions[0].Metric && (q.VisibleAtOneRung == nil || *q.VisibleAtOneRung > c.Effect) {
			return true
		}
	}
	return false
}

// verdictSentence states the verdict over all questions.
//
// Needs: “`B` is worse than `A`: …”: a change that is shown, of the metrics that both sides have; the
// worst of those that are worse. “They have no other rung in common”: rungs and repetitions of both
// sides.
func (c *Comparison) verdictSentence(verdict family.Verdict) string {
	worse, better := c.changes(family.Worse), c.changes(family.Better)
	switch {
	case len(worse) > 0 && len(better) > 0:
		return say.F("`%s` is worse than `%s` in %s, and better in %s.", c.B, c.A, say.Join(worse), say.Join(better))
	case len(worse) > 0:
		return say.F("`%s` is worse than `%s`: %s.", c.B, c.A, say.Join(worse))
	case len(better) > 0:
		return say.F("`%s` is better than `%s`: %s%s.", c.B, c.A, say.Join(better), c.harm())
	case len(c.Questions) == 0:
		return say.F("They have no other rung in common.")
	case verdict == family.Untested:
		return say.F("Inconclusive: nothing was repeated, so a difference between `%s` and `%s` cannot be distinguished from chance. On average %s.", c.A, c.B, say.Join(c.means()))
	case verdict == family.Inconclusive:
		return say.F("Inconclusive: no difference between `%s` and `%s` was shown (%s), but one that matters could have been missed.", c.A, c.B, say.Join(c.means()))
	}
	return say.F("No difference between `%s` and `%s` was shown (%s)%s.", c.A, c.B, say.Join(c.means()), c.harm())
}

// harm names the metrics outside the verdict that became worse, with the largest change: ",
// but p99 at 8 instances +300 % (+250 to +360 %)". It is empty if none did. Those metrics
// share a part of the level, so a change here is more than chance.
func (c *Comparison) harm() string {
	var harms []*family.Difference
	for i := range c.Differences {
		if d := &c.Differences[i]; d.Verdict == family.Worse && !c.asked(d) {
			harms = append(harms, d)
		}
	}
	if len(harms) == 0 {
		return ""
	}
	size := func(d *family.Difference) float64 {
		return math.Abs(math.Log(max(1+d.Change.Value, math.SmallestNonzeroFloat64)))
	}
	worst := slices.MaxFunc(harms, func(d, e *family.Difference) int { return cmp.Compare(size(d), size(e)) })
	text := say.F(", but worse in %s", c.phrase(worst))
	if others := len(harms) - 1; others > 0 {
		text += say.F(" and, by less, in %s", say.Count(others, "other figure"))
	}
	return text
}

// asked reports whether a difference is of a metric that the verdict rests on.
func (c *Comparison) asked(d *family.Difference) bool {
	return slices.ContainsFunc(c.Questions, func(q family.Question) bool { return q.Operation == d.Operation && q.Metric == d.Metric })
}

// changes are phrases for the changes shown in one direction.
func (c *Comparison) changes(v family.Verdict) []string {
	var out []string
	for _, q := range c.Questions {
		overall := q.P <= c.Alpha && family.Direction(q.Metric, q.Change.Value) == v
		rungs := c.shownAt(q, v)
		switch {
		case overall && (len(rungs) == 0 || len(rungs) == q.Rungs):
			out = append(out, c.answered(q))
		case len(rungs) > 0:
			out = append(out, c.rungPhrase(rungs))
		}
	}
	return out
}

// shownAt are the differences of a question's rungs that were shown in one
// direction, the largest first.
func (c *Comparison) shownAt(q family.Question, v family.Verdict) []*family.Difference {
	var out []*family.Difference
	for i := range c.Differences {
		d := &c.Differences[i]
		if d.Variant == q.Variant && d.Operation == q.Operation && d.Metric == q.Metric && slices.Contains(q.Shown, d.Instances) && family.Direction(d.Metric, d.Change.Value) == v {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b *family.Difference) int {
		return cmp.Compare(math.Abs(b.Change.Value), math.Abs(a.Change.Value))
	})
	return out
}

// rungPhrase names the rung with the largest change and how many others there
// are.
func (c *Comparison) rungPhrase(rungs []*family.Difference) string {
	text := c.phrase(rungs[0])
	if others := len(rungs) - 1; others > 0 {
		text += say.F(" (and by less at %s)", say.Count(others, "other rung"))
	}
	return text
}

// means are the mean changes, whatever they show.
func (c *Comparison) means() []string {
	var out []string
	for _, q := range c.Questions {
		out = append(out, c.answered(q))
	}
	return out
}

// answered writes a mean change: "throughput -3.0 % (-4.1 to -1.9) over 5 rungs".
func (c *Comparison) answered(q family.Question) string {
	text := q.Metric
	if q.Variant != "" {
		text += say.F(" on `%s`", q.Variant)
	}
	text += " " + say.ChangeText(q.Metric, q.Change)
	if q.Rungs > 1 {
		return text + say.F(" over %d rungs", q.Rungs)
	}
	for _, d := range c.Differences {
		if d.Variant == q.Variant {
			return say.F("%s at %s", text, say.Count(d.Instances, c.Noun))
		}
	}
	return text
}

// phrase writes one difference: "p95 at 8 instances +12 % (+8 to +17 %)".
func (c *Comparison) phrase(d *family.Difference) string {
	text := d.Metric
	if d.Operation != c.Work.Whole() {
		text = d.Operation + " " + text
	}
	if d.Variant != "" {
		text += say.F(" on `%s`", d.Variant)
	}
	return say.F("%s at %s %s", text, say.Count(d.Instances, c.Noun), say.ChangeText(d.Metric, d.Change))
}

// sightSentence says what these trials could have shown, where no difference was.
//
// Needs: The noise of the repetitions.
func (c *Comparison) sightSentence(verdict family.Verdict) string {
	if verdict != family.NoDifference && verdict != family.Inconclusive {
		return ""
	}
	var seen []string
	for _, q := range c.Questions {
		if q.VisibleOverall == nil || q.VisibleAtOneRung == nil {
			continue
		}
		text := say.F("in %s of %s or more", q.Metric, words.PercentChange(*q.VisibleOverall))
		if q.Variant != "" {
			text = say.F("in %s on `%s` of %s or more", q.Metric, q.Variant, words.PercentChange(*q.VisibleOverall))
		}
		if q.Rungs > 1 {
			text += say.F(" over all rungs or %s at one", words.PercentChange(*q.VisibleAtOneRung))
		}
		seen = append(seen, text)
	}
	if len(seen) == 0 {
		return ""
	}
	text := say.F("%s would have detected a change %s (four times out of five)", words.Capital(c.repetitions()), say.Join(seen))
	if verdict == family.Inconclusive {
		text += say.F("; a change of %s at one rung matters, so add repetitions", words.PercentChange(c.Effect))
	}
	return text + "."
}

// repetitions writes how often the rungs were measured: "4 repetitions".
func (c *Comparison) repetitions() string {
	least, most := math.MaxInt, 0
	for _, d := range c.Differences {
		least, most = min(least, d.NA, d.NB), max(most, d.NA, d.NB)
	}
	if least == most {
		return say.Count(least, "repetition")
	}
	return say.F("%d to %s", least, say.Count(most, "repetition"))
}
