package analysis

import (
	"fmt"
	"math"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/study"
	"plimsoll/internal/words"
)

// loadLineOf finds the largest count that keeps every objective.
//
// It is monotone-safe: the line never lies above the first rung that failed,
// and a rung that passes above one that failed makes it unstable. Between the
// last rung a that kept the objectives and the next rung b that did not, each
// metric is taken to grow as a power of the count (a straight line in
// logarithms): n = a * (b/a)^((ln L - ln va) / (ln vb - ln va)) for the limit
// L. The metric that reaches its limit first decides.
func loadLineOf(rungs []Rung, groups []trial.Group, objectives []study.Objective, noun string) LoadLine {
	if len(rungs) == 0 {
		return LoadLine{Text: "no trial of this variant has ended"}
	}
	if len(objectives) == 0 {
		return lineWithoutObjectives(rungs, noun)
	}
	last := lastKept(rungs)
	l := LoadLine{Unstable: keptAbove(rungs, last)}
	if last >= 0 {
		l.Rung = rungs[last].Instances
	}
	if last == len(rungs)-1 {
		l.Open = true
	} else {
		l.Next = rungs[last+1].Instances
		l.Broken = brokenFirst(rungs, last)
	}
	l.Count = lineBounds(rungs, groups, objectives, l)
	l.Count.Value = pointCount(rungs, last)
	l.Text = lineText(l, rungs, noun)
	return l
}

// lineWithoutObjectives reports where the throughput peaked: without a limit
// every rung that passed is kept.
func lineWithoutObjectives(rungs []Rung, noun string) LoadLine {
	best := bestRung(rungs, measuredRung)
	if best < 0 {
		return LoadLine{Text: "every trial of this variant failed"}
	}
	n := rungs[best].Instances
	return LoadLine{
		Rung: n, Count: interval.Exactly(float64(n)), Open: true,
		Text: fmt.Sprintf("the study sets no objective; throughput is highest at %s", words.Count(n, noun)),
	}
}

// bestRung is the index of the rung with the highest throughput, -1 for none.
func bestRung(rungs []Rung, allowed func(Rung) bool) int {
	best := -1
	for i, r := range rungs {
		if allowed(r) && (best < 0 || r.Throughput.Value > rungs[best].Throughput.Value) {
			best = i
		}
	}
	return best
}

// lastKept is the index of the last rung before the first that failed, -1
// when the smallest failed.
func lastKept(rungs []Rung) int {
	for i, r := range rungs {
		if !r.Kept {
			return i - 1
		}
	}
	return len(rungs) - 1
}

func keptAbove(rungs []Rung, last int) bool {
	for i := last + 2; i < len(rungs); i++ {
		if rungs[i].Kept {
			return true
		}
	}
	return false
}

// brokenFirst names what broke at the rung above the line: the objective
// that is crossed at the smallest count, or why the trials failed.
func brokenFirst(rungs []Rung, last int) string {
	next := rungs[last+1]
	if next.Repetitions == 0 {
		return "every trial failed"
	}
	broken, at := "", math.Inf(1)
	for i, o := range next.Objectives {
		if o.Kept {
			continue
		}
		if n := crossing(rungs, last, i); n < at || broken == "" {
			broken, at = o.Text+onInstance(o), n
		}
	}
	if broken == "" && next.Breaks != "" {
		return next.Breaks
	}
	if broken == "" {
		return fmt.Sprintf("%d of %d trials failed", next.Failed, next.Failed+next.Repetitions) + failedBy([]Rung{next})
	}
	return broken
}

// pointCount is the whole number of instances at the line.
func pointCount(rungs []Rung, last int) float64 {
	if last < 0 {
		return 0
	}
	low := float64(rungs[last].Instances)
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
func crossing(rungs []Rung, last, i int) float64 {
	if last < 0 {
		return 0
	}
	o := rungs[last+1].Objectives[i]
	return interpolate(float64(rungs[last].Instances), float64(rungs[last+1].Instances),
		rungs[last].Objectives[i].Value, o.Value, o.Limit)
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

// lineText says the line in words.
func lineText(l LoadLine, rungs []Rung, noun string) string {
	text := lineSentence(l, rungs, noun)
	if l.Unstable {
		text += "; a larger rung met the objectives again, so the load line is unstable: repeat these rungs"
	}
	return text
}

func lineSentence(l LoadLine, rungs []Rung, noun string) string {
	below, above := FindRung(rungs, l.Rung), FindRung(rungs, l.Next)
	switch {
	case l.Open:
		return fmt.Sprintf("every rung up to %s (%s) met the objectives: the load line is at %d or above%s",
			words.Count(l.Rung, noun), timesMeasured(below), l.Rung, lessSure(l))
	case l.Rung == 0:
		return fmt.Sprintf("%s (%s) did not meet the objectives (%s), and no smaller rung was measured%s",
			words.Count(l.Next, noun), timesMeasured(above), l.Broken, lessSure(l))
	}
	return fmt.Sprintf("%s (%s) met the objectives and %d (%s) did not (%s)%s",
		words.Count(l.Rung, noun), timesMeasured(below), l.Next, timesMeasured(above), l.Broken, between(l))
}

// between says where the line lies between its rungs, and what is open.
func between(l LoadLine) string {
	text := ""
	if l.Count.Value > float64(l.Rung) {
		text = fmt.Sprintf("; interpolated, the load line is %s", words.Thousands(l.Count.Value))
	}
	return text + lessSure(l)
}

// lessSure says what the repetitions do not rule out beyond the rungs beside the
// line.
func lessSure(l LoadLine) string {
	c := l.Count
	switch {
	case c.Confidence == 0:
		return "; nothing was repeated, so its uncertainty is unknown"
	case c.Low >= float64(l.Rung) && (l.Open || c.High < float64(l.Next)):
		return ""
	case math.IsInf(c.High, 1):
		return fmt.Sprintf("; the repetitions are consistent with any load line of %s or more", words.Thousands(c.Low))
	}
	return fmt.Sprintf("; the repetitions are consistent with any load line from %s to %s", words.Thousands(c.Low), words.Thousands(c.High))
}

// timesMeasured says how many trials a rung rests on.
func timesMeasured(r *Rung) string {
	if r == nil {
		return "not measured"
	}
	switch {
	case r.Repetitions == 0:
		return words.Count(r.Failed, "failed trial")
	case r.Failed > 0:
		return fmt.Sprintf("%s, %d of them failed", words.Count(r.Repetitions+r.Failed, "trial"), r.Failed)
	}
	return words.Count(r.Repetitions, "trial")
}

// FindRung gives the rung with so many instances, nil when there is none.
func FindRung(rungs []Rung, instances int) *Rung {
	for i := range rungs {
		if rungs[i].Instances == instances {
			return &rungs[i]
		}
	}
	return nil
}

// Standing is how two load lines stand to each other.
type Standing int

// Standings of load lines.
const (
	Undecided      Standing = iota // the intervals meet, or one is missing
	CarriesMore                    // the interval lies above that of the other
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
