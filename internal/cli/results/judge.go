package results

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// withoutResult lists the planned trials whose results cannot be read.
func withoutResult(run *result.Run) []string {
	if run.Plan == nil {
		return nil
	}
	have := tileIDs(run)
	var ids []string
	for _, t := range run.Plan.Trials {
		if !slices.Contains(have, t.ID) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// VerdictError gives the exit code of a run that went to its end.
func VerdictError(run *result.Run, refused error) error {
	failed, all := 0, run.Tiles()
	for _, t := range all {
		if t.Status != result.Passed {
			failed++
		}
	}
	missing := withoutResult(run)
	switch {
	case len(missing) > 0:
		return fmt.Errorf("the run finished, but %s of %d planned cannot be read: %s; problems: %v",
			words.Count(len(missing), "trial"), len(run.Plan.Trials), strings.Join(missing, ", "), run.Problems)
	case refused != nil:
		return command.WithCode(refused, command.ExitRefused, "read the warnings in the report, or lower --min-grade")
	case failed > 0:
		return command.WithCode(fmt.Errorf("%d of %d trials failed; for the reasons: plimsoll show %s", failed, len(all), words.Shell(run.Dir)), command.ExitTrialFailed,
			"measure them again with: plimsoll run --resume "+words.Shell(run.Dir)+" --retry-failed")
	}
	return nil
}

// DefaultGrade is the lowest grade of a verdict where neither the command line
// nor the study names one.
const DefaultGrade = "D"

// CheckGrade returns an error if --min-grade is not a grade.
func CheckGrade(of, grade string) error {
	if !study.IsGrade(grade) {
		return command.Usage(fmt.Errorf("%s: --min-grade must be A, B, C, D, E or F, got %q", of, grade))
	}
	return nil
}
