// This file chooses the rungs of a search for a load line. From the measurements at each
// rung it computes the next one to measure. It has no state, so that the same measurements
// always give the same step.

package next

import (
	"math"
	"plimsoll/internal/analysis/say"
	"slices"
)

// Rung holds the results of one rung, over its trials.
type Rung struct {
	Rung   int
	Trials int  // failed ones included
	Met    bool // every objective
	// Excess is ln(value/limit) of the objective that is closest to its limit or
	// furthest beyond it: negative while it is kept. NaN where no trial passed.
	Excess float64
	// Squares is the sum of squared deviations of the trials' excess from its mean.
	Squares float64
	// Score is the rung's total, to climb by; 0 is not known.
	Score      float64
	Throughput float64 // units of work per second, of all users
	Mean       float64 // response time in seconds
	Stations   []Station
}

// Station is a resource that serves requests.
type Station struct {
	Servers     float64 // how many it serves at once
	Utilisation float64 // of all servers, 0..1
}

// Query describes a search for a load line.
type Query struct {
	// Rungs are climbed in order, in place of a search, each Repetitions times.
	Rungs    []int
	From, To int
	// Precision is how wide the bracket may stay; 0 is a tenth of the line, but at
	// least 1.
	Precision int
	Budget    int // of trials; 0 is no limit
	// Repetitions is how many trials the rungs on both sides of the line get at least.
	Repetitions int
	Load        Load
}

// Load is the load of the users at one rung of the ladder.
type Load struct {
	Users float64 // for each count of the rung
	Think float64 // s, between units of work
	// Open reports that work arrives at a rate of its own.
	Open bool
}

// Step is the next trial of a search, or why there is none.
type Step struct {
	Rung       int    `json:"rung"`
	Repetition int    `json:"repetition"`
	Done       bool   `json:"done"`
	Why        string `json:"why"` // for the progress line
}

// MostRepetitions is how often a rung is measured at most.
const MostRepetitions = 5

// relative is the width of a bracket that is narrow enough, as a share of the line,
// where the study does not say how narrow it must be.
const relative = 0.1

// Next decides from the rungs that were measured, in the order in which they were
// measured first.
func (q Query) Next(asked []Rung) Step {
	spent := 0
	for _, r := range asked {
		spent += r.Trials
	}
	if q.Budget > 0 && spent >= q.Budget {
		return done(say.F("the budget of %s is spent", say.Count(q.Budget, "trial")))
	}
	if len(q.Rungs) > 0 {
		return q.climb(asked)
	}
	if len(asked) == 0 {
		return Step{Rung: q.From, Repetition: 1, Why: say.F("the first rung")}
	}
	low, high := Bracket(asked)
	switch {
	case high == nil && low.Rung >= q.To:
		return q.confirm(asked, low, nil, say.F("every objective is met up to %d, the ladder's maximum", q.To))
	case high == nil:
		return q.above(asked, low)
	case low == nil && high.Rung <= 1:
		return q.confirm(asked, nil, high, say.F("not even %d meets the objectives", high.Rung))
	case high.Rung-rungOf(low) <= q.width(rungOf(low)):
		return q.confirm(asked, low, high, say.F("the load line is between %d and %d", rungOf(low), high.Rung))
	}
	return q.between(asked, low, high)
}

// Bracket is the largest rung before the first that broke an objective, and that one;
// low is nil when the smallest broke it, high when none did.
func Bracket(asked []Rung) (low, high *Rung) {
	sorted := slices.Clone(asked)
	slices.SortStableFunc(sorted, func(a, b Rung) int { return a.Rung - b.Rung })
	for i := range sorted {
		if !sorted[i].Met {
			return low, &sorted[i]
		}
		low = &sorted[i]
	}
	return low, nil
}

func rungOf(r *Rung) int {
	if r == nil {
		return 0
	}
	return r.Rung
}

// width is how wide a bracket around a line may stay.
func (q Query) width(line int) int {
	if q.Precision > 0 {
		return q.Precision
	}
	return max(1, int(relative*float64(line)))
}

// furthest is how many times the largest rung that met the objectives may be
// exceeded by the next: a prediction that is wrong must not start hundreds of
// instances on a machine that carries two.
const furthest = 32

// above asks beyond the largest rung while all met the objectives: where the line is
// predicted or, where the line was found to be near, as far beyond as the bracket may be wide.
func (q Query) above(asked []Rung, low *Rung) Step {
	top := q.To
	if low.Rung < top/furthest {
		top = low.Rung * furthest
	}
	line := q.line(asked, float64(low.Rung), float64(top))
	next := q.end(line)
	if width := q.width(low.Rung); float64(low.Rung+width) > line {
		next = low.Rung + width
	}
	if len(asked) > 2 { // the prediction was too low twice
		next = max(next, low.Rung+low.Rung/2)
	}
	next = min(max(next, low.Rung+1), top)
	return Step{Rung: next, Repetition: 1, Why: say.F("%d met the objectives, and the line is predicted at %d", low.Rung, int(line))}
}

// between asks within the bracket.
func (q Query) between(asked []Rung, low, high *Rung) Step {
	from := rungOf(low)
	why := say.F("%d met the objectives and %d did not", from, high.Rung)
	if low == nil {
		why = say.F("%d did not meet the objectives", high.Rung)
	}
	if slow(asked) {
		return Step{Rung: middle(from, high.Rung), Repetition: 1, Why: say.F("%s: try a rung in between", why)}
	}
	line := q.line(asked, float64(max(from, 1)), float64(high.Rung))
	next := q.end(line)
	switch width := q.width(from); {
	case low != nil && float64(from+width) > line:
		next = from + width
	case float64(high.Rung-width) <= line:
		next = high.Rung - width
	}
	next = min(max(next, from+1), high.Rung-1)
	return Step{Rung: next, Repetition: 1, Why: say.F("%s, and the line is predicted at %d", why, int(line))}
}

// end is the lower end of a bracket with the line in its middle.
func (q Query) end(line float64) int {
	width := q.width(int(line))
	return int(line - float64(width-1)/2)
}

// middle is the middle of a bracket, the geometric one if it spans a factor of more than
// four.
func middle(low, high int) int {
	if low > 0 && high > 4*low {
		return int(math.Sqrt(float64(low) * float64(high)))
	}
	return low + (high-low)/2
}

// slow reports whether neither of the last two rungs halved the bracket, so
// that the predictions lead nowhere.
func slow(asked []Rung) bool {
	if len(asked) < 4 {
		return false
	}
	return slowStep(asked) && slowStep(asked[:len(asked)-1])
}

func slowStep(asked []Rung) bool {
	before, beforeHigh := Bracket(asked[:len(asked)-1])
	after, afterHigh := Bracket(asked)
	if beforeHigh == nil || afterHigh == nil {
		return false
	}
	return 2*(afterHigh.Rung-rungOf(after)) > beforeHigh.Rung-rungOf(before)
}

// confirm repeats the rungs that decide, the less certain one first, until both are
// settled.
func (q Query) confirm(asked []Rung, a, b *Rung, found string) Step {
	noise := noiseOf(asked)
	var pick *Rung
	for _, r := range []*Rung{a, b} {
		if r != nil && r.needsMore(q.Repetitions, noise) && (pick == nil || r.margin(noise) < pick.margin(noise)) {
			pick = r
		}
	}
	if pick == nil {
		return done(found)
	}
	return Step{Rung: pick.Rung, Repetition: pick.Trials + 1, Why: found + say.F("; repeat %d to be sure", pick.Rung)}
}

func done(why string) Step { return Step{Done: true, Why: why} }

func (r Rung) needsMore(repetitions int, noise float64) bool {
	return r.Trials < min(repetitions, MostRepetitions) || (r.margin(noise) < settled && r.Trials < MostRepetitions)
}

// margin is how far the judgement is from turning, in standard errors of the excess.
// A rung of failed trials alone is certain after the second.
func (r Rung) margin(noise float64) float64 {
	if math.IsNaN(r.Excess) {
		return float64(r.Trials) / 2
	}
	return math.Abs(r.Excess) / noise * math.Sqrt(float64(max(r.Trials, 1)))
}

// The prior for the noise before any rung was repeated: its relative standard deviation,
// and the degrees of freedom that it counts as.
const (
	assumed       = 0.07
	assumedWeight = 1
)

// settled is the margin from which a judgement stands.
const settled = 1.5

// noiseOf is the relative standard deviation of one trial's metric.
func noiseOf(asked []Rung) float64 {
	squares, freedom := assumedWeight*assumed*assumed, 1.0*assumedWeight
	for _, r := range asked {
		if r.Trials > 1 && !math.IsNaN(r.Squares) {
			squares, freedom = squares+r.Squares, freedom+float64(r.Trials-1)
		}
	}
	return math.Sqrt(squares / freedom)
}
