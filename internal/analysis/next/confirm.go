package next

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say"
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
		about, _ := subjectOf(p, f)
		if err == nil && !about.isAbout(after) {
			err = fmt.Errorf("%s does not change %s of %s alone", after.ID, f.Change.Path, f.Variant)
		}
		var conclusion analysis.Finding
		if err == nil {
			conclusion, err = about.conclude(after)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("experiment %d: %w", i+1, err))
			tested = append(tested, say.Untested(f, cmp.Or(a.Variant(f.Variant), &analysis.Variant{}), idOf(after), err.Error())...)
			continue
		}
		judged, tested = append(judged, conclusion), append(tested, conclusion.Tested...)
	}
	say.SetScore(a, tested)
	return judged, errors.Join(problems...)
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
		if _, planned := subjectOf(p, f); f.Cause != nil && planned {
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
		one.Change, one.Next = &c, say.F("Measure %s at %s instead of %s, which may relieve the same.", c.Path, c.To, c.From)
		all = append(all, one)
	}
	return all
}

// subject is what an experiment is about: a finding on a member of a variant.
type subject struct {
	finding analysis.Finding
	variant study.Variant // of the whole study
	member  study.Variant // as Variant.Tile gives it
}

// subjectOf finds the variant of a finding in a plan, if it is there.
func subjectOf(p *plan.Plan, f analysis.Finding) (s subject, planned bool) {
	for _, v := range p.Variants {
		for _, one := range v.Tile() {
			if one.Title() == f.Variant {
				return subject{f, v, one}, true
			}
		}
	}
	return subject{finding: f}, false
}

// path is the setting that the finding asks to change, as the study has it.
func (s subject) path() string { return study.PathOf(s.member.Member, s.finding.Change.Path) }

// experiment measures and judges the experiment of one finding.
func experiment(ctx context.Context, p *plan.Plan, f analysis.Finding, n int, measure Runner) (analysis.Finding, error) {
	about, _ := subjectOf(p, f)
	s, err := about.study(p.Study)
	if err != nil {
		return f, err
	}
	after, err := measure(ctx, s, f, n)
	if err != nil {
		return f, err
	}
	return about.conclude(after)
}

// conclude judges an experiment by its run.
func (s subject) conclude(after *result.Run) (analysis.Finding, error) {
	judged, err := analysis.AnalyseMember(after, s.member.Member, analysis.Options{})
	if err != nil {
		return s.finding, err
	}
	return say.Confirm(s.finding, judged)
}

// isAbout reports whether a run is of the variant that the finding is about, and varies only
// what that asks for.
func (s subject) isAbout(after *result.Run) bool {
	changed := func(path, _ string) bool { return path == s.path() }
	kept := maps.Clone(s.variant.Factors)
	maps.DeleteFunc(kept, changed)
	for _, t := range after.Tiles() {
		others := maps.Clone(t.Variant.Factors)
		maps.DeleteFunc(others, changed)
		if !maps.Equal(kept, others) {
			return false
		}
	}
	return true
}

// study varies the one setting and keeps everything else of the variant. Its ladder counts as
// that of the base.
func (s subject) study(base *study.Study) (*study.Study, error) {
	st, v, c := *base, s.variant, *s.finding.Change
	st.Ladder = study.Ladder{Of: base.Ladder.Of}
	for _, instances := range c.Rungs {
		st.Ladder.Rungs = append(st.Ladder.Rungs, instances/max(1, s.member.Weight))
	}
	c.Path = s.path()
	st.Answer = study.Answer{Kind: study.Effect, Factor: c.Path}
	st.Question = say.F("What does %s change at %s instead of %s?", c.Path, c.To, c.From)
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
