package results

import (
	"fmt"
	"io/fs"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/next"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/result"
)

// ExperimentDir is where the experiment with a number is, which a run asked for.
func ExperimentDir(run string, n int) string { return fmt.Sprintf("%s-confirm-%d", run, n) }

// AddConfirmed adds to an analysis the outcomes of the experiments made for its run, and the score of its
// predictions. The error names experiments that cannot be judged, for example because they were
// interrupted.
func AddConfirmed(run *result.Run, a *analysis.Analysis) error {
	if run.Dir == "" || run.Plan == nil {
		return nil // published, or damaged
	}
	judged, err := next.Confirmed(run.Plan, a, func(n int) (*result.Run, error) {
		dir := ExperimentDir(run.Dir, n)
		if rundir.InProgress(dir) {
			return nil, fmt.Errorf("experiment in progress: %w", fs.ErrNotExist)
		}
		return result.OpenLean(dir)
	})
	a.Findings = append(a.Findings, judged...)
	return err
}
