// Package loadline finds the most instances that keep the objectives: it takes rungs that were
// measured and gives the line between them, its interval, and what breaks above it.
package loadline

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/study"
)

// Find finds the largest count that keeps every objective.
//
// It is monotone-safe: the line never lies above the first rung that failed,
// and a rung that passes above one that failed makes it unstable. Between the
// last rung a that kept the objectives and the next rung b that did not, each
// metric is taken to grow as a power of the count (a straight line in
// logarithms): n = a * (b/a)^((ln L - ln va) / (ln vb - ln va)) for the limit
// L. The metric that reaches its limit first decides.
func Find(rungs []rung.Rung, groups []trial.Group, objectives []study.Objective) LoadLine {
	if len(rungs) == 0 {
		return LoadLine{Why: NoTrial, Unmeasured: true}
	}
	if len(objectives) == 0 {
		return lineWithoutObjectives(rungs)
	}
	last := lastKept(rungs)
	l := LoadLine{Unstable: keptAbove(rungs, last), Unmeasured: unmeasured(rungs)}
	if last >= 0 {
		l.Rung, l.Ran = rungs[last].Instances, rungs[last].Ran
	}
	if last == len(rungs)-1 {
		l.Open = true
	} else {
		l.Next = rungs[last+1].Instances
		l.Why, l.Missed = brokenFirst(rungs, last)
	}
	l.Count, l.Likely = lineBounds(rungs, groups, objectives, l, shown), lineBounds(rungs, groups, objectives, l, likely)
	l.Count.Value = pointCount(rungs, last)
	return l
}

// unmeasured reports whether no trial passed and none failed for its load.
func unmeasured(rungs []rung.Rung) bool {
	return !slices.ContainsFunc(rungs, func(r rung.Rung) bool { return rung.Measured(r) || r.Break.Any() })
}

// lineWithoutObjectives reports where the throughput peaked: without a limit
// every rung that passed is kept.
func lineWithoutObjectives(rungs []rung.Rung) LoadLine {
	best := rung.Best(rungs, rung.Measured)
	if best < 0 {
		return LoadLine{Why: EveryTrialFailed, Unmeasured: true}
	}
	r := &rungs[best]
	return LoadLine{Rung: r.Instances, Ran: r.Ran, Count: stats.Exactly(float64(r.Worked())), Open: true, Why: NoObjective}
}

// lastKept is the index of the last rung before the first that failed, -1
// when the smallest failed.
func lastKept(rungs []rung.Rung) int {
	for i, r := range rungs {
		if !r.Kept {
			return i - 1
		}
	}
	return len(rungs) - 1
}

func keptAbove(rungs []rung.Rung, last int) bool {
	for i := last + 2; i < len(rungs); i++ {
		if rungs[i].Kept {
			return true
		}
	}
	return false
}

// brokenFirst finds what broke at the rung above the line: the objective
// that is crossed at the smallest count, or why the trials failed.
func brokenFirst(rungs []rung.Rung, last int) (why Reason, missed int) {
	next := rungs[last+1]
	if next.Repetitions == 0 {
		return EveryTrialFailed, 0
	}
	at := math.Inf(1)
	for i, o := range next.Objectives {
		if o.Kept {
			continue
		}
		n := crossing(rungs, last, i)
		if o.Metric == study.Decline { // which shows at the next rung, and not where it began: others are said first
			n = float64(next.Instances)
		}
		if n < at || why != ObjectiveMissed {
			why, missed, at = ObjectiveMissed, i, n
		}
	}
	switch {
	case why == ObjectiveMissed:
		return why, missed
	case next.Break.Any():
		return RungBroke, 0
	}
	return TrialsFailed, 0
}

// pointCount is the whole number of instances at the line.
func pointCount(rungs []rung.Rung, last int) float64 {
	if last < 0 {
		return 0
	}
	low := float64(rungs[last].Worked())
	if last == len(rungs)-1 {
		return low
	}
	next := rungs[last+1]
	if next.Repetitions == 0 || next.Failed >= next.Repetitions {
		return low // nothing measured above to interpolate towards
	}
	at := math.Inf(1)
	for i, o := range next.Objectives {
		if o.Unknown {
			return low
		}
		at = min(at, crossing(rungs, last, i))
	}
	if math.IsInf(at, 1) {
		return low
	}
	return math.Floor(at + 1e-9)
}

// crossing is where objective i reaches its limit between the line's rungs.
func crossing(rungs []rung.Rung, last, i int) float64 {
	if last < 0 {
		return 0
	}
	o := rungs[last+1].Objectives[i]
	low := float64(rungs[last].Worked())
	return interpolate(low, max(low, float64(rungs[last+1].Worked())),
		rungs[last].Objectives[i].Value, o.Value, o.Limit)
}

// Reached is the count at which the first of the objectives reaches its limit above the rung
// of a line, and the place of that objective; -1 where none of them is missed there.
func Reached(rungs []rung.Rung, l LoadLine) (count float64, objective int) {
	if l.Why != ObjectiveMissed {
		return 0, -1
	}
	last := lastKept(rungs)
	if count = crossing(rungs, last, l.Missed); math.IsInf(count, 1) { // an instance misses what all keep together
		count = float64(l.Next)
	}
	return count, l.Missed
}

// interpolate finds the count between a and b at which a metric that is va at
// a and vb at b reaches the limit: along a power law, or along a straight line
// where the metric is 0 at a (error shares). It is a where va is at or above
// the limit already, and infinite where vb stays within it.
func interpolate(a, b, va, vb, limit float64) float64 {
	switch {
	case vb <= limit:
		return math.Inf(1)
	case va >= limit:
		return a
	case va <= 0 || a <= 0:
		return a + (b-a)*(limit-va)/(vb-va)
	}
	// Differences of logarithms: quotients of the smallest numbers are infinite.
	return a * math.Pow(b/a, (math.Log(limit)-math.Log(va))/(math.Log(vb)-math.Log(va)))
}

// Standing compares two load lines.
type Standing int

// Standings of load lines.
const (
	Undecided      Standing = iota // the intervals meet, or one is missing
	CarriesMore                    // the interval lies above the other's
	CarriesFewer                   // it lies below
	CarriesTheSame                 // both are the same single count
)

// Against holds a line against the other. It needs an interval of both. Each covers
// its line in 95 %, so that disjoint ones are wrong in fewer than 5 %.
func (l LoadLine) Against(other LoadLine) Standing {
	x, y := other.Count, l.Count
	switch {
	case x.Confidence == 0 || y.Confidence == 0:
		return Undecided
	case y.Low > x.High:
		return CarriesMore
	case y.High < x.Low:
		return CarriesFewer
	case x.Low == x.High && y.Low == y.High && x.Low == y.Low:
		return CarriesTheSame
	}
	return Undecided
}

// Extent is how a line may be stated as a count.
type Extent int

// Extents.
const (
	AnyNumber Extent = iota // nothing was measured
	AtLeast                 // Low
	FewerThan               // High
	Exactly                 // Low
	Between                 // Low and High, both included
	NotShown                // response times rose where the objectives were met
)

// Reach is that with its counts.
type Reach struct {
	Extent Extent `json:"-"`
	Low    int    `json:"low,omitempty"`  // 0 for none
	High   int    `json:"high,omitempty"` // 0 for none
}

// Reach is the measured bracket of the line. Count gives the uncertainty from repetitions
// separately: more of them must not make an answer say less.
func (l LoadLine) Reach() Reach {
	switch {
	case l.Unmeasured, l.Rung == 0 && l.Next == 0:
		return Reach{}
	case l.Rising != nil && l.Open && l.Shown == 0:
		return Reach{Extent: NotShown}
	case l.Rising != nil && l.Open:
		return Reach{Extent: AtLeast, Low: l.Shown}
	case l.Rising != nil && l.Shown > 0:
		return Reach{Extent: Between, Low: l.Shown, High: l.Next - 1}
	case l.Open:
		return Reach{Extent: AtLeast, Low: l.Carried()}
	case l.Rung == 0, l.Rising != nil:
		return Reach{Extent: FewerThan, High: l.Next}
	case l.Next <= l.Carried()+1:
		return Reach{Extent: Exactly, Low: l.Carried()}
	}
	return Reach{Extent: Between, Low: l.Carried(), High: l.Next - 1}
}

// Settled notes what response times did at the rung of a line whose phase was too short to show
// that it keeps the objectives.
func (l LoadLine) Settled(rungs []rung.Rung) LoadLine {
	at := rung.Find(rungs, l.Rung)
	if at == nil || l.Why == NoObjective {
		return l
	}
	if l.Rising = at.Unsettled(); l.Rising == nil {
		return l
	}
	for i := range rungs {
		if r := &rungs[i]; r.Instances < l.Rung && r.Unsettled() == nil {
			l.Shown = r.Worked()
		}
	}
	return l
}

// Carried is how many instances kept the objectives at the rung of the line, 0 for none.
func (l LoadLine) Carried() int { return cmp.Or(l.Ran, l.Rung) }

// SureBelow reports whether the repetitions leave no doubt that the rung of the line keeps the
// objectives; nothing is known of it where nothing was repeated, and it is not doubted.
func (l LoadLine) SureBelow() bool {
	return l.Count.Confidence == 0 || l.Count.Low >= float64(l.Carried())
}

// SureAbove is the same of the next rung, which breaks one of them.
func (l LoadLine) SureAbove() bool {
	return l.Count.Confidence == 0 || l.Open || l.Count.High < float64(l.Next)
}
