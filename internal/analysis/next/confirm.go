package next

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// confirmations is how often each side of an experiment is measured.
const confirmations = 3

// Runner runs the study of the experiment with a number, from 1, that a finding
// asks for.
type Runner func(ctx context.Context, s *study.Study, f analysis.Finding, n int) (*result.Run, error)

// Confirm runs, for each bottleneck that a run named, the experiment that would
// prove it, and says whether it did. With an error come the conclusions of those that had
// ended before it.
func Confirm(ctx context.Context, run *result.Run, p *plan.Plan, measure Runner) ([]analysis.Finding, error) {
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		return nil, err
	}
	judged := []analysis.Finding{}
	for i, f := range bottleneckExperiments(p, a) {
		conclusion, err := experiment(ctx, p, f, i+1, measure)
		if err != nil {
			return judged, fmt.Errorf("confirm the bottleneck of %s: %w", f.Variant, err)
		}
		judged = append(judged, conclusion)
	}
	return judged, nil
}

// Confirmed returns the results of the experiments that Confirm had measured for a run with
// this plan and analysis, and scores the predictions of the analysis by them. Open returns the run of the experiment with a number, from 1;
// fs.ErrNotExist means that it was not run. An error names the experiments that cannot be
// judged and comes with the conclusions of the others.
func Confirmed(p *plan.Plan, a *analysis.Analysis, open func(n int) (*result.Run, error)) (judged []analysis.Finding, err error) {
	var problems []error
	var tested []model.TestedPrediction
	for i, f := range bottleneckExperiments(p, a) {
		after, err := open(i + 1)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && !isAbout(p, f, after) {
			err = fmt.Errorf("%s does not change %s of %s alone", after.ID, f.Change.Path, f.Variant)
		}
		var conclusion analysis.Finding
		if err == nil {
			conclusion, err = conclude(f, after)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("experiment %d: %w", i+1, err))
			tested = append(tested, answer.Untested(f, variantOf(a, f.Variant), idOf(after), err.Error())...)
			continue
		}
		judged, tested = append(judged, conclusion), append(tested, conclusion.Tested...)
	}
	answer.SetScore(a, tested)
	return judged, errors.Join(problems...)
}

// variantOf is a variant by its name, which a finding has from the analysis.
func variantOf(a *analysis.Analysis, name string) *analysis.Variant {
	for i := range a.Variants {
		if a.Variants[i].Name == name {
			return &a.Variants[i]
		}
	}
	return &analysis.Variant{}
}

// idOf is the name of a run, which may not have been opened.
func idOf(run *result.Run) string {
	if run == nil {
		return ""
	}
	return run.ID
}

// bottleneckExperiments are the experiments about the bottlenecks of a run, in the order of their numbers.
func bottleneckExperiments(p *plan.Plan, a *analysis.Analysis) (all []analysis.Finding) {
	for _, f := range a.Findings {
		if _, own := p.Variant(f.Variant); f.Cause != nil && own { // not a member's alone
			all = append(all, experiments(f)...)
		}
	}
	return all
}

// experiments lists the finding once for each change that it asks for: the one that would
// prove it, and the alternatives.
func experiments(f analysis.Finding) (all []analysis.Finding) {
	if f.Change != nil {
		all = append(all, f)
	}
	for _, c := range f.Beside {
		one := f
		one.ID = f.ID + "-" + c.Path
		one.Change, one.Next = &c, fmt.Sprintf("Measure %s at %s instead of %s, which may relieve the same.", c.Path, c.To, c.From)
		all = append(all, one)
	}
	return all
}

// experiment measures and judges the experiment of one finding.
func experiment(ctx context.Context, p *plan.Plan, f analysis.Finding, n int, measure Runner) (analysis.Finding, error) {
	v, _ := p.Variant(f.Variant)
	s, err := experimentStudy(p.Study, v, *f.Change)
	if err != nil {
		return f, err
	}
	after, err := measure(ctx, s, f, n)
	if err != nil {
		return f, err
	}
	return conclude(f, after)
}

// conclude judges an experiment by its run.
func conclude(f analysis.Finding, after *result.Run) (analysis.Finding, error) {
	judged, err := analysis.Analyse(after, analysis.Options{})
	if err != nil {
		return f, err
	}
	return answer.Confirm(f, judged)
}

// isAbout reports whether a run is of the variant that a finding is about, and varies only
// what that asks for.
func isAbout(p *plan.Plan, f analysis.Finding, after *result.Run) bool {
	v, _ := p.Variant(f.Variant)
	changed := func(path, _ string) bool { return path == f.Change.Path }
	kept := maps.Clone(v.Factors)
	maps.DeleteFunc(kept, changed)
	for _, t := range after.Trials {
		others := maps.Clone(t.Variant.Factors)
		maps.DeleteFunc(others, changed)
		if !maps.Equal(kept, others) {
			return false
		}
	}
	return true
}

// experimentStudy varies the one setting and keeps everything else of the
// variant.
func experimentStudy(base *study.Study, v study.Variant, c analysis.Change) (*study.Study, error) {
	st := *base
	st.Ladder = study.Ladder{Of: base.Ladder.Of, Rungs: c.Rungs}
	st.Answer = study.Answer{Kind: study.Effect, Factor: c.Path}
	st.Question = fmt.Sprintf("What does %s change at %s instead of %s?", c.Path, c.To, c.From)
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
