package grade

import (
	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Problems reports what of the run could not be read or never ended.
func Problems(s *setup.Subject) []trust.Warning {
	warnings := append([]trust.Warning{}, s.Damage...)
	if s.Run.Plan == nil {
		warnings = append(warnings, trust.Warning{Kind: "damaged", Severity: "serious",
			Text: "the plan could not be read: objectives, prices and missing trials are unknown"})
	}
	for _, p := range s.Run.Problems {
		warnings = append(warnings, trust.Warning{Kind: "damaged", Severity: "caution", Text: p.String()})
	}
	warnings = append(warnings, s.LeftOut()...)
	for _, id := range s.Run.Unfinished {
		if s.Running {
			break // the one that is measured now
		}
		warnings = append(warnings, trust.Warning{Trial: id, Kind: "unfinished", Severity: "caution",
			Text: "the trial started and never finished; it is left out"})
	}
	for _, t := range s.Run.Trials {
		if t.Status != result.Passed {
			warnings = append(warnings, trust.Warning{Trial: t.ID, Kind: "failed", Severity: "serious", Text: "the trial failed: " + answer.CauseOf(t)})
		}
	}
	return warnings
}
