package trust

import (
	"math"

	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
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
		out = unsteady(s.Unsteady(0), byLevel(s.Lost(), 0, 0.01, 0.05), "%s", stallText(s))
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
	size := words.Amount{Value: math.Abs(c.Change), Text: words.Growth(c.Change)}
	beside := words.Amount{Value: c.Change, Text: words.AboveOrBelow(c.Change)}
	way := "rose"
	if c.Change < 0 {
		way = "fell"
	}
	from, figure := ofThroughput, words.Phrase{Text: c.Figure(), Form: c.Of}
	if c.Of != "" {
		from = ofResponse
	}
	changed, passing := byLevel(math.Abs(c.Change), 0, from[0], from[1]), byLevel(c.Influence, 0, from[2], from[3])
	switch c.Kind {
	case steadiness.WarmUp:
		return unsteady(c, passing, "in the first %.0f s of the measured phase %s was %s the rest: the warm-up was too short", c.To, figure, beside)
	case steadiness.Drift:
		return unsteady(c, changed, "%s %s by %s from the start to the end of the measured phase and had not settled: it was not steady", figure, way, size)
	case steadiness.Change:
		return unsteady(c, changed, "%s %s by %s, %.0f s into the measured phase, and stayed there: these figures mix two different states", figure, way, size, c.From)
	case steadiness.Dip:
		return unsteady(c, passing, "%s fell by %s for %.0f s, %.0f s into the measured phase, and recovered", figure, size, c.To-c.From, c.From)
	case steadiness.Burst:
		return unsteady(c, passing, "%s rose by %s for %.0f s, %.0f s into the measured phase, and fell back", figure, size, c.To-c.From, c.From)
	case steadiness.Dips:
		if c.Times == 2 {
			return unsteady(c, passing, "%s fell by %s for %.0f s twice, %.0f s apart: with a longer phase it would show whether that returns, as checkpoints and flushes do", figure, size, max(1, c.To-c.From), c.Period)
		}
		return unsteady(c, Note, "%s fell by %s for %.0f s every %.0f s, as with checkpoints or flushes: measure whole periods", figure, size, max(1, c.To-c.From), c.Period)
	case steadiness.Bursts:
		if c.Times == 2 {
			return unsteady(c, passing, "%s rose by %s for %.0f s twice, %.0f s apart: with a longer phase it would show whether that returns", figure, size, max(1, c.To-c.From), c.Period)
		}
		return unsteady(c, Note, "%s rose by %s for %.0f s every %.0f s: measure whole periods", figure, size, max(1, c.To-c.From), c.Period)
	}
	if c.Times < 3 {
		return unsteady(c, passing, "%s swung between its highest and %s less, once in about %.0f s: the measured phase holds too few such periods for a mean", figure, size, c.Period)
	}
	return unsteady(c, Note, "%s swung between its highest and %s less every %.0f s: measure whole periods", figure, size, c.Period)
}

// unsteady makes a list of one warning of what the work of a phase did.
func unsteady(u *steadiness.Unsteadiness, severity Severity, format string, args ...any) []Warning {
	w := warn(string(u.Kind), severity, format, args...)
	w[0].Unsteady = u
	return w
}
