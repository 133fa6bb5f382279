package results

import (
	"fmt"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/next"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/result"
)

// ExperimentDir is where the experiment with a number is, which a run asked for.
func ExperimentDir(run string, n int) string { return fmt.Sprintf("%s-confirm-%d", run, n) }

// addConfirmed adds the outcomes of the experiments made for a run. An experiment that cannot be
// judged, for example because it was interrupted, is named.
func addConfirmed(s *command.State, run *result.Run, a *analysis.Analysis) {
	if run.Dir == "" || run.Plan == nil {
		return // published, or damaged
	}
	judged, err := next.Confirmed(run.Plan, a, func(n int) (*result.Run, error) { return result.OpenLean(ExperimentDir(run.Dir, n)) })
	a.Findings = append(a.Findings, judged...)
	if err != nil {
		s.Complain("%s", err)
	}
}
