package say

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// EffectFinding says what raising a factor did. That is the source's own way to prove a bottleneck:
// give more of a resource and see what moves.
//
// Needs: Variants that differ in the resource alone; shown, and 10 % or more; the interval ends below
// 10 %.
func EffectFinding(r pairwise.LevelChange, noun string) model.Finding {
	change, before, after := r.At(r.Rung), rung.Find(r.Low.Rungs, r.Rung), rung.Find(r.High.Rungs, r.Rung)
	f := model.Finding{
		ID: "effect-" + r.High.Name, Kind: model.EffectFinding, Variant: r.High.Name, Rung: r.Rung,
		Text: F("Raising %s from %s to %s takes `%s` at %s from %s to %s %s, %s: %s.",
			r.Path, r.Low.Factors[r.Path], r.High.Factors[r.Path], withoutLevel(r.High), Count(r.Rung, noun),
			Plain(before.Throughput, words.Figures), Plain(after.Throughput, words.Figures), r.High.Work.Unit.Throughput, ChangeText("throughput", change), effectMeaning(r.Path, r.Outcome(), change)),
		Numbers: map[string]float64{"before": before.Throughput.Value, "after": after.Throughput.Value, "change": change.Value},
		Trials:  append(slices.Clone(before.Trials), after.Trials...), Outcome: r.Outcome(),
	}
	if missed := missedWith(before, after); missed != "" {
		f.Text += " " + missed
	}
	if change.Bounded() {
		f.Numbers["low"], f.Numbers["high"] = change.Low, change.High
	}
	return f
}

// missedWith says that the faster level misses the objectives; empty if it does not.
func missedWith(before, after *rung.Rung) string {
	switch {
	case after.Kept || len(after.Objectives) == 0:
		return ""
	case before.Kept:
		return F("But with it the objectives are not met there.")
	}
	return F("The objectives are not met there, neither with it nor without.")
}

// withoutLevel names what both variants have in common.
func withoutLevel(v *model.Variant) string {
	if level := v.Factors["storage"]; level != "" {
		return level
	}
	return v.Name
}

// effectMeaning says what the change proves, as far as its interval allows.
func effectMeaning(path string, o model.Outcome, change stats.Interval) string {
	noun := setup.FactorName(path)
	if whose, is := setup.CPUOf(path); is {
		noun = F("the CPU of each %s", whose)
	}
	switch {
	case o == model.WasLimit:
		return F("%s was the limit before", noun)
	case o == model.IsNoLimit:
		return F("%s is not the limit", noun)
	case change.Confidence == 0:
		return F("nothing was repeated, so whether %s is the limit is undecided", noun)
	}
	return F("whether %s is the limit is undecided", noun)
}
