package next

import (
	"cmp"
	"math"
	"slices"
	"time"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/tilescore"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/words"
)

// Searcher decides which trial of one variant to run next, in search of its
// load line (ladder: auto), by what package search makes of the trials so far. It holds no
// state: the same results always give the same step, so that a search can be resumed.
type Searcher struct {
	Ladder     study.Ladder
	Objectives []study.Objective
	// Repetitions is how many trials the rungs on both sides of the line get
	// at least, budget permitting.
	Repetitions int
	// Cores is the number of cores of the machine; 0 if unknown.
	Cores float64
}

// NewSearcher takes the search from a study.
func NewSearcher(s *study.Study) Searcher {
	l := s.Ladder
	l.From = max(l.From, 1)
	if l.To < l.From {
		l.To = math.MaxInt32
	}
	repetitions := max(s.Repetitions, 1)
	if !l.Climbs() {
		repetitions = min(repetitions, MostRepetitions)
	}
	return Searcher{Ladder: l, Objectives: s.Objectives, Repetitions: repetitions}
}

// Next decides from the variant's trials so far.
func (s Searcher) Next(trials []*result.Trial) Step {
	return s.next([]application{{objectives: s.Objectives, weight: 1, trials: trials}})
}

// application is one of a tile with its trials so far, each of so many instances for every
// tile.
type application struct {
	objectives []study.Objective
	weight     int
	trials     []*result.Trial
	// whole reads a trial with the results of its instances. published is the reference
	// throughput of the score. Only a climbed ladder needs them.
	whole     func(*result.Trial) *result.Trial
	published float64
}

// next decides from the trials of all applications of a variant.
func (s Searcher) next(all []application) Step {
	objectives := 0
	for i := range all {
		all[i].trials, _ = trust.Sound(all[i].trials)
		objectives += len(all[i].objectives)
	}
	if objectives == 0 {
		return Step{Done: true, Why: say.F("the study sets no objective, so there is no load line to search for")}
	}
	q := Query{
		Rungs: s.Ladder.Rungs, From: s.Ladder.From, To: s.Ladder.To, Precision: s.Ladder.Precision, Budget: s.Ladder.Budget,
		Repetitions: s.Repetitions, Load: loadOf(all),
	}
	asked := s.measured(all)
	if s.Ladder.Climbs() {
		setScores(asked, all)
	}
	return q.Next(asked)
}

// wholly reads trials of a run; what cannot be read is as much as is known of it.
func wholly(run *result.Run) func(*result.Trial) *result.Trial {
	return func(t *result.Trial) *result.Trial {
		if whole, err := run.Whole(t); err == nil {
			return whole
		}
		return t
	}
}

// setScores gives the rungs their scores.
func setScores(asked []Rung, all []application) {
	members := make([]tilescore.Member, len(all))
	for i, a := range all {
		members[i] = tilescore.Member{Weight: a.weight, Published: a.published}
		for _, t := range a.trials {
			if t.Status == result.Passed && a.whole != nil {
				members[i].Trials = append(members[i].Trials, a.whole(t))
			}
		}
	}
	scored, _ := tilescore.Of(members)
	for _, r := range scored {
		if at := slices.IndexFunc(asked, func(a Rung) bool { return a.Rung == r.Tiles }); at >= 0 {
			asked[at].Score = stats.MedianOf(r.Scores)
		}
	}
}

// loadOf is the load of the one application's users.
func loadOf(all []application) Load {
	if len(all) != 1 || len(all[0].trials) == 0 {
		return Load{}
	}
	t := all[0].trials[0]
	return Load{
		Users: float64(t.Variant.Load.Users), Think: t.Variant.Load.ThinkTime.D().Seconds(),
		Open: t.Scheduled(),
	}
}

// measured lists the rungs in the order in which they were first measured. A rung is met if
// every application meets its objectives, and has the figures of the application with the
// least margin.
func (s Searcher) measured(all []application) (out []Rung) {
	first := map[int]int{}
	for _, a := range all {
		e := &trust.Evidence{Run: &result.Run{Trials: a.trials}, Study: &study.Study{Application: study.Application{Objectives: a.objectives}}, Cores: s.Cores}
		groups := trial.ByRung(a.trials)
		for i, r := range rung.MeasureAll(e, groups) {
			g := groups[i]
			one := a.rung(r, g)
			if len(all) > 1 {
				one.Mean, one.Stations = 0, nil // the demands of one application do not tell how the others grow
			}
			at := slices.IndexFunc(out, func(r Rung) bool { return r.Rung == one.Rung })
			if at < 0 {
				out = append(out, one)
				first[one.Rung] = positionOf(g)
				continue
			}
			out[at] = worse(out[at], one)
		}
	}
	slices.SortStableFunc(out, func(a, b Rung) int {
		return cmp.Or(cmp.Compare(first[a.Rung], first[b.Rung]), cmp.Compare(a.Rung, b.Rung))
	})
	return out
}

// positionOf is the position of a rung's first trial in the campaign.
func positionOf(g trial.Group) int {
	first := math.MaxInt
	for _, t := range slices.Concat(g.Passed, g.Failed) {
		first = min(first, t.Position)
	}
	return first
}

// worse is the application of two that decides at a rung.
func worse(a, b Rung) Rung {
	if b.Met == a.Met && b.Excess > a.Excess || !b.Met && (a.Met || math.IsNaN(b.Excess)) {
		a, b = b, a
	}
	a.Trials = max(a.Trials, b.Trials)
	return a
}

// rung sums up one rung of an application.
func (a application) rung(r rung.Rung, g trial.Group) Rung {
	out := Rung{
		Rung: g.Instances / a.weight, Trials: len(g.Passed) + len(g.Failed), Met: r.Kept,
		Throughput: r.UnitsPerSecond, Mean: r.Mean.Value, Stations: stationsOf(r.Resources),
	}
	out.Excess, out.Squares = a.excess(r, g)
	return out
}

// stationsOf are the resources that a unit of work queues for.
func stationsOf(all []resource.Resource) (out []Station) {
	for _, r := range all {
		if r.Demand > 0 && r.IsStation() {
			out = append(out, Station{Servers: float64(r.Parallel()), Utilisation: r.Utilisation})
		}
	}
	return out
}

// Bounds of the excess: a figure tells no more where it is this far from its limit, and
// what breaks a rung besides the objectives counts as an excess that does not turn.
const (
	farthest = 5.0
	broken   = 0.5
)

// excess is ln(value/limit) of the objective that decides, and the sum of the squared
// deviations of the trials from their mean.
func (a application) excess(r rung.Rung, g trial.Group) (excess, squares float64) {
	switch {
	case len(g.Passed) == 0:
		return math.NaN(), 0
	case len(g.Passed) == len(g.Failed):
		return 0, 0
	}
	excess = -farthest
	for i, o := range a.objectives {
		value, limit := r.Objectives[i].Value, r.Objectives[i].Limit
		if value <= 0 || limit <= 0 {
			continue // no error at all, or none allowed: nothing close to turn
		}
		if x := math.Log(value / limit); x > excess {
			excess, squares = min(x, farthest), squaresOf(o, g.Passed)
		}
	}
	switch {
	case !r.Kept && excess <= 0:
		excess, squares = broken, 0
	case r.Kept:
		excess = min(excess, 0)
	}
	return excess, squares
}

// squaresOf is the sum of squared deviations of ln of a metric.
func squaresOf(o study.Objective, passed []*result.Trial) (sum float64) {
	var logs []float64
	for _, t := range passed {
		if v, ok := trial.ObjectiveValue(o, t); ok && v > 0 {
			logs = append(logs, math.Log(v))
		}
	}
	logs = stats.FiniteOnly(logs)
	for _, x := range logs {
		sum += (x - stats.Mean(logs)) * (x - stats.Mean(logs))
	}
	return sum
}

// nextOf gives the next step of each variant whose search is not done, and how many trials
// it has.
func nextOf(p *plan.Plan, run *result.Run) (steps map[string]Step, done map[string]int) {
	searcher, members := NewSearcher(p.Study), run.Members()
	if run.Machine != nil {
		searcher.Cores = float64(max(run.Machine.Cores, 0))
	}
	counting := make([][]*result.Trial, len(members))
	for i, m := range members {
		counting[i] = trust.Counting(m)
	}
	steps, done = map[string]Step{}, map[string]int{}
	for _, v := range p.Variants {
		var all []application
		for i, one := range p.Study.Tile() {
			name := v.Tile()[i].Title()
			_, weight := one.Member()
			of := application{objectives: one.Objectives, weight: weight, whole: wholly(members[i]), published: one.ReferenceThroughput()}
			for _, t := range counting[i] {
				if t.Variant.Name == name {
					of.trials = append(of.trials, t)
				}
			}
			all = append(all, of)
			done[v.Name] = max(done[v.Name], len(of.trials))
		}
		if step := searcher.next(all); !step.Done {
			steps[v.Name] = step
		}
	}
	return steps, done
}

// Search gives the trials that a ladder of its own choosing asks for, the
// variants in turn, or nil when the ladder is a list. It ends when no further trial is done within
// the plan's time.
func Search(p *plan.Plan) Chooser {
	if !p.Study.Ladder.Auto {
		return nil
	}
	return func(run *result.Run) (plan.Trial, string, bool) {
		catchUp(p, run)
		steps, done := nextOf(p, run)
		if len(steps) == 0 {
			return plan.Trial{}, say.F("the search for the load line is finished"), false
		}
		next, left := "", left(p, run)
		for _, v := range p.Variants {
			step, wanted := steps[v.Name]
			if !wanted || p.Within > 0 && p.Cost(v.Name, step.Rung) > left {
				continue
			}
			if next == "" || done[v.Name] < done[next] {
				next = v.Name
			}
		}
		if next == "" {
			return plan.Trial{}, say.F("the search for the load line ends with its time of %s: no further trial would end in it", words.Span(p.Within)), false
		}
		step := steps[next]
		return p.Append(next, step.Rung, step.Repetition), next + ": " + step.Why, true
	}
}

// catchUp plans the trials that a resumed run has measured beyond its plan, so that the
// next trials get the places that they would have had.
func catchUp(p *plan.Plan, run *result.Run) {
	planned := map[string]bool{}
	for _, t := range p.Trials {
		planned[t.ID] = true
	}
	var beyond []*result.Trial
	for _, t := range run.Tiles() {
		if t.Attempt < 2 && !planned[t.ID] {
			beyond = append(beyond, t)
		}
	}
	slices.SortFunc(beyond, func(a, b *result.Trial) int { return cmp.Compare(a.Position, b.Position) })
	for _, t := range beyond {
		p.Append(t.Variant.Name, t.Rung, t.Repetition)
	}
}

// left is a run's remaining time, converted to the plan's estimates by the ratio of
// estimated to actual time so far.
func left(p *plan.Plan, run *result.Run) time.Duration {
	spent, estimated := time.Duration(0), time.Duration(0)
	for _, t := range run.Tiles() {
		if took := t.Ended.Sub(t.Begun); took > 0 {
			spent, estimated = spent+took, estimated+p.Takes(t.Variant.Name, t.Rung, t.Alone)
		}
	}
	left := p.Within - p.Preparing() - spent
	if spent <= 0 || estimated <= 0 || left <= 0 {
		return left
	}
	return time.Duration(float64(left) * float64(estimated) / float64(spent))
}
