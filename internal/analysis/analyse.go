// Package analysis turns results into answers, in pure functions over files:
// per rung the median of the repetitions with its interval, efficiency, the
// load line, scalability, demand and bottleneck, price, comparison and sizing.
// Every formula names its source. The steps are packages below it; this one
// puts them together.
package analysis

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/grade"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/verdict"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/tail"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/analysis/whatif"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Options says how to analyse.
type Options struct {
	// MinGrade refuses a verdict that rests on trials of a worse grade, A to F;
	// empty refuses none.
	MinGrade string
	// Published is shown next to the run's own results; nil if there is none.
	Published *Published
	// Baseline is a run to show throughput as fractions of; nil for none.
	Baseline *result.Run
	// Shipped reports that the study is one of the program's own, which its name alone runs.
	Shipped bool
	// Running reports that the run is in progress: planned trials that it lacks are still
	// to come.
	Running bool
}

// Analyse turns a run into everything that a report shows. It reads the
// trials' summaries only, and the series where a judgement needs them. Damaged
// parts of a run become warnings; only a run with nothing in it is an error,
// and then the analysis is nil. A *RefusedError comes with the analysis.
func Analyse(run *result.Run, o Options) (*Analysis, error) {
	if isEmpty(run) {
		return nil, trust.ErrNothing
	}
	members := run.Members()
	all := make([]*Analysis, len(members))
	var refused error
	for i, m := range members {
		var err error
		all[i], err = ofMember(m, o)
		refused = cmp.Or(refused, err)
	}
	a := joined(run, members, all, ofAlone(run, o.Running))
	a.Claims = ledger(a, run, o.Published)
	return a, refused
}

// AnalyseMember is Analyse of what was measured of one member next to the others; the
// application of a study without members has no name.
func AnalyseMember(run *result.Run, member string, o Options) (*Analysis, error) {
	if isEmpty(run) {
		return nil, trust.ErrNothing
	}
	for _, m := range run.Members() {
		if m.Member() == member {
			return ofMember(m, o)
		}
	}
	return nil, trust.ErrNothing
}

// isEmpty reports whether a run holds nothing to analyse.
func isEmpty(run *result.Run) bool {
	return run == nil || run.Plan == nil && len(run.Trials) == 0
}

// ofMember analyses a run of one member. Each stage takes what the stages before it give.
func ofMember(run *result.Run, o Options) (*Analysis, error) {
	s := &subject{setup.New(run)}
	s.Running = o.Running
	trials := s.trialsOf()
	ladders := s.ladders(trials)
	doubts := s.Doubts()
	lined := s.lined(ladders, trials, doubts)
	figures := s.figures(s.graded(lined, doubts), o.Baseline)
	a := s.answered(s.compared(figures), o)
	return &a, grade.Refusal(a.Grade, o.MinGrade, a.Warnings)
}

// graded grades trials and rungs by the doubts about them, and adds the warnings about missing trials.
func (s *subject) graded(variants []Variant, doubts []trust.Warning) grade.Graded {
	g := grade.Of(s.Subject, variants, s.trialInfos(), doubts)
	g.Warnings = append(append(s.problems(), doubts...), grade.Percentiles(variants)...)
	return grade.Lost(s.Subject, grade.Missing(s.Subject, g))
}

// figures are all numbers of the run: what was measured, what it costs, and what that is of a
// baseline.
func (s *subject) figures(g grade.Graded, baseline *result.Run) Analysis {
	studied := s.StudyInfo()
	prices, unpriced := s.prices(g.Variants, studied)
	a := Analysis{
		Study:         studied,
		Run:           s.RunInfo(),
		Machine:       s.Run.Machine,
		Machines:      s.Machines(),
		Factors:       s.Factors(),
		Variants:      withBest(g.Variants, prices),
		Prices:        prices,
		Warnings:      withWarnings(g.Warnings, unpriced),
		Trials:        g.Trials,
		Method:        say.Method(s.Subject, g.Variants),
		Settings:      say.Settings(s.Subject),
		ResourceKinds: kindsOf(g.Variants),
	}
	a.Lists = say.Lists(&a, s.lists(a.Variants, prices))
	return withBaseline(a, baseline)
}

// compared adds the conclusions from the figures, and how the variants compare.
func (s *subject) compared(figures Analysis) Analysis {
	a := figures
	a.Findings = s.findings(&figures)
	a.Pairs = pairwise.Pairs(&figures)
	a.Ranking = verdict.BestFirst(&figures)
	a.Breaking = pairwise.FailingVariants(&figures)
	a.Reply = pairwise.ReplyOf(s.Evidence, &a) // by the ranking and those that fail
	return a
}

// answered adds the answers to what the study asks, and how far they may be off.
func (s *subject) answered(compared Analysis, o Options) Analysis {
	a := compared
	a.Bound, a.Grade = grade.Answer(s.Subject, &compared)
	warning.Write(a.Warnings)
	if a.Bound = verdict.Bounded(&a, o.Shipped); a.Bound != nil {
		a.GradeReason = a.Bound.Text
	}
	answer := verdict.Answer(&a)
	a.Headline, a.Parts, a.Caveats = answer.Headline, answer.Parts, answer.Caveats
	a.Verdict = verdict.Sentences(&a)
	a.Answers = verdict.Leading(&a)
	a.Beside = publishedComparison(&a, o.Published)
	return a
}

// subject is a run under analysis with what every step needs of it.
type subject struct{ *setup.Subject }

// ladders measures the ladder of each variant, in parallel; they stand as in the plan.
func (s *subject) ladders(byVariant map[string][]*result.Trial) []Variant {
	all := s.Variants()
	out := make([]Variant, len(all))
	caught.Each(len(all), func(i int) { out[i] = s.ladder(all[i], byVariant[all[i].Name]) })
	labels := setup.Labels(all)
	for i := range out {
		out[i].Label = labels[out[i].Name]
	}
	return out
}

// ladder measures the rungs of a variant: what their resources did, what limits them and how they
// scale.
func (s *subject) ladder(v study.Variant, trials []*result.Trial) Variant {
	out := Variant{Name: v.Name, Factors: v.Factors, Work: trial.ProfileOf(slices.Concat(trials, s.Run.Trials))}
	if len(trials) > 0 {
		d := trials[0].Storage()
		out.Parameters, out.Drives, out.Rated = trials[0].Variant.Workload.Parameters, float64(d.Drives), float64(d.Rated)
		out.Media, out.MediaKind, out.Simulated, out.Description = d.Media, d.MediaKind, d.Simulated, d.Text
	}
	measured, line := Ladder(s.Evidence, trials, s.Noun)
	efficient := rung.WithEfficiency(measured)
	own := resource.WithoutOthers(s.Evidence, asLadder(resource.Settled(resourcesOf(efficient)), efficient, trials))
	out.Rungs, out.LoadLine = diagnose.WithBottlenecks(say.Evidence(withResources(efficient, own))), line
	models := s.Scale(&out)
	out.Scalability = say.Scalability(scale.Fit(models), models, s.Noun)
	return out
}

// lined gives variants the unsteady work of their rungs, their final load lines, their tested
// parts, which give the bottleneck its name, and where the time goes.
func (s *subject) lined(ladders []Variant, byVariant map[string][]*result.Trial, doubts []trust.Warning) []Variant {
	out := slices.Clone(ladders)
	for i := range out {
		v := &out[i]
		unsteady := rung.WithUnsteady(v.Rungs, doubts)
		v.LoadLine, v.Rungs = say.Line(v.LoadLine.Settled(unsteady), unsteady, s.Noun)
		v.Topology = s.topology(v, byVariant[v.Name])
		v.Time, v.Tail, v.Predictions = s.timeOf(v, byVariant[v.Name])
	}
	return out
}

// timeOf attributes the response time where a variant's line ends, and that of its tail, and predicts
// what would shorten it.
func (s *subject) timeOf(v *Variant, trials []*result.Trial) (whole *timeprofile.Attribution, slowest *tail.Attribution, predictions []whatif.Forecast) {
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	if r == nil {
		return nil, nil, nil
	}
	d := diagnose.Diagnose(v.Rungs, v.LoadLine, r)
	groups := trial.ByRung(trials)
	at := slices.IndexFunc(groups, func(g trial.Group) bool { return g.Instances == r.Instances })
	if at < 0 {
		return d.Time, nil, nil
	}
	passed := s.WholeOf(groups[at].Passed)
	if o := brokenTail(r); o != nil && d.Kind != diagnose.Failing {
		slowest = tail.Of(s.Evidence, passed, o.Metric)
	}
	if d.Cause().Component != "" && !s.OpenLoop(v.Name) {
		users, think := s.Users(v.Name)
		predictions = whatif.Predict(s.Evidence, passed, r, d.Time, whatif.Load{Users: users * r.Worked(), Think: think})
	}
	return d.Time, slowest, predictions
}

// brokenTail is the first objective on a percentile of the unit of work that a rung misses; nil for
// none.
func brokenTail(r *rung.Rung) *rung.ObjectiveResult {
	for i, o := range r.Objectives {
		if !o.Kept && !o.Unknown && o.Operation == "" && tail.Divides(o.Metric) {
			return &r.Objectives[i]
		}
	}
	return nil
}

// trialsOf are the trials of each variant.
func (s *subject) trialsOf() map[string][]*result.Trial {
	byVariant := map[string][]*result.Trial{}
	for _, t := range s.Run.Trials {
		byVariant[t.Variant.Name] = append(byVariant[t.Variant.Name], t)
	}
	return byVariant
}

// Ladder measures the rungs of a variant and finds its load line. Noun is what a
// rung counts.
func Ladder(e *trust.Evidence, trials []*result.Trial, noun string) ([]rung.Rung, loadline.LoadLine) {
	groups := trial.ByRung(trials)
	rungs := rung.MeasureAll(e, groups)
	line, rungs := say.Line(loadline.Find(rungs, groups, e.Study.Objectives), rungs, noun)
	return rungs, line
}

// withResources gives rungs what their resources did.
func withResources(rungs []rung.Rung, resources [][]resource.Resource) []rung.Rung {
	out := slices.Clone(rungs)
	for i := range out {
		out[i].Resources = resources[i]
	}
	return out
}

// resourcesOf collects the resources of each rung.
func resourcesOf(rungs []rung.Rung) [][]resource.Resource {
	all := make([][]resource.Resource, len(rungs))
	for i, r := range rungs {
		all[i] = r.Resources
	}
	return all
}

// asLadder are rungs with the given resources, as package resource sees them.
func asLadder(resources [][]resource.Resource, rungs []rung.Rung, trials []*result.Trial) []resource.Rung {
	all := make([]resource.Rung, len(rungs))
	for i, g := range trial.ByRung(trials) {
		all[i] = resource.Rung{Resources: resources[i], UnitsPerSecond: rungs[i].UnitsPerSecond, Passed: g.Passed}
	}
	return all
}

// kindsOf describes the kinds of all resources.
func kindsOf(variants []Variant) (all map[resource.Kind]resource.KindInfo) {
	for _, v := range variants {
		for _, r := range v.Rungs {
			all = resource.AboutAll(all, r.Resources)
		}
	}
	return all
}
