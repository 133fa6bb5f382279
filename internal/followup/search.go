package followup

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/words"
)

// Searcher decides which trial of one variant to run next, in search of its
// load line (ladder: auto). It holds no state: the same results always give
// the same step, so that a search can be resumed.
//
// It doubles the count from Ladder.From until an objective breaks, halves the
// distance between the last count that kept them and the first that did not
// until that is at most Ladder.Precision, and then repeats the trials on both
// sides of the line, at least three times and while their judgement could still
// turn. It stops there, at Ladder.To, or when Ladder.Budget trials are spent; the
// halving ends early enough to leave the trials for both sides.
type Searcher struct {
	Ladder     study.Ladder
	Objectives []study.Objective
	// Repetitions is how many trials the rungs on both sides of the line get
	// at least, budget permitting; never fewer than leastRepetitions.
	Repetitions int
}

// Step is the next trial of a search, or why there is none.
type Step struct {
	Rung       int    `json:"rung"`
	Repetition int    `json:"repetition"`
	Done       bool   `json:"done"`
	Why        string `json:"why"` // for the progress line
}

// uncertainty is the relative error expected of a metric of one trial before any
// is known. The rungs beside the line are measured at least leastRepetitions
// times, because their noise decides how sure the line is, and at most
// mostRepetitions.
const (
	uncertainty      = 0.1
	leastRepetitions = 3
	mostRepetitions  = 5
)

// NewSearcher takes the search from a study.
func NewSearcher(s *study.Study) Searcher {
	l := s.Ladder
	l.From, l.Precision = max(l.From, 1), max(l.Precision, 1)
	if l.To < l.From {
		l.To = math.MaxInt32
	}
	return Searcher{Ladder: l, Objectives: s.Objectives, Repetitions: min(max(s.Repetitions, leastRepetitions), mostRepetitions)}
}

// Next decides from the variant's trials so far.
func (s Searcher) Next(trials []*result.Trial) Step {
	return s.next([]application{{s.Objectives, 1, trials}})
}

// application is one of a tile with its trials so far, each of so many instances for every
// tile.
type application struct {
	objectives []study.Objective
	weight     int
	trials     []*result.Trial
}

// next decides from the trials of all applications of a variant.
func (s Searcher) next(all []application) Step {
	spent, objectives := 0, 0
	for i := range all {
		all[i].trials, _ = trust.Sound(all[i].trials)
		spent, objectives = max(spent, len(all[i].trials)), objectives+len(all[i].objectives)
	}
	if objectives == 0 {
		return done("the study sets no objective, so there is no load line to search for")
	}
	if s.Ladder.Budget > 0 && spent >= s.Ladder.Budget {
		return done(fmt.Sprintf("the budget of %s is spent", words.Count(s.Ladder.Budget, "trial")))
	}
	rungs := judged(all)
	if len(rungs) == 0 {
		return Step{Rung: s.Ladder.From, Repetition: 1, Why: "the first rung"}
	}
	low, high := bracket(rungs)
	switch {
	case high == nil && low.instances >= s.Ladder.To:
		return s.confirm(low, nil, fmt.Sprintf("every objective is met up to %d, the ladder's maximum", s.Ladder.To))
	case high == nil:
		return Step{Rung: min(2*low.instances, s.Ladder.To), Repetition: 1, Why: fmt.Sprintf("%d met the objectives: double it", low.instances)}
	}
	return s.narrow(low, high, spent)
}

// narrow halves the bracket, or confirms it once it is narrow enough. low is
// nil when no count has kept the objectives yet.
func (s Searcher) narrow(low, high *judgedRung, spent int) Step {
	from := 0
	if low != nil {
		from = low.instances
	}
	if high.instances-from > s.Ladder.Precision && high.instances-from > 1 && s.affords(spent) {
		return Step{Rung: from + (high.instances-from)/2, Repetition: 1, Why: fmt.Sprintf("%d met the objectives and %d did not: try a rung in between", from, high.instances)}
	}
	if low == nil {
		return s.confirm(high, nil, fmt.Sprintf("not even %d meets the objectives", high.instances))
	}
	return s.confirm(low, high, fmt.Sprintf("the load line is between %d and %d", low.instances, high.instances))
}

// affords says whether the budget has a trial to spare beyond what the rungs on
// both sides of the line need, and one more, because a judgement that turns moves
// the line to the next rung.
func (s Searcher) affords(spent int) bool {
	return s.Ladder.Budget <= 0 || s.Ladder.Budget-spent > 3*(s.Repetitions-1)
}

// confirm repeats the rungs that decide, the less certain one first, until
// both are settled.
func (s Searcher) confirm(a, b *judgedRung, found string) Step {
	var pick *judgedRung
	for _, r := range []*judgedRung{a, b} {
		if r != nil && r.needsMore(s.Repetitions) && (pick == nil || r.margin < pick.margin) {
			pick = r
		}
	}
	if pick == nil {
		return done(found)
	}
	return Step{Rung: pick.instances, Repetition: pick.trials + 1, Why: found + fmt.Sprintf("; repeat %d to be sure", pick.instances)}
}

func done(why string) Step { return Step{Done: true, Why: why} }

// judgedRung is a rung with how far its judgement is from turning.
type judgedRung struct {
	instances int
	trials    int
	kept      bool
	// margin is the distance of the closest metric from its limit, relative
	// and in units of what repetitions may still change; below 1 the
	// judgement could turn.
	margin float64
}

func (r judgedRung) needsMore(repetitions int) bool {
	return r.trials < min(repetitions, mostRepetitions) || (r.margin < 1 && r.trials < mostRepetitions)
}

// judged gives the rungs, the smallest first: one is kept when every application keeps its
// objectives, and as uncertain as the most uncertain of them.
func judged(all []application) (out []judgedRung) {
	for _, a := range all {
		e := &trust.Evidence{Run: &result.Run{Trials: a.trials}, Study: &study.Study{Objectives: a.objectives}}
		for _, g := range trial.ByRung(a.trials) {
			r := rung.Measure(e, g)
			one := judgedRung{
				instances: g.Instances / a.weight, trials: len(g.Passed) + len(g.Failed), kept: r.Kept,
				margin: a.margin(r, g),
			}
			at, known := slices.BinarySearchFunc(out, one, func(x, y judgedRung) int { return cmp.Compare(x.instances, y.instances) })
			if !known {
				out = slices.Insert(out, at, one)
				continue
			}
			out[at].add(one)
		}
	}
	return out
}

// add adds what came of another application at the same rung.
func (r *judgedRung) add(other judgedRung) {
	r.trials = max(r.trials, other.trials)
	switch {
	case r.kept == other.kept:
		r.margin = min(r.margin, other.margin)
	case !other.kept:
		r.kept, r.margin = false, other.margin
	}
}

// margin compares each objective's distance from its limit, in logarithms,
// with the uncertainty that the repetitions leave. A rung of failed trials
// alone is certain after the second.
func (s application) margin(r rung.Rung, g trial.Group) float64 {
	if len(g.Passed) == 0 {
		return float64(len(g.Failed)) / 2
	}
	if len(g.Passed) == len(g.Failed) {
		return 0
	}
	least := math.Inf(1)
	for i, o := range s.objectives {
		value, limit := r.Objectives[i].Value, r.Objectives[i].Limit
		if value <= 0 || limit <= 0 {
			continue // no error at all, or none allowed: nothing close to turn
		}
		distance := math.Abs(math.Log(value / limit))
		if m := distance / doubtOf(o, g.Passed); r.Objectives[i].Kept == r.Kept {
			least = min(least, m)
		}
	}
	return least
}

// doubtOf is the relative error expected of the rung's value of a metric:
// what one trial is expected to be off by, or half the spread that was seen if
// that is more, over the square root of the number of trials.
func doubtOf(o study.Objective, passed []*result.Trial) float64 {
	var values []float64
	for _, t := range passed {
		if v, ok := trial.ObjectiveValue(o, t); ok {
			values = append(values, v)
		}
	}
	seen := stats.FiniteOnly(values)
	spread := uncertainty
	if n := len(seen); n > 1 && seen[0] > 0 {
		spread = max(spread/2, math.Log(seen[n-1]/seen[0])/2)
	}
	return spread / math.Sqrt(float64(max(len(passed), 1)))
}

// bracket is the largest rung before the first that broke an objective, and
// that one; low is nil when the smallest broke it, high when none did.
func bracket(rungs []judgedRung) (low, high *judgedRung) {
	for i := range rungs {
		if !rungs[i].kept {
			return low, &rungs[i]
		}
		low = &rungs[i]
	}
	return low, nil
}

// AtMost is the most trials that the search of one variant can take: the
// doublings, the halvings of the last step, and the repetitions at both ends.
func (s Searcher) AtMost() int {
	doublings, last := 1, s.Ladder.From
	for last < s.Ladder.To {
		doublings, last = doublings+1, min(2*last, s.Ladder.To)
	}
	halvings := 0
	for width := last / 2; width > s.Ladder.Precision; width = (width + 1) / 2 {
		halvings++
	}
	most := doublings + halvings + 2*(mostRepetitions-1)
	if s.Ladder.Budget > 0 {
		most = min(most, s.Ladder.Budget)
	}
	return most
}

// nextOf gives the next step of each variant whose search is not done, and how many trials
// it has.
func nextOf(p *plan.Plan, run *result.Run) (steps map[string]Step, done map[string]int) {
	searcher, members := NewSearcher(p.Study), run.Tile()
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
			of := application{one.Objectives, weight, nil}
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
// variants in turn, or nil when the ladder is a list.
func Search(p *plan.Plan) Chooser {
	if !p.Study.Ladder.Auto {
		return nil
	}
	return func(run *result.Run) (plan.Trial, string, bool) {
		steps, done := nextOf(p, run)
		next := ""
		for _, v := range p.Variants {
			if _, wanted := steps[v.Name]; wanted && (next == "" || done[v.Name] < done[next]) {
				next = v.Name
			}
		}
		if next == "" {
			return plan.Trial{}, "the search for the load line is finished", false
		}
		step := steps[next]
		return p.Append(next, step.Rung, step.Repetition), fmt.Sprintf("%s: %s", next, step.Why), true
	}
}
