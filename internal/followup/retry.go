package followup

import (
	"fmt"

	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
)

// Retry gives a second attempt at each trial that something outside spoiled, at
// most so many in a run.
func Retry(p *plan.Plan, most int) Chooser {
	return func(run *result.Run) (plan.Trial, string, bool) {
		var spoiled *result.Trial
		var why string
		for _, member := range run.Tile() {
			if spoiled, why = trust.Again(member, most); spoiled != nil {
				spoiled = run.Origin(spoiled)
				break
			}
		}
		if spoiled == nil {
			return plan.Trial{}, why, false
		}
		t := plan.Trial{
			Variant: spoiled.Variant.Name, Rung: spoiled.Rung, Repetition: spoiled.Repetition,
			Position: spoiled.Position, Seed: spoiled.Seed,
		}
		return p.Again(t, 2), fmt.Sprintf("measuring %s again: %s", spoiled.ID, why), true
	}
}
