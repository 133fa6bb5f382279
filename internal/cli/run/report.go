package run

import (
	"path/filepath"

	"plimsoll/internal/analysis"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
)

// reportRun writes report.html and prints the verdict after a run; the pages
// become the report.
func reportRun(s *command.State, dir, minGrade string, pages *runPages) error {
	run, err := result.OpenLean(dir)
	if err != nil {
		return err
	}
	a, analyseErr := results.Analyse(run, analysis.Options{MinGrade: minGrade})
	if a == nil {
		return analyseErr
	}
	if err := results.WritePage(s, dir, run, a); err != nil {
		return err
	}
	if s.JSON {
		if err := report.JSON(s.JSONOut(), a); err != nil {
			return err
		}
	} else if err := report.Screen(s.Stdout, a, dir, filepath.Join(dir, result.ReportFile), s.Columns(), s.Colour()); err != nil {
		return err
	}
	if err := pages.finish(s.Context, a, run); err != nil {
		return err
	}
	return results.VerdictError(run, analyseErr)
}
