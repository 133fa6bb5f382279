package trust

import (
	"math"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// doubtCourse asks of the seconds of the measured phase whether all were recorded,
// whether something ended in them, whether the work done was steady and accounts for
// the users.
func (o observed) doubtCourse(e *Evidence, t *result.Trial, m trial.Metrics) []Warning {
	c := o.course
	if !o.known {
		return append(doubtWaiting(e, t, m), doubtLoop(e, t, m)...)
	}
	if missing := doubtMissing(c, t); missing != nil {
		return missing // unknown seconds hide the rest
	}
	if t.Variant.Load.Bursts != nil {
		return append(doubtLoop(e, t, m), doubtRate(steadiness.InBursts(c.Done, t))...)
	}
	s := steadiness.StallsOf(e.Run, c, t)
	out := doubtStalls(s, t)
	if out == nil {
		out = doubtWaiting(e, t, m)
	}
	out = append(out, doubtLoop(e, t, m)...)
	if t.Profile.Fixed {
		return out // it is measured from its first unit to its last, whatever happens in between
	}
	if of := doubtRate(steadiness.Without(s.Others(c.Done), s.All())); of != nil || len(s.Gaps) > 0 {
		return append(out, of...) // response time follows
	}
	return append(out, doubtUnsteady(steadiness.JudgeResponse(c))...)
}

// Unsteady judges the work done in each second of a measured phase: stalls first, then
// other changes.
func Unsteady(rate []float64) []Warning {
	s := steadiness.Stalls{Gaps: steadiness.Gaps(rate, 0), Of: 1, Seconds: len(rate)}
	var out []Warning
	if len(s.Gaps) > 0 {
		out = unsteady(s.Unsteady(0), byLevel(s.Lost(), 0, 0.01, 0.05), StallAlone, stood(s))
	}
	return append(out, doubtRate(steadiness.Without(rate, s.Gaps))...)
}

// doubtRate says what the work done in each second did, unless that was steady.
func doubtRate(rate []float64) []Warning {
	out := doubtUnsteady(steadiness.Judge(rate))
	for i, w := range out {
		if w.Unsteady.Kind == steadiness.Change {
			out[i] = w.By(ofLevels(w.Unsteady.Change, min(1, w.Unsteady.From/float64(len(rate)))))
		}
	}
	return out
}

// From which change on a figure is doubted as a caution and as serious: for good, and of its mean.
var ofThroughput, ofResponse = [4]float64{0.1, 0.3, 0.01, 0.1}, [4]float64{0.2, 0.5, 0.1, 0.3}

// doubtUnsteady says what a figure did, unless it was steady.
func doubtUnsteady(c *steadiness.Unsteadiness) []Warning {
	if c == nil {
		return nil
	}
	from, figure := ofThroughput, OfThroughput
	if c.Of != "" {
		from, figure = ofResponse, OfResponse
	}
	what, size, level := Because(Work, figure), Growth(c.Change), Difference(c.Change)
	changed, passing := byLevel(math.Abs(c.Change), 0, from[0], from[1]), byLevel(c.Influence, 0, from[2], from[3])
	lasted, long, period := Seconds(c.To-c.From), Seconds(max(1, c.To-c.From)), Seconds(c.Period)
	switch c.Kind {
	case steadiness.WarmUp:
		return unsteady(c, passing, WarmUpShort, Seconds(c.To), what, level)
	case steadiness.Drift:
		return unsteady(c, changed, upOrDown(c, DriftUp, DriftDown), what, size)
	case steadiness.Change:
		return unsteady(c, changed, upOrDown(c, ShiftUp, ShiftDown), what, size, Seconds(c.From))
	case steadiness.Dip:
		return unsteady(c, passing, DipOnce, what, size, lasted, Seconds(c.From))
	case steadiness.Burst:
		return unsteady(c, passing, BurstOnce, what, size, lasted, Seconds(c.From))
	case steadiness.Dips:
		return unsteadyOften(c, c.Times == 2, passing, DipsTwice, DipsEven, what, size, long, period)
	case steadiness.Bursts:
		return unsteadyOften(c, c.Times == 2, passing, BurstsTwice, BurstsEven, what, size, long, period)
	}
	return unsteadyOften(c, c.Times < 3, passing, WaveFew, WaveEven, what, size, period)
}

func upOrDown(c *steadiness.Unsteadiness, up, down Form) Form {
	if c.Change < 0 {
		return down
	}
	return up
}

// unsteadyOften doubts what came back. Where it did so often enough, the phase has it whole
// times, which is good to know.
func unsteadyOften(c *steadiness.Unsteadiness, seldom bool, passing Severity, few, even Form, args ...Arg) []Warning {
	if seldom {
		return unsteady(c, passing, few, args...)
	}
	return unsteady(c, Note, even, args...)
}

// unsteady makes a list of one warning of what the work of a phase did.
func unsteady(u *steadiness.Unsteadiness, severity Severity, form Form, args ...Arg) []Warning {
	w := Warn(Kind(u.Kind), severity, form, args...).By(boundOf(u, severity))
	w.Unsteady = u
	return []Warning{w}
}

// boundOf is how far the mean over a phase may be off from the work of a steady one: from the mean
// without what passed, and from that of either half where the work changed for good. What came back often
// enough belongs to the work.
func boundOf(u *steadiness.Unsteadiness, severity Severity) bound.Bound {
	often := severity == Note && u.Times >= 3
	passing := min(0.99, math.Abs(u.Influence))
	switch {
	case u.Of != "" || often: // throughput was steady
		return bound.Bound{}
	case u.Kind == steadiness.Drift, u.Kind == steadiness.Change:
		return ofLevels(u.Change, 0.5)
	case u.Kind == steadiness.Burst, u.Kind == steadiness.Bursts, u.Kind == steadiness.WarmUp && u.Change > 0:
		return bound.TooHighBy(passing)
	case u.Kind == steadiness.Wave:
		return bound.Either(passing)
	}
	return bound.Lacks(passing)
}

// ofLevels bounds the mean of two levels, of which the first one lasted for a share of the phase and the
// second one differs from it by a change: a steady phase may have either.
func ofLevels(change, first float64) bound.Bound {
	second := 1 + max(-0.99, change)
	mean := first + (1-first)*second
	return bound.Bound{TooLow: max(0, max(1, second)/mean-1), TooHigh: max(0, 1-min(1, second)/mean)}
}
