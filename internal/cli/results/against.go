package results

import (
	"fmt"
	"slices"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/result"
)

// addNamed holds a run against the one that a flag names, for its report.
func addNamed(a *analysis.Analysis, run *result.Run, runs, name string) error {
	if name == "" {
		return nil
	}
	side, err := openSide(runs, name)
	if err != nil {
		return fmt.Errorf("open what --against names: %w", err)
	}
	held, err := compare.Against(run, side)
	if err != nil {
		return command.Usage(fmt.Errorf("hold the run against %s: %w", name, err))
	}
	a.Against = append(a.Against, *held)
	return nil
}

// addPublished holds a run against the published results of its study, unless they were
// named. Figures that cannot be related are no reason to refuse a report of our own.
func addPublished(a *analysis.Analysis, run *result.Run, published *analysis.Published) {
	if published == nil || run.ID == published.Run.ID {
		return
	}
	name := "reference/" + published.Run.ID
	if slices.ContainsFunc(a.Against, func(x analysis.ReferenceResult) bool { return x.Name == name }) {
		return
	}
	if held, err := compare.Against(run, compare.Side{Run: published.Run, Label: name}); err == nil {
		a.Against = append(a.Against, *held)
	}
}
