package cli

import (
	"fmt"

	"plimsoll/internal/analysis"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
)

// search gives the trials that a ladder of its own choosing asks for, the
// variants in turn, or nil when the ladder is a list.
func search(p *plan.Plan) func(*result.Run) (plan.Trial, string, bool) {
	if !p.Study.Ladder.Auto {
		return nil
	}
	return func(run *result.Run) (plan.Trial, string, bool) {
		trials := analysis.Counting(run)
		steps := analysis.NextTrials(p.Study, p.Variants, trials)
		done := map[string]int{}
		for _, t := range trials {
			done[t.Variant.Name]++
		}
		next := ""
		for _, v := range p.Variants {
			if _, wanted := steps[v.Name]; wanted && (next == "" || done[v.Name] < done[next]) {
				next = v.Name
			}
		}
		if next == "" {
			return plan.Trial{}, "the search for the load line is finished", false
		}
		step := steps[next]
		return p.Append(next, step.Rung, step.Repetition), fmt.Sprintf("%s: %s", next, step.Why), true
	}
}
