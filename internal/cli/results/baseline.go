package results

import (
	"fmt"

	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/result"
)

// BaselineOf opens the run that a study or a flag names as its baseline; nil where none
// is named.
func BaselineOf(runs, name string) (*result.Run, error) {
	if name == "" {
		return nil, nil
	}
	run, err := rundir.OpenLean(runs, []string{name})
	if err != nil {
		return nil, fmt.Errorf("open the baseline: %w", err)
	}
	return run, nil
}

// baselineFor is what a run's throughput is shown as fractions of: what the flag names,
// or else what the run itself has kept.
func baselineFor(run *result.Run, runs, flag string) (*result.Run, error) {
	if flag != "" || run.Dir == "" {
		return BaselineOf(runs, flag)
	}
	return run.Baseline()
}
