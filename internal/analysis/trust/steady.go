package trust

import (
	"math"

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
	out := doubtStalls(c, s, t)
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
	return doubtUnsteady(steadiness.Judge(rate))
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
	w := warn(Kind(u.Kind), severity, form, args...)
	w[0].Unsteady = u
	return w
}
