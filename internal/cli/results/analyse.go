package results

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
	"plimsoll/internal/text/version"
	"plimsoll/reference"
	"plimsoll/studies"
)

// publishedBeside opens the published results that the run's study names; nil where
// it names none.
func publishedBeside(run *result.Run) *analysis.Published {
	if run.Plan == nil || run.Plan.Study == nil {
		return nil
	}
	name := run.Plan.Study.Reference
	if trial.AnyPublished(run.Trials) {
		name = run.ID // its claims are judged on its own figures
	}
	if name == "" {
		return nil
	}
	set, err := reference.Get(name)
	if err != nil {
		return nil // another version may have had it
	}
	theirs, err := set.Run()
	if err != nil {
		return nil
	}
	return &analysis.Published{Run: theirs, Claims: set.Claims, Notes: set.Remarks()}
}

// SeriesOf reads a trial's telemetry when the report asks for it.
func SeriesOf(run *result.Run) report.SeriesSource { return run.SeriesOf }

// Analyse analyses a run with what its study names to hold it against. An analysis that comes with
// an error may be written, but is not good enough for a verdict.
func Analyse(run *result.Run, o analysis.Options) (*analysis.Analysis, error) {
	return analyseAgainst(run, o, references{})
}

// references is what flags name to hold a run against; empty where they do not.
type references struct{ runs, baseline, against string }

// analyseAgainst is Analyse with what flags name as well.
func analyseAgainst(run *result.Run, o analysis.Options, by references) (_ *analysis.Analysis, err error) {
	defer caught.As("analyse run "+run.ID, &err)
	o.Published = publishedBeside(run)
	o.Shipped = run.Plan != nil && run.Plan.Study != nil && slices.Contains(studies.Names(), run.Plan.Study.Name)
	if o.Baseline, err = baselineFor(run, by.runs, by.baseline); err != nil {
		return nil, err
	}
	a, refused := analysis.Analyse(run, o)
	if a == nil {
		return nil, refused
	}
	a.Run.AnalysedBy = version.Get()
	if err := addNamed(a, run, by.runs, by.against); err != nil {
		return nil, err
	}
	addPublished(a, run, o.Published)
	return a, refused
}

// judge analyses a run as plimsoll report does.
func judge(run *result.Run) (*analysis.Analysis, error) {
	minGrade := DefaultGrade
	if run.Plan != nil && run.Plan.Study != nil {
		minGrade = cmp.Or(run.Plan.Study.MinGrade, DefaultGrade)
	}
	a, refused := Analyse(run, analysis.Options{MinGrade: minGrade, Running: rundir.InProgress(run.Dir)})
	if a != nil {
		_ = AddConfirmed(run, a) // what cannot be judged is untested in the score; report and why name it
	}
	return a, refused
}
