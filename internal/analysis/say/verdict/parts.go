package verdict

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/limit"
	"plimsoll/internal/analysis/say/reply"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// few is how many things an answer tells one by one.
const few = 3

// Answer answers the parts of the study's question, puts them into the headline, and says what
// can have changed the answer. A part that the measurements do not answer is left out; where no
// trial finished, all are.
func Answer(a *model.Analysis) (answered Answered) {
	measured := measuredVariants(a.Variants)
	if len(measured) == 0 {
		return Answered{}
	}
	var texts []string
	for _, asks := range partsOf(a) {
		if p := partOf(a, measured, asks); p.Text != "" {
			answered.Parts, texts = append(answered.Parts, p), append(texts, p.Text, p.Sure)
		}
	}
	answered.Headline, answered.Caveats = words.Sentences(texts...), caveatsOf(a)
	return answered
}

// Answered is the answer to a study's question.
type Answered struct {
	Headline string
	Parts    []model.AnswerPart
	Caveats  []model.Caveat
}

// partsOf are the parts of the question. Where the measurements do not answer the kind of question
// that the first part asks, it becomes what they answer: load lines for a comparison without a
// rung in common.
func partsOf(a *model.Analysis) []study.Asked {
	parts, main := slices.Clone(a.Study.Parts), mainPart(a.Reply)
	if len(parts) > 0 && !slices.Contains(parts, main) && slices.Contains([]study.Asked{study.HowMany, study.Which, study.Differs, study.Lost}, parts[0]) {
		parts[0] = main
	}
	return parts
}

// mainPart is the one that a reply answers; without one, the load lines answer how many.
func mainPart(r *model.Reply) study.Asked {
	if r == nil {
		return study.HowMany
	}
	switch r.Kind {
	case study.Comparison:
		return study.Which
	case study.Effect:
		return study.Differs
	case study.Survival:
		return study.Lost
	}
	return study.HowMany
}

// partOf answers a part.
func partOf(a *model.Analysis, measured []*model.Variant, asks study.Asked) model.AnswerPart {
	p := model.AnswerPart{Asks: asks}
	published := a.Run.Reference != ""
	switch main := asks == mainPart(a.Reply); {
	case main && a.Reply != nil && a.Reply.Kind != study.Capacity:
		p.Text, p.Sure = words.Sentences(breaking(a), reply.Text(a.Reply, a.Study, published)), repeatedAt(a, cellsOf(a.Reply))
	case main:
		p.Text, p.Sure = carried(a, measured), sureOfCarried(a, measured)
	case asks == study.Differs:
		p.Text = cmp.Or(slower(a), itemsDiffer(a))
		if p.Text == "" && len(measured) == 2 {
			p.Text = reply.AtLines(a.Reply, a.Study)
		}
	case asks == study.HowLong:
		p.Text = howLong(a, measured)
	case asks == study.First:
		p.Text = breaksFirst(a)
	case asks == study.Cost:
		p.Text = costs(a)
	case asks == study.Limits:
		p.Text = limit.Limits(a)
	}
	return p
}

// caveatsOf are what can have changed the answer.
func caveatsOf(a *model.Analysis) (all []model.Caveat) {
	survival := a.Reply != nil && a.Reply.Kind == study.Survival
	if text := limit.Disturbed(a); text != "" && !survival { // it loses nothing
		all = append(all, model.Caveat{Kind: model.Disturbed, Text: text})
	}
	if a.Run.Within != nil {
		all = append(all, model.Caveat{Kind: model.OneMachine, Text: withinText(a.Run.Within) + "."})
	}
	return all
}

// cellsOf are the rungs that a reply reads, by variant.
func cellsOf(r *model.Reply) map[string][]int {
	at := map[string][]int{}
	if r.Kind == study.Survival {
		return at // its sentences count the trials
	}
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			at[c.Variant] = append(at[c.Variant], c.Rung)
		}
	}
	return at
}

// once is said where nothing was repeated.
func once() string { return say.F("Measured once: chance is not excluded.") }

// repeatedAt says how often the rungs behind an answer were measured, given by variant.
func repeatedAt(a *model.Analysis, rungs map[string][]int) string {
	switch least, most := repeated(a, rungs); most {
	case 0:
		return ""
	case 1:
		return once()
	default:
		return say.F("%s each.", words.Capital(repetitions(least, most)))
	}
}

// repeated is how often some rungs were measured; 0 where that is not known.
func repeated(a *model.Analysis, rungs map[string][]int) (least, most int) {
	if a.Run.Reference != "" {
		return 0, 0
	}
	for _, v := range a.Variants {
		for _, n := range rungs[v.Name] {
			if r := rung.Find(v.Rungs, n); r != nil && r.Repetitions > 0 {
				least, most = min(cmp.Or(least, r.Repetitions), r.Repetitions), max(most, r.Repetitions)
			}
		}
	}
	return least, most
}

// repetitions writes how often something was measured: "2 repetitions", "1 to 3 repetitions".
func repetitions(least, most int) string {
	if least < most {
		return say.F("%d to %s", least, say.Count(most, "repetition"))
	}
	return say.Count(most, "repetition")
}

// sureOfCarried says what the repetitions leave open of what is carried.
//
// Needs: How often the rungs were measured; an interval for each line, which is open if it lets the
// line move by a rung.
func sureOfCarried(a *model.Analysis, measured []*model.Variant) string {
	judged := len(a.Tiles) == 0 && len(a.Study.Objectives) > 0
	known, open, at := judged, []string{}, map[string][]int{}
	for _, v := range measured {
		l := v.LoadLine
		at[v.Name] = []int{l.Rung, l.Next}
		known = known && l.Count.Confidence > 0
		switch {
		case !l.SureAbove():
			open = append(open, say.F("whether `%s` carries %s", v.Name, words.Whole(l.Next)))
		case !l.SureBelow():
			open = append(open, say.F("whether `%s` carries %s", v.Name, words.Whole(l.Rung)))
		}
	}
	least, most := repeated(a, at)
	if !known || most <= 1 {
		return words.Sentences(repeatedAt(a, at), unsettled(measured))
	}
	text := words.Capital(repetitions(least, most))
	switch {
	case len(open) == 0:
		text += say.F(" agree on that.")
	case len(open) == 2 && len(measured) == 2:
		text += say.F(" leave both open.")
	case len(open) < few:
		text += say.F(" leave open %s.", say.Join(open))
	default:
		text += say.F(" leave %d of %d lines open.", len(open), len(measured))
	}
	return words.Sentences(text, unsettled(measured))
}

// itemsDiffer says how many items of a list take other times than with the first variant.
//
// Needs: Asked what differs: a list, and the interval of each item's time.
func itemsDiffer(a *model.Analysis) string {
	if len(a.Lists) == 0 || len(a.Lists[0].Changes) == 0 {
		return ""
	}
	l, work := a.Lists[0], a.Study.Work.Unit.Plural
	differ := map[string]bool{}
	for _, c := range l.Changes {
		if c.Shown == items.Faster || c.Shown == items.Slower {
			differ[c.Item] = true
		}
	}
	if len(differ) == 0 {
		return say.F("None of the %d %s is shown to differ.", len(l.Rows), work)
	}
	var names []string
	for _, r := range l.Rows {
		if differ[r.Name] {
			names = append(names, r.Name)
		}
	}
	text := say.F("%d of %d %s differ", len(names), len(l.Rows), work)
	if len(names) <= few {
		text += ": " + say.Join(names)
	}
	return text + "."
}

// slower says how many times as long the members of tiles take in the most tiles as in the fewest.
//
// Needs: Asked what differs: response times of the members at both counts, the least and the most.
func slower(a *model.Analysis) string {
	var parts []string
	for _, t := range a.Tiles {
		low, high, from, to := math.Inf(1), 0.0, 0, 0
		for _, i := range t.Interference {
			if v := i.Mean.Value; v > 0 {
				low, high, from, to = min(low, v), max(high, v), i.From, i.To
			}
		}
		if high == 0 {
			continue
		}
		span := say.F("%s to %s", words.Significant(low, 2), words.Significant(high, 2))
		if len(parts) == 0 {
			parts = append(parts, say.F("a member takes %s times as long at %s as at %d on `%s`", span, say.Count(to, "tile"), from, t.Variant))
		} else {
			parts = append(parts, say.F("%s on `%s`", span, t.Variant))
		}
	}
	if len(parts) == 0 || len(parts) > few {
		return ""
	}
	return words.Capital(say.Join(parts)) + "."
}

// breaksFirst names what breaks first: the member of tiles, or the objective of variants.
func breaksFirst(a *model.Analysis) string {
	var texts []string
	for _, t := range a.Tiles {
		if t.First != nil {
			texts = append(texts, memberFirst(a, t))
		}
	}
	for i := range a.Variants {
		v := &a.Variants[i]
		next := rung.Find(v.Rungs, v.LoadLine.Next)
		if len(a.Tiles) == 0 && next != nil && v.LoadLine.Why == loadline.ObjectiveMissed {
			o := next.Objectives[v.LoadLine.Missed]
			texts = append(texts, say.F("On `%s`, the first limit to break is %s, at %s: %s.",
				v.Name, ObjectiveText(limitIn(o), v.Work), say.Count(next.Instances, a.Study.Noun), BrokenText(v, limitIn(o), o)))
		}
	}
	if more := len(texts) - few + 1; more > 1 {
		texts = append(texts[:few-1], say.F("%d more break as well.", more))
	}
	return words.Sentences(texts...)
}

// limitIn is the objective of a result.
func limitIn(o rung.ObjectiveResult) study.Objective {
	return study.Objective{Metric: o.Metric, Operation: o.Operation, Limit: o.Limit}
}

// memberFirst names the member of tiles that breaks first, and its limit.
//
// Needs: Asked who breaks first: the member, or the objective, that reaches its limit first; "may" as
// below.
func memberFirst(a *model.Analysis, t model.Tile) string {
	breaks, o := say.F("may break"), t.First.Objective
	if t.First.Shown {
		breaks = say.F("breaks")
	}
	text := say.F("On `%s`, %s %s first, at %s", t.Variant, t.First.Member, breaks, say.Count(t.Next, "tile"))
	v := a.Variant(t.First.Variant)
	if o == nil || v == nil {
		return text + "."
	}
	return say.F("%s: %s, over %s.", text, BrokenText(v, limitIn(*o), *o), ObjectiveText(limitIn(*o), v.Work))
}

// howLong says how long the work takes: to come back after a fault, to save, all items of a list,
// or a unit of work where most is done.
//
// Needs: Asked how long: the mean of a save, the total of a list, or of a unit of work where most is
// done.
func howLong(a *model.Analysis, measured []*model.Variant) string {
	if a.Reply != nil && a.Reply.Kind == study.Survival {
		return reply.Recovered(a.Reply)
	}
	does, took := say.F("%s takes", say.A(a.Study.Work.Unit.Name)), map[string]float64{}
	if len(a.Lists) > 0 {
		does = say.F("All %d %s together take", len(a.Lists[0].Rows), a.Study.Work.Unit.Plural)
		for _, c := range a.Lists[0].Columns {
			took[c.Variant] = c.Total.Value
		}
	}
	var parts []string
	for _, v := range measured {
		r := rung.First(v.Rungs)
		switch {
		case len(a.Lists) > 0:
		case r.Saving != nil && v.Work.Saves != nil:
			does, took[v.Name] = say.F("%s takes", say.A(v.Work.Saves.Save)), r.Saving.Save
		case v.Best != nil:
			took[v.Name] = rung.Find(v.Rungs, v.Best.Rung).Mean.Value
		}
		if took[v.Name] > 0 {
			parts = append(parts, say.F("%s with `%s`", words.Seconds(took[v.Name]), v.Name))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if more := len(parts) - few; more > 0 {
		parts = append(parts[:few], say.Count(more, "more"))
	}
	return words.Capital(does) + " " + say.Join(parts) + "."
}

// costs is what bursts of a member of tiles cost the others, the price of what is carried, or what
// saving costs other work.
func costs(a *model.Analysis) string {
	if text := burstCosts(a); text != "" {
		return text
	}
	if a.Prices != nil && len(a.Prices.Text) > 0 {
		return a.Prices.Text[len(a.Prices.Text)-1] // the cheapest of all
	}
	return savingCost(a)
}

// burstCosts says how many times as long the other members of tiles take while one is at work.
//
// Needs: Asked for the cost: the costs of bursts below.
func burstCosts(a *model.Analysis) string {
	var texts []string
	for _, t := range a.Tiles {
		low, high := math.Inf(1), 0.0
		for _, c := range t.Costs {
			if v := c.Response.Value; v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
		if high > 0 {
			texts = append(texts, say.F("While %s is at work on `%s`, the others take %s to %s times as long.", t.Bursty, t.Variant, words.Significant(low, 2), words.Significant(high, 2)))
		}
	}
	return words.Sentences(texts[:min(len(texts), few-1)]...)
}
