package followup

import (
	"fmt"
	"math"

	"plimsoll/internal/analysis"
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

// NextTrials gives the next step of each variant whose search is not done, so
// that the variants can be run in turn.
func NextTrials(s *study.Study, variants []study.Variant, trials []*result.Trial) map[string]Step {
	searcher := NewSearcher(s)
	byVariant := map[string][]*result.Trial{}
	for _, t := range trials {
		byVariant[t.Variant.Name] = append(byVariant[t.Variant.Name], t)
	}
	steps := map[string]Step{}
	for _, v := range variants {
		if step := searcher.Next(byVariant[v.Name]); !step.Done {
			steps[v.Name] = step
		}
	}
	return steps
}

// Next decides from the variant's trials so far.
func (s Searcher) Next(trials []*result.Trial) Step {
	trials, _ = trust.Sound(trials)
	if len(s.Objectives) == 0 {
		return done("the study sets no objective, so there is no load line to search for")
	}
	if s.Ladder.Budget > 0 && len(trials) >= s.Ladder.Budget {
		return done(fmt.Sprintf("the budget of %s is spent", words.Count(s.Ladder.Budget, "trial")))
	}
	rungs := s.judged(trials)
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
	return s.narrow(low, high, len(trials))
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

// judged gives the rungs, the smallest first.
func (s Searcher) judged(trials []*result.Trial) []judgedRung {
	e := &trust.Evidence{Run: &result.Run{Trials: trials}, Study: &study.Study{Objectives: s.Objectives}}
	var out []judgedRung
	for _, g := range trial.ByRung(trials) {
		r := analysis.Measure(e, g)
		out = append(out, judgedRung{
			instances: g.Instances, trials: len(g.Passed) + len(g.Failed), kept: r.Kept,
			margin: s.margin(r, g),
		})
	}
	return out
}

// margin compares each objective's distance from its limit, in logarithms,
// with the uncertainty that the repetitions leave. A rung of failed trials
// alone is certain after the second.
func (s Searcher) margin(r analysis.Rung, g trial.Group) float64 {
	if len(g.Passed) == 0 {
		return float64(len(g.Failed)) / 2
	}
	if len(g.Passed) == len(g.Failed) {
		return 0
	}
	least := math.Inf(1)
	for i, o := range s.Objectives {
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

// Search gives the trials that a ladder of its own choosing asks for, the
// variants in turn, or nil when the ladder is a list.
func Search(p *plan.Plan) Chooser {
	if !p.Study.Ladder.Auto {
		return nil
	}
	return func(run *result.Run) (plan.Trial, string, bool) {
		trials := trust.Counting(run)
		steps := NextTrials(p.Study, p.Variants, trials)
		done := map[string]int{}
		for _, t := range trials {
			done[t.Variant.Name]++
		}
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
