package grade

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
)

// turnable is the best grade of an answer that could be the opposite within its bound.
const turnable = "C"

// Answer is how far the answer may be off: the bound of the figure behind it that may be off the most, nil
// where nothing was measured, as in published figures and where every trial failed. Its grade is the letter
// for that.
func Answer(s *setup.Subject, a *model.Analysis) (*model.AnswerBound, string) {
	if !slices.ContainsFunc(a.Trials, isGraded) {
		return nil, ""
	}
	of := decider{a, byTrial(a.Warnings)}
	worst, found := decision{}, false
	grade := ""
	for _, d := range of.all() {
		d = of.whole(d)
		own := d.grade()
		if !found || own > grade || own == grade && d.bound().Size() > worst.bound().Size() {
			worst, grade, found = d, own, true
		}
	}
	if !found {
		return nil, ""
	}
	return answerBound(s, a, worst), grade
}

func isGraded(t model.TrialInfo) bool { return hasPassed(t) && t.Grade != "" }

// whole adds the doubts about the run to those about a figure.
func (d decider) whole(one decision) decision {
	one.doubts = append(one.doubts, ofRun(d.about[""])...)
	return one
}

// ofRun are the doubts about the run, which count for every figure.
func ofRun(warnings []trust.Warning) (all []doubt) {
	for _, w := range warnings {
		if w.Bound != nil && !slices.ContainsFunc(all, func(d doubt) bool { return d.kind == w.Kind }) {
			all = append(all, doubt{kind: w.Kind, bound: *w.Bound})
		}
	}
	return all
}

// least is the bound below which a doubt is not listed.
const least = 0.005

func answerBound(s *setup.Subject, a *model.Analysis, d decision) *model.AnswerBound {
	b := &model.AnswerBound{Bound: d.bound(), Variant: d.variant, Rungs: d.rungs, Figure: d.figure, Unit: d.unit, Turns: d.turned}
	b.Low, b.High = d.between(b.Bound)
	cures := curesOf(s, a, d)
	for _, one := range d.doubts {
		if one.bound.Size() < least {
			continue
		}
		listed := model.Doubt{Kind: one.kind, Bound: one.bound, Trials: slices.Compact(slices.Sorted(slices.Values(one.trials)))}
		listed.Low, listed.High = d.between(one.bound)
		if i := slices.IndexFunc(cures, func(c model.Cure) bool { return slices.Contains(c.Of, one.kind) }); i >= 0 {
			listed.Cure = &cures[i]
		}
		b.Doubts = append(b.Doubts, listed)
	}
	slices.SortStableFunc(b.Doubts, func(x, y model.Doubt) int { return cmp.Compare(y.Size(), x.Size()) })
	b.Cure = best(cures)
	return b
}
