package run

import (
	"context"
	"errors"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/next"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// confirm proves the bottlenecks of a run by experiments.
func confirm(s *command.State, parts facts.Parts, o *runOptions, of preparedRun) error {
	run, err := result.Open(of.options.Dir)
	if err != nil {
		return err
	}
	judged, err := next.Confirm(s.Context, run, of.options.Plan, func(ctx context.Context, st *study.Study, f analysis.Finding, n int) (*result.Run, error) {
		s.Complain("\nconfirm: %s", f.Next)
		return measureExperiment(ctx, s, parts, o, of, st, n)
	})
	if err != nil && len(judged) == 0 {
		return err
	}
	a, scored := scoredReport(s, of.options.Dir)
	return errors.Join(printConfirmed(s, judged, a), scored, err)
}

// scoredReport writes the report again, with the experiments in it, and returns its analysis.
func scoredReport(s *command.State, dir string) (*analysis.Analysis, error) {
	run, err := result.OpenLean(dir)
	if err != nil {
		return nil, err
	}
	a, err := results.Analyse(run, analysis.Options{})
	if err != nil {
		return nil, err
	}
	if err := results.AddConfirmed(run, a); err != nil {
		s.Complain("%s", err)
	}
	return a, results.WritePage(s, dir, run, a)
}

// measureExperiment runs the study of an experiment in a run of its own, next to the run that it
// explains.
func measureExperiment(ctx context.Context, s *command.State, parts facts.Parts, o *runOptions, of preparedRun, st *study.Study, n int) (*result.Run, error) {
	parts.Untested = o.untested
	site := site(s, o.work, o.cache, o.runs)
	site.Asking = asking(s)
	p, err := facts.Plan(ctx, parts, st, site, facts.FetchIf(!o.noFetch))
	if err != nil {
		return nil, err
	}
	if err := refuse(p.Problems); err != nil {
		return nil, err
	}
	dir := results.ExperimentDir(of.options.Dir, n)
	taken, err := rundir.Claim(dir)
	if err != nil {
		return nil, err
	}
	defer taken.Release()
	if err := execute(s, parts, o, campaignOptions(s, o, p, of.options.StudyText, taken), nil); err != nil {
		return nil, err
	}
	return result.Open(dir)
}

func printConfirmed(s *command.State, judged []analysis.Finding, a *analysis.Analysis) error {
	var score *analysis.PredictionScore
	if a != nil {
		score = a.Score
	}
	if s.JSON {
		return s.PrintJSON(map[string]any{"confirmed": judged, "prediction_score": score})
	}
	if len(judged) == 0 {
		s.PrintWrapped("\nNo bottleneck has an experiment that this machine can run.")
	}
	for _, f := range judged {
		s.PrintWrapped("\n%s", f.Text)
	}
	if score != nil {
		s.PrintWrapped("\n%s", score.Text)
	}
	return nil
}
