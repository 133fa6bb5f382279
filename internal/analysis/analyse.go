package analysis

import (
	"errors"
	"sync"

	"plimsoll/internal/plan"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Options says how to analyse.
type Options struct {
	// Unit overrides the workload's unit of throughput.
	Unit string
	// MinGrade refuses a verdict that rests on trials of a worse grade, A to F;
	// empty refuses none.
	MinGrade string
}

// ErrNothing says that a run holds nothing to analyse.
var ErrNothing = errors.New("analyse the run: it holds neither a plan nor a finished trial, so there is nothing to report; was it interrupted before its first trial ended?")

// Analyse turns a run into everything that a report shows. It reads the
// trials' summaries only, and the series where a judgement needs them. Damaged
// parts of a run become warnings; only a run with nothing in it is an error,
// and then the analysis is nil. A *RefusedError comes with the analysis.
func Analyse(run *result.Run, o Options) (*Analysis, error) {
	if run == nil || (run.Plan == nil && len(run.Trials) == 0) {
		return nil, ErrNothing
	}
	s := newSubject(run, o)
	a := &Analysis{
		Study:    s.studyInfo(),
		Run:      s.runInfo(),
		Machine:  run.Machine,
		Variants: s.variants(),
		Findings: []Finding{},
		Warnings: s.problems(),
		Method:   s.method(),
		Settings: s.settings(),
	}
	a.Trials = s.trialInfos()
	doubts, grades := s.distrust()
	a.Warnings = append(a.Warnings, doubts...)
	a.Warnings = append(a.Warnings, percentileWarnings(a.Variants)...)
	setGrades(a, grades)
	s.addMissing(a)
	s.setPrices(a)
	a.Findings = append(a.Findings, s.findings(a)...)
	a.Verdict = verdict(a)
	a.Answers = answers(a)
	return a, refusal(a, o.MinGrade)
}

// subject is a run under analysis with what every step needs of it.
type subject struct {
	run   *result.Run
	study *study.Study // never nil
	unit  unit
	cores float64 // of the machine, 0 when not known
	noun  string  // what a rung counts: "instance"
	// damage is what was left out of the run because it cannot be true.
	damage []Warning
	// attempted are all trials, those included that another attempt replaces;
	// left says by identifier why one was left out.
	attempted []*result.Trial
	left      map[string]string
	// before remembers busyBefore by trial, because it reads a file.
	before sync.Map
}

func newSubject(run *result.Run, o Options) *subject {
	s := &subject{run: run, study: &study.Study{}, left: map[string]string{}}
	if run.Plan != nil && run.Plan.Study != nil {
		copied := *run.Plan.Study
		s.study = &copied
	}
	s.makeSound()
	if run.Machine != nil {
		s.cores = float64(max(run.Machine.Cores, 0))
	}
	s.leaveOut()
	s.unit = unitOf(o.Unit, s.study.Workload)
	s.noun = nounOf(s.study.Workload)
	return s
}

// makeSound puts what can be true of the run in its place.
func (s *subject) makeSound() {
	trials, damaged := soundTrials(s.run.Trials)
	objectives, wrong := soundObjectives(s.study.Objectives)
	copied := *s.run
	copied.Trials = trials
	s.run, s.study.Objectives = &copied, objectives
	s.damage = append(damaged, wrong...)
}

// variants analyses each variant, in parallel, in the order of the plan.
func (s *subject) variants() []Variant {
	all := s.variantList()
	byVariant := map[string][]*result.Trial{}
	for _, t := range s.run.Trials {
		byVariant[t.Variant.Name] = append(byVariant[t.Variant.Name], t)
	}
	out := make([]Variant, len(all))
	parallel(len(all), func(i int) { out[i] = s.variant(all[i], byVariant[all[i].Name]) })
	return out
}

// variantList is the plan's variants, then those that only trials name.
func (s *subject) variantList() []study.Variant {
	var list []study.Variant
	seen := map[string]bool{}
	add := func(v study.Variant) {
		if !seen[v.Name] {
			seen[v.Name] = true
			list = append(list, v)
		}
	}
	for _, v := range planVariants(s.run.Plan) {
		add(v)
	}
	for _, t := range s.run.Trials {
		add(t.Variant)
	}
	return list
}

func planVariants(p *plan.Plan) []study.Variant {
	if p == nil {
		return nil
	}
	return p.Variants
}

func (s *subject) variant(v study.Variant, trials []*result.Trial) Variant {
	out := Variant{Name: v.Name, Label: label(v), Factors: v.Factors, Rungs: []Rung{}}
	if len(trials) > 0 {
		d := trials[0].Storage
		out.Media, out.Simulated, out.Description = d.Media, d.Simulated, d.Text
	}
	out.Rungs, out.LoadLine = s.ladder(trials)
	setEfficiency(out.Rungs)
	settleDevices(out.Rungs)
	setBottlenecks(out.Rungs)
	out.Scalability = s.scalabilityOf(&out)
	return out
}

// ladder measures the rungs of a variant and finds its load line.
func (s *subject) ladder(trials []*result.Trial) ([]Rung, LoadLine) {
	groups := groupByRung(trials)
	rungs := make([]Rung, 0, len(groups))
	for _, g := range groups {
		rungs = append(rungs, s.rung(g))
	}
	s.setIntervals(rungs, groups)
	return rungs, loadLineOf(rungs, groups, s.study.Objectives, s.noun)
}
