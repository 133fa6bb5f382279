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
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/tail"
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
	return joined(run, members, all, ofAlone(run, o.Running)), refused
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

// ofMember analyses a run of one member.
func ofMember(run *result.Run, o Options) (*Analysis, error) {
	s := &subject{setup.New(run)}
	s.Running = o.Running
	trials := s.trialsOf()
	variants := s.variants(trials)
	a := &Analysis{
		Study:    s.StudyInfo(),
		Run:      s.RunInfo(),
		Machine:  run.Machine,
		Machines: s.Machines(),
		Factors:  s.Factors(),
		Variants: variants,
		Findings: []Finding{},
		Warnings: s.problems(),
		Method:   say.Method(s.Subject, variants),
		Settings: s.Settings(),
	}
	a.ResourceKinds = kindsOf(a.Variants)
	a.Trials = s.trialInfos()
	doubts := s.Doubts()
	s.setCourses(a, trials, doubts)
	grade.Settle(s.Subject, a, doubts)
	a.Warnings = append(a.Warnings, doubts...)
	a.Warnings = append(a.Warnings, grade.Percentiles(a.Variants)...)
	grade.Set(s.Subject, a, doubts)
	grade.AddMissing(s.Subject, a)
	grade.AddLost(s.Subject, a)
	s.setPrices(a)
	a.Lists = s.lists(a)
	say.SetListWords(a)
	setBest(a)
	setBaseline(a, o.Baseline)
	a.Findings = append(a.Findings, s.findings(a)...)
	a.Pairs = pairwise.Pairs(a)
	a.Ranking = verdict.BestFirst(a)
	a.Breaking = pairwise.FailingVariants(a)
	a.Reply = pairwise.ReplyOf(s.Evidence, a)
	grade.AddStrangers(a)
	say.Warnings(a.Warnings)
	verdict.SetAnswer(a)
	a.Verdict = verdict.Sentences(a)
	a.GradeReason = verdict.GradeReason(a)
	if a.Raise = grade.Raise(s.Subject, a); a.Raise != nil {
		a.Raise.Text = verdict.RaiseText(a, o.Shipped)
	}
	a.Answers = verdict.Leading(a)
	a.Beside = publishedComparison(a, o.Published)
	return a, grade.Refusal(a.Grade, o.MinGrade, a.Warnings)
}

// subject is a run under analysis with what every step needs of it.
type subject struct{ *setup.Subject }

// variants analyses each variant, in parallel; they stand as in the plan.
func (s *subject) variants(byVariant map[string][]*result.Trial) []Variant {
	all := s.Variants()
	out := make([]Variant, len(all))
	caught.Each(len(all), func(i int) { out[i] = s.variant(all[i], byVariant[all[i].Name]) })
	labels := setup.Labels(all)
	for i := range out {
		out[i].Label = labels[out[i].Name]
	}
	return out
}

func (s *subject) variant(v study.Variant, trials []*result.Trial) Variant {
	out := Variant{Name: v.Name, Factors: v.Factors, Rungs: []rung.Rung{}, Work: trial.ProfileOf(slices.Concat(trials, s.Run.Trials))}
	if len(trials) > 0 {
		d := trials[0].Storage()
		out.Parameters, out.Drives, out.Rated = trials[0].Variant.Workload.Parameters, float64(d.Drives), float64(d.Rated)
		out.Media, out.MediaKind, out.Simulated, out.Description = d.Media, d.MediaKind, d.Simulated, d.Text
	}
	out.Rungs, out.LoadLine = Ladder(s.Evidence, trials, s.Noun)
	rung.SetEfficiency(out.Rungs)
	resource.Settle(resourcesOf(out.Rungs))
	resource.Set(s.Evidence, s.ladderOf(out.Rungs, trials))
	say.SetEvidence(out.Rungs)
	diagnose.SetBottlenecks(out.Rungs)
	models := s.Scale(&out)
	out.Scalability = scale.Fit(models)
	say.SetScalability(out.Scalability, models, s.Noun)
	return out
}

// setCourses records the unsteady work of the rungs, and the tested parts of the variants,
// which give the bottleneck its name.
func (s *subject) setCourses(a *Analysis, byVariant map[string][]*result.Trial, doubts []trust.Warning) {
	for i := range a.Variants {
		v := &a.Variants[i]
		rung.SetUnsteady(v.Rungs, doubts)
		v.LoadLine.Settle(v.Rungs)
		say.SetLineWords(&v.LoadLine, v.Rungs, s.Noun)
		v.Topology = s.topology(v, byVariant[v.Name])
		s.setTime(v, byVariant[v.Name])
	}
}

// setTime attributes the response time where a variant's line ends, and that of its tail, and predicts
// what would shorten it.
func (s *subject) setTime(v *Variant, trials []*result.Trial) {
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	if r == nil {
		return
	}
	d := diagnose.Diagnose(v.Rungs, v.LoadLine, r)
	v.Time = d.Time
	groups := trial.ByRung(trials)
	at := slices.IndexFunc(groups, func(g trial.Group) bool { return g.Instances == r.Instances })
	if at < 0 {
		return
	}
	passed := s.WholeOf(groups[at].Passed)
	if o := brokenTail(r); o != nil && d.Kind != diagnose.Failing {
		v.Tail = tail.Of(s.Evidence, passed, o.Metric)
	}
	if d.Cause().Component != "" && !s.OpenLoop(v.Name) {
		users, think := s.Users(v.Name)
		v.Predictions = whatif.Predict(s.Evidence, passed, r, d.Time, whatif.Load{Users: users * r.Worked(), Think: think})
	}
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
	rungs := make([]rung.Rung, 0, len(groups))
	for _, g := range groups {
		rungs = append(rungs, rung.Measure(e, g))
	}
	rung.SetIntervals(e, rungs, groups)
	l := loadline.Find(rungs, groups, e.Study.Objectives)
	say.SetLineWords(&l, rungs, noun)
	return rungs, l
}

// resourcesOf collects the resources of each rung.
func resourcesOf(rungs []rung.Rung) [][]resource.Resource {
	all := make([][]resource.Resource, len(rungs))
	for i, r := range rungs {
		all[i] = r.Resources
	}
	return all
}

// ladderOf are the rungs as package sharing sees them.
func (s *subject) ladderOf(rungs []rung.Rung, trials []*result.Trial) []resource.Rung {
	all := make([]resource.Rung, len(rungs))
	for i, g := range trial.ByRung(trials) {
		all[i] = resource.Rung{Resources: rungs[i].Resources, UnitsPerSecond: rungs[i].UnitsPerSecond, Passed: s.WholeOf(g.Passed)}
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
