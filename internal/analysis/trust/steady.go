package trust

import (
	"math"

	"plimsoll/internal/analysis/course"
	"plimsoll/internal/analysis/steady"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// doubtCourse asks of the seconds of the measured phase whether all were recorded,
// whether something ended in them, whether the work done was steady and accounts for
// the users.
func doubtCourse(e *Evidence, t *result.Trial, m trial.Metrics) []Warning {
	c, known := course.Of(e.Run, t)
	if !known {
		return append(doubtWaiting(e, t, m), doubtLoop(e, t, m)...)
	}
	if missing := doubtMissing(c, t); missing != nil {
		return missing // what is not known hides the rest
	}
	if t.Variant.Load.Bursts != nil {
		return append(doubtLoop(e, t, m), doubtRate(course.InBursts(c.Done, t))...)
	}
	s := course.StallsOf(e.Run, c, t)
	out := doubtStalls(c, s, t)
	if out == nil {
		out = doubtWaiting(e, t, m)
	}
	out = append(out, doubtLoop(e, t, m)...)
	if t.Profile.Fixed {
		return out // it is measured from its first unit to its last, whatever happens in between
	}
	return append(out, doubtRate(steady.Without(s.Others(c.Done), s.All()))...)
}

// Unsteady judges the work done in each second of a measured phase: stalls first, then
// what it did else.
func Unsteady(rate []float64) []Warning {
	s := course.Stalls{Gaps: steady.Gaps(rate, 0), Of: 1, Seconds: len(rate)}
	var out []Warning
	if len(s.Gaps) > 0 {
		out = unsteady(s.Unsteady(0), byLevel(s.Lost(), 0, 0.01, 0.05), "%s", stallText(s))
	}
	return append(out, doubtRate(steady.Without(rate, s.Gaps))...)
}

// doubtRate says what the work done in each second did, unless that was steady.
func doubtRate(rate []float64) []Warning {
	c := course.Judge(rate)
	if c == nil {
		return nil
	}
	size := words.Amount{Value: math.Abs(c.Change), Text: words.Growth(c.Change)}
	beside := words.Amount{Value: c.Change, Text: words.AboveOrBelow(c.Change)}
	way := "rose"
	if c.Change < 0 {
		way = "fell"
	}
	changed, passing := byLevel(math.Abs(c.Change), 0, 0.1, 0.3), byLevel(c.Influence, 0, 0.01, 0.1)
	switch c.Kind {
	case steady.WarmUp:
		return unsteady(c, passing, "in the first %.0f s of the measured phase throughput was %s the rest: the warm-up was too short", c.To, beside)
	case steady.Drift:
		return unsteady(c, changed, "throughput %s by %s from the start to the end of the measured phase and had not settled: it was not steady", way, size)
	case steady.Change:
		return unsteady(c, changed, "throughput %s by %s, %.0f s into the measured phase, and stayed there: these figures mix two different states", way, size, c.From)
	case steady.Dip:
		return unsteady(c, passing, "throughput fell by %s for %.0f s, %.0f s into the measured phase, and recovered", size, c.To-c.From, c.From)
	case steady.Burst:
		return unsteady(c, passing, "throughput rose by %s for %.0f s, %.0f s into the measured phase, and fell back", size, c.To-c.From, c.From)
	case steady.Dips:
		if c.Times == 2 {
			return unsteady(c, passing, "throughput fell by %s for %.0f s twice, %.0f s apart: with a longer phase it would show whether that returns, as checkpoints and flushes do", size, max(1, c.To-c.From), c.Period)
		}
		return unsteady(c, Note, "throughput fell by %s for %.0f s every %.0f s, as with checkpoints or flushes: measure whole periods", size, max(1, c.To-c.From), c.Period)
	case steady.Bursts:
		if c.Times == 2 {
			return unsteady(c, passing, "throughput rose by %s for %.0f s twice, %.0f s apart: with a longer phase it would show whether that returns", size, max(1, c.To-c.From), c.Period)
		}
		return unsteady(c, Note, "throughput rose by %s for %.0f s every %.0f s: measure whole periods", size, max(1, c.To-c.From), c.Period)
	}
	if c.Times < 3 {
		return unsteady(c, passing, "throughput swung between its highest and %s less, once in about %.0f s: the measured phase holds too few such periods for a mean", size, c.Period)
	}
	return unsteady(c, Note, "throughput swung between its highest and %s less every %.0f s: measure whole periods", size, c.Period)
}

// unsteady makes a list of one warning of what the work of a phase did.
func unsteady(u *course.Unsteady, severity, format string, args ...any) []Warning {
	w := warn(string(u.Kind), severity, format, args...)
	w[0].Unsteady = u
	return w
}
