package cli

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/next"
	"plimsoll/internal/campaign"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// confirm proves the bottlenecks of a run by experiments.
func (s *State) confirm(parts campaign.Parts, o *runOptions, of preparedRun) error {
	run, err := result.Open(of.options.Dir)
	if err != nil {
		return err
	}
	judged, err := next.Confirm(s.Context, run, of.options.Plan, func(ctx context.Context, st *study.Study, f analysis.Finding, n int) (*result.Run, error) {
		s.complain("\nconfirm: %s", f.Next)
		return s.measureExperiment(ctx, parts, o, of, st, n)
	})
	if err != nil && len(judged) == 0 {
		return err
	}
	return errors.Join(s.printConfirmed(judged), err)
}

// measureExperiment runs the study of an experiment in a run of its own, next to the run that it
// explains.
func (s *State) measureExperiment(ctx context.Context, parts campaign.Parts, o *runOptions, of preparedRun, st *study.Study, n int) (*result.Run, error) {
	parts.Untested = o.untested
	site := s.site(o.work, o.cache, o.runs)
	site.Asking = s.asking()
	p, err := campaign.Plan(ctx, parts, st, site, campaign.FetchIf(!o.noFetch))
	if err != nil {
		return nil, err
	}
	if err := refuse(p.Problems); err != nil {
		return nil, err
	}
	dir := experimentDir(of.options.Dir, n)
	taken, err := claimRun(dir)
	if err != nil {
		return nil, err
	}
	defer taken.release()
	if err := s.execute(parts, o, s.campaignOptions(o, p, of.options.StudyText, taken), nil); err != nil {
		return nil, err
	}
	return result.Open(dir)
}

// experimentDir is where the experiment with a number is, which a run asked for.
func experimentDir(run string, n int) string { return fmt.Sprintf("%s-confirm-%d", run, n) }

// addConfirmed adds the outcomes of the experiments made for a run. An experiment that cannot be
// judged, for example because it was interrupted, is named.
func (s *State) addConfirmed(run *result.Run, a *analysis.Analysis) {
	if run.Dir == "" || run.Plan == nil {
		return // published, or damaged
	}
	judged, err := next.Confirmed(run.Plan, a, func(n int) (*result.Run, error) { return result.OpenLean(experimentDir(run.Dir, n)) })
	a.Findings = append(a.Findings, judged...)
	if err != nil {
		s.complain("%s", err)
	}
}

func (s *State) printConfirmed(judged []analysis.Finding) error {
	if s.JSON {
		return s.printJSON(map[string]any{"confirmed": judged})
	}
	if len(judged) == 0 {
		s.printWrapped("\nNo bottleneck has an experiment that this machine can run.")
	}
	for _, f := range judged {
		s.printWrapped("\n%s", f.Text)
	}
	return nil
}
