package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"

	"plimsoll/internal/analysis"
	"plimsoll/internal/campaign"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// confirmations is how often each side of an experiment is measured.
const confirmations = 3

// confirm runs, for each bottleneck that the run named, the experiment that
// would prove it, and says whether it did.
func (s *State) confirm(parts campaign.Parts, o *runOptions, of preparedRun) error {
	run, err := result.Open(of.options.Dir)
	if err != nil {
		return err
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		return err
	}
	judged := []analysis.Finding{}
	for _, f := range a.Findings {
		if f.Kind != "bottleneck" || f.Change == nil {
			continue
		}
		conclusion, err := s.experiment(parts, o, of, f, len(judged)+1)
		if err != nil {
			return fmt.Errorf("confirm the bottleneck of %s: %w", f.Variant, err)
		}
		judged = append(judged, conclusion)
	}
	return s.printConfirmed(judged)
}

// experiment runs the study of one finding and judges it.
func (s *State) experiment(parts campaign.Parts, o *runOptions, of preparedRun, f analysis.Finding, n int) (analysis.Finding, error) {
	st, err := experimentStudy(of.options.Plan.Study, of.variant(f.Variant), *f.Change)
	if err != nil {
		return f, err
	}
	fmt.Fprintf(s.Stderr, "\nconfirm: %s\n", f.Next)
	p, err := campaign.Plan(s.Context, parts, st, campaign.Site{Work: s.workDir(o.work)}, !o.noFetch)
	if err != nil {
		return f, err
	}
	if err := refuse(p); err != nil {
		return f, err
	}
	dir := fmt.Sprintf("%s-confirm-%d", of.options.Dir, n)
	taken, err := claimRun(dir)
	if err != nil {
		return f, err
	}
	defer taken.release()
	options := s.campaignOptions(o, p, of.options.StudyText, taken)
	if err := s.execute(parts, o, options); err != nil {
		return f, err
	}
	after, err := result.Open(dir)
	if err != nil {
		return f, err
	}
	judged, err := analysis.Analyse(after, analysis.Options{})
	if err != nil {
		return f, err
	}
	return analysis.Confirm(f, judged)
}

// variant is the one that a finding names.
func (r preparedRun) variant(name string) study.Variant {
	v, _ := r.options.Plan.Variant(name)
	return v
}

// experimentStudy varies the one setting and keeps everything else of the
// variant.
func experimentStudy(base *study.Study, v study.Variant, c analysis.Change) (*study.Study, error) {
	st := *base
	st.Ladder = study.Ladder{Rungs: c.Rungs}
	st.Repetitions = max(confirmations, base.Repetitions)
	st.Matrix = study.Matrix{}
	for _, path := range slices.Sorted(maps.Keys(v.Factors)) {
		if path == c.Path {
			continue
		}
		level, err := levelOf(v.Factors[path])
		if err != nil {
			return nil, err
		}
		st.Matrix.Factors = append(st.Matrix.Factors, study.Factor{Path: path, Levels: []any{level}})
	}
	from, err := levelOf(c.From)
	if err != nil {
		return nil, err
	}
	to, err := levelOf(c.To)
	if err != nil {
		return nil, err
	}
	st.Matrix.Factors = append(st.Matrix.Factors, study.Factor{Path: c.Path, Levels: []any{from, to}})
	return &st, nil
}

// levelOf reads a level as a study file would hold it.
func levelOf(text string) (any, error) {
	var level any
	if err := yaml.Unmarshal([]byte(text), &level); err != nil {
		return nil, fmt.Errorf("the level %q: %w", text, err)
	}
	return level, nil
}

func (s *State) printConfirmed(judged []analysis.Finding) error {
	if s.JSON {
		return s.printJSON(map[string]any{"confirmed": judged})
	}
	if len(judged) == 0 {
		fmt.Fprintln(s.Stdout, "\nNo bottleneck has an experiment that this machine can run.")
	}
	for _, f := range judged {
		fmt.Fprintln(s.Stdout, "\n"+f.Text)
	}
	return nil
}
