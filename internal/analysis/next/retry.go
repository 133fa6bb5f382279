package next

import (
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/words"
)

// Retry gives a second attempt at each trial that something outside spoiled, at
// most so many in a run, and none that would end after the time of a search.
func Retry(p *plan.Plan, most int) Chooser {
	return func(run *result.Run) (plan.Trial, string, bool) {
		var spoiled *result.Trial
		var why []trust.Reason
		for _, part := range append(run.Members(), run.Alone()...) {
			if spoiled, why = trust.Again(part, most-elsewhere(run, part)); spoiled != nil {
				spoiled = spoiled.Tile()
				break
			}
		}
		if spoiled == nil {
			return plan.Trial{}, warning.Whys(why), false
		}
		if p.Within > 0 && p.Takes(spoiled.Variant.Name, spoiled.Rung, spoiled.Alone) > left(p, run) {
			return plan.Trial{}, say.F("%s is not measured again: that would not end in the search's time of %s", spoiled.ID, words.Span(p.Within)), false
		}
		t := plan.Trial{
			Variant: spoiled.Variant.Name, Rung: spoiled.Rung, Alone: spoiled.Alone, Repetition: spoiled.Repetition,
			Position: spoiled.Position, Seed: spoiled.Seed,
		}
		return p.Again(t, 2), say.F("measuring %s again: %s", spoiled.ID, warning.Whys(why)), true
	}
}

// elsewhere is how many trials of a run were measured again that are not of its part.
func elsewhere(run, part *result.Run) int {
	return repeated(run) - repeated(part)
}

func repeated(run *result.Run) (n int) {
	for _, t := range run.Tiles() {
		if t.Attempt > 1 {
			n++
		}
	}
	return n
}
