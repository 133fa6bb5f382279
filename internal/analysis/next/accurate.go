package next

import (
	"slices"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/words"
)

// Accurate goes on after another chooser until the answer may be off by no more than the plan's
// accuracy: it repeats the rungs behind the figure that may be off the most. It ends where the time of a
// search is spent, and where more repetitions would not do. Answer is how far the answer of a run may be
// off; nil where nothing was measured.
func Accurate(p *plan.Plan, before Chooser, answer func(*result.Run) *model.AnswerBound) Chooser {
	target := float64(p.Study.Accuracy)
	if target <= 0 {
		return before
	}
	return func(run *result.Run) (plan.Trial, string, bool) {
		t, why, ok := before(run)
		if ok {
			return t, why, ok
		}
		t, said, ok := accurate(p, run, target, answer(run))
		if ok || why == "" {
			return t, said, ok
		}
		return t, why + ". " + words.Capital(said), false
	}
}

func accurate(p *plan.Plan, run *result.Run, target float64, b *model.AnswerBound) (plan.Trial, string, bool) {
	if b == nil {
		return plan.Trial{}, say.F("nothing was measured"), false
	}
	asked, reached := percentOf(target), percentOf(b.Size())
	const rounding = 1e-9
	target += rounding
	if b.Size() <= target {
		return plan.Trial{}, say.F("the answer may be off by at most %s, and %s was asked for", reached, asked), false
	}
	if b.Open || unrepeated(b).Size() > target {
		return plan.Trial{}, say.F("more repetitions do not bring the answer within %s: %s", asked, b.Text), false
	}
	further := rungsOf(p, run, b)
	if len(further) == 0 {
		return plan.Trial{}, say.F("%d repetitions do not bring the answer within %s: %s", plan.MostRepeated, asked, b.Text), false
	}
	t := further[0]
	if p.Within > 0 && p.Takes(t.Variant, t.Rung, "") > left(p, run) {
		return plan.Trial{}, say.F("the time of %s is spent: the answer may be off by %s, and %s was asked for", words.Span(p.Within), reached, asked), false
	}
	return p.Append(t.Variant, t.Rung, t.Repetition), say.F("the answer may be off by %s, and %s was asked for: repeating %s at %d", reached, asked, t.Variant, t.Rung), true
}

// unrepeated is the bound that no repetition shrinks.
func unrepeated(b *model.AnswerBound) bound.Bound {
	var rest []bound.Bound
	for _, d := range b.Doubts {
		if !d.Kind.ByChance() {
			rest = append(rest, d.Bound)
		}
	}
	return bound.Sum(rest...)
}

// rungsOf are the next repetitions of the rungs behind a figure, the one with the fewest first.
func rungsOf(p *plan.Plan, run *result.Run, b *model.AnswerBound) (all []plan.Trial) {
	for _, v := range p.Variants {
		for _, m := range v.Tile() {
			if v.Name != b.Variant && m.Title() != b.Variant {
				continue
			}
			for _, rung := range b.Rungs {
				tiles := rung / max(1, m.Weight)
				if n := tried(run, v.Name, tiles); n < plan.MostRepeated {
					all = append(all, plan.Trial{Variant: v.Name, Rung: tiles, Repetition: n + 1})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(x, y plan.Trial) int { return x.Repetition - y.Repetition })
	return all
}

// tried is how often a rung of a variant was measured.
func tried(run *result.Run, variant string, rung int) (most int) {
	for _, t := range run.Tiles() {
		if t.Variant.Name == variant && t.Rung == rung && t.Alone == "" && !trial.Published(t) {
			most = max(most, t.Repetition)
		}
	}
	return most
}

func percentOf(share float64) string { return say.F("%.0f %%", 100*share) }
