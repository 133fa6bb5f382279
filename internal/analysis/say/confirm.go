package say

import (
	"fmt"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/text/words"
)

// Confirm holds the run of an experiment against the finding that asked for
// it. after must hold a variant at Change.From and one at Change.To; its
// finding says whether throughput moved as expected.
func Confirm(f model.Finding, after *model.Analysis) (model.Finding, error) {
	if f.Change == nil {
		return model.Finding{}, fmt.Errorf("confirm finding %s: it names no setting to change", f.ID)
	}
	from, to := variantAt(after, *f.Change, f.Change.From), variantAt(after, *f.Change, f.Change.To)
	if from == nil || to == nil {
		return model.Finding{}, fmt.Errorf("confirm finding %s: the experiment must hold variants with %s at %s and at %s", f.ID, f.Change.Path, f.Change.From, f.Change.To)
	}
	return judgeChange(f, after, from, to)
}

func variantAt(a *model.Analysis, c model.Change, level string) *model.Variant {
	for i := range a.Variants {
		if a.Variants[i].Factors[c.Path] == level {
			return &a.Variants[i]
		}
	}
	return nil
}

// judgeChange states what the change of an experiment did, at the first rung of the finding that both variants have.
//
// Needs: The experiment's variants at a rung of the finding; the ratio with its interval.
func judgeChange(f model.Finding, after *model.Analysis, from, to *model.Variant) (model.Finding, error) {
	c := pairwise.ContrastOf(after, from, to)
	for _, n := range f.Change.Rungs {
		if !c.Has(n) {
			continue
		}
		a, b, change := rung.Find(from.Rungs, n), rung.Find(to.Rungs, n), c.At(n)
		outcome := c.Outcome(change, f.Change.Expect)
		out := model.Finding{
			ID: "confirm-" + f.ID, Kind: model.ConfirmationFinding, Variant: f.Variant, Rung: n,
			Text: F("%s: with %s at %s instead of %s, throughput at %d went from %s to %s %s, %s%s.",
				conclusion(outcome, *f.Change), f.Change.Path, f.Change.To, f.Change.From, n,
				Plain(a.Throughput, words.Figures), Plain(b.Throughput, words.Figures), to.Work.Unit.Throughput, ChangeText("throughput", change), predicts(f)),
			Numbers: map[string]float64{"before": a.Throughput.Value, "after": b.Throughput.Value, "change": change.Value},
			Trials:  append(append([]string{}, a.Trials...), b.Trials...),
			Run:     after.Run.ID,
			Outcome: outcome,
			Tested:  testPredictions(f, after.Run.ID, from, to),
		}
		for _, p := range out.Tested {
			out.Text += " " + p.Text
		}
		if change.Bounded() {
			out.Numbers["low"], out.Numbers["high"] = change.Low, change.High
		}
		return out, nil
	}
	return model.Finding{}, fmt.Errorf("confirm finding %s: the experiment measured none of the rungs %v on both variants", f.ID, f.Change.Rungs)
}

// conclusion says whether the finding was right, or the alternative change.
//
// Needs: The change is measured together with the one that proves the finding.
func conclusion(o model.Outcome, of model.Change) string {
	switch {
	case o == model.Undecided:
		return F("Undecided")
	case of.Beside && o == model.Confirmed:
		return F("It helps")
	case of.Beside:
		return F("It does not help")
	}
	return words.Capital(string(o))
}

// predicts states the finding's prediction for a change that proves it.
//
// Needs: The change is one that proves the finding, and no figure is predicted of it.
func predicts(f model.Finding) string {
	switch c := *f.Change; {
	case c.Beside, len(c.Predictions) > 0: // these have sentences of their own
		return ""
	case c.Expect == "same":
		return F("; the finding predicts about the same")
	}
	return F("; the finding predicts %s", f.Change.Expect)
}
