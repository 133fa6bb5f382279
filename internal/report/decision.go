package report

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/verdict"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// Decision is the first screen of the page, finished: what it shows of each variant.
type Decision struct {
	// Judged reports that the rows are load lines: there are objectives, and no other figure answers.
	Judged bool `json:"judged"`
	// ByFactor reports that figures by factor, per drive or of a rating answer in their place.
	ByFactor bool          `json:"by_factor"`
	Rows     []DecisionRow `json:"rows"` // the best first
	// Figure is the one that answers by factor.
	Figure *AnswerFigure `json:"figure,omitempty"`
}

// AnswerFigure is what the figure that answers by factor shows.
type AnswerFigure struct {
	Title   string `json:"title"`             // says what is compared by what
	Unit    string `json:"unit"`              // of its values; "1" for shares
	Divided bool   `json:"divided,omitempty"` // its values are throughput over something
}

// DecisionRow is a variant.
type DecisionRow struct {
	Variant string `json:"variant"`         // its name
	Count   string `json:"count"`           // its load line or its highest throughput, in figures
	Of      string `json:"of,omitempty"`    // what these count
	Weak    string `json:"weak,omitempty"`  // the grade of the figures, where it is one not to rely on
	Notes   []Note `json:"notes,omitempty"` // further figures
	Said    string `json:"said,omitempty"`  // the verdict in words, without the name before it
}

// Note is a figure next to that of a row.
type Note struct {
	Figure string `json:"figure"`          // with its unit
	Of     string `json:"of,omitempty"`    // the words after it
	Title  string `json:"title,omitempty"` // the evidence, in words
}

// decisionOf is the first screen of an analysis whose variants are in their order.
func decisionOf(a *analysis.Analysis) *Decision {
	d := &Decision{Judged: len(a.Study.Objectives) > 0 && !a.Reply.ByThroughput(), ByFactor: a.Reply.ByFactor() && len(a.Reply.Groups) > 0}
	if d.ByFactor {
		d.Figure = answerFigure(a)
	}
	for _, v := range a.Variants {
		row := DecisionRow{Variant: v.Name, Weak: weakGrade(a, v), Said: verdictOn(a, v.Name)}
		if d.Judged {
			row.Count, row.Of = lineCount(a, v)
			row.Notes = headroom(a, v)
		} else {
			row.Count, row.Of = numberOrMissing(topThroughput(v), words.Number), cmp.Or(v.Work.Unit.Throughput, a.Study.Unit)
		}
		row.Notes = append(row.Notes, priceNotes(a, v, d.Judged)...)
		d.Rows = append(d.Rows, row)
	}
	return d
}

func answerFigure(a *analysis.Analysis) *AnswerFigure {
	r := a.Reply
	if r.Kind == study.OfRating {
		return &AnswerFigure{Title: shareTitle(r), Unit: "1"}
	}
	_, name := answerLevels(a)
	if r.Metric != "" {
		return &AnswerFigure{Title: words.Capital(r.What()) + " by " + name, Unit: "s"}
	}
	return &AnswerFigure{Title: "Throughput by " + name + ", " + r.What(), Unit: r.What(), Divided: r.Divided()}
}

// topThroughput is the highest of a variant, whatever objectives it keeps.
func topThroughput(v analysis.Variant) (top float64) {
	for _, r := range v.Rungs {
		top = max(top, r.Throughput.Value)
	}
	return top
}

// lineCount is a load line in figures and what it counts, or why there is none.
func lineCount(a *analysis.Analysis, v analysis.Variant) (count, of string) {
	reach := v.LoadLine.Reach()
	count = say.BracketText(reach)
	switch {
	case len(v.Rungs) == 0:
		return "not measured", ""
	case !slices.ContainsFunc(v.Rungs, func(r rung.Rung) bool { return r.Repetitions > 0 || r.Failed == 0 }):
		return "failed", ""
	case reach.Low == 0 && reach.High == 0:
		return count, ""
	}
	of = nouns(a)
	if count == "1" {
		of = strings.TrimSuffix(of, "s")
	}
	if v.LoadLine.Unstable {
		of += ", unstable"
	}
	return count, of
}

// weakGrade is the worst grade of the rungs beside the load line, if it is D or worse. No figure that answers
// is worse than the answer: a rung may be off in a direction that does not matter to its line.
func weakGrade(a *analysis.Analysis, v analysis.Variant) string {
	worst := ""
	for _, r := range v.Rungs {
		if r.Instances == v.LoadLine.Rung || r.Instances == v.LoadLine.Next {
			worst = max(worst, r.Grade)
		}
	}
	if worst = min(worst, a.Grade); worst < "D" {
		return ""
	}
	return worst
}

// verdictOn is the sentence on a variant.
func verdictOn(a *analysis.Analysis, name string) string {
	for _, s := range a.Verdict {
		if s.Variant == name {
			return words.Sentences(words.Capital(strings.TrimPrefix(s.Text, "`"+name+"` ")))
		}
	}
	return ""
}

// headroom is how far the tightest objective was from its limit at the largest rung that kept all.
func headroom(a *analysis.Analysis, v analysis.Variant) []Note {
	at := rung.Find(v.Rungs, v.LoadLine.Rung)
	if at == nil || !at.Kept {
		return nil
	}
	var tight rung.ObjectiveResult
	used := -1.0
	for _, o := range at.Objectives {
		if share := o.Value / o.Limit; !o.Unknown && o.Limit > 0 && share > used {
			tight, used = o, share
		}
	}
	if used < 0 {
		return nil
	}
	spare := words.PercentOf(max(0, 1-used))
	limit := verdict.ObjectiveText(study.Objective{Operation: tight.Operation, Metric: tight.Metric, Limit: tight.Limit}, v.Work)
	return []Note{{spare, "headroom at " + words.Whole(at.Instances), "At " + words.Count(at.Instances, a.Study.Noun) + ", " + limit + " was kept with " + spare + " to spare."}}
}

// priceNotes are what throughput is divided by in the answer, and the price: of one more on the load
// line, or of throughput.
func priceNotes(a *analysis.Analysis, v analysis.Variant, judged bool) (all []Note) {
	if a.Reply != nil {
		all = replyNotes(a.Reply, v)
	}
	b := a.Prices.Bill(v.Name)
	if b == nil {
		return all
	}
	value, per, atMost := b.PerUnit, a.Study.Unit, ""
	if judged {
		if value, per = b.PerInstance, strings.TrimSuffix(nouns(a), "s"); v.LoadLine.Open {
			atMost = "≤ "
		}
	}
	if value > 0 {
		all = append(all, Note{Figure: atMost + money(value) + " " + a.Prices.Currency, Of: "per " + per})
	}
	return all
}

func replyNotes(r *analysis.Reply, v analysis.Variant) (all []Note) {
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			switch {
			case c.Variant != v.Name || c.Unrated:
			case r.Kind == study.OfRating:
				all = append(all, Note{Figure: words.PercentOf(c.Value.Value), Of: "of " + wholeOf(c)})
			case r.Per != "" && c.Per.Value > 0:
				all = append(all, Note{Figure: words.Number(c.Per.Value), Of: "per " + r.Per})
			}
		}
	}
	return all
}
