package trust

import (
	"math"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/steady"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// doubtCourse asks of the seconds of the measured phase whether all were recorded,
// whether something ended in them, whether the work done was steady and accounts for
// the users.
func doubtCourse(e *Evidence, t *result.Trial, m trial.Metrics) []Warning {
	c, known := e.courseOf(t)
	if !known {
		return append(doubtWaiting(e, t, m), doubtLoop(e, t, m)...)
	}
	if missing := c.doubtMissing(t); missing != nil {
		return missing // what is not known hides the rest
	}
	s := stallsOf(c, t)
	out := s.doubt(t)
	if out == nil {
		out = doubtWaiting(e, t, m)
	}
	out = append(out, doubtLoop(e, t, m)...)
	if t.Profile.Fixed {
		return out // it is measured from its first unit to its last, whatever happens in between
	}
	return append(out, Unsteady(steady.Without(c.done, s.all()))...)
}

// unlikely is the probability from which on a steady series is taken not to be
// one, at a single test; steady_test.go counts what all of them come to.
const unlikely = 0.001

// standingOut is from how many times the usual change on a change of level is
// taken for one whatever the length of the series.
const standingOut = 9

// Unsteady judges the work done in each second. It calls it a shift where the level changed at once, a drift where
// the series goes on changing after the cut nearly as it did before, and else a
// warm-up that was too short.
func Unsteady(rate []float64) []Warning {
	if len(rate) < 40 {
		return nil // eight batches of five are the least that says anything
	}
	if w := shiftDoubt(rate); w != nil {
		return w
	}
	cut, _ := steady.WarmUp(rate)
	before, after := steady.Drift(rate[:cut]), steady.Drift(rate[cut:])
	if after.P <= 0.05 && math.Abs(after.Change) >= 0.5*math.Abs(before.Change) {
		if w := driftDoubt(rate); w != nil {
			return w
		}
	}
	if w := warmUpDoubt(rate); w != nil {
		return w
	}
	return driftDoubt(rate)
}

// shiftDoubt finds a level that changed at once, as after a fault, when a cache
// is full or a drive throttles. Throughput that jumps up early is a warm-up.
func shiftDoubt(rate []float64) []Warning {
	s := steady.LevelShift(rate)
	change := stats.Ratio(s.After, s.Before) - 1
	if s.P > unlikely && s.Stands < standingOut || s.Jump < 0.6 || s.Before <= 0 || math.Abs(change) < 0.05 {
		return nil
	}
	if change > 0 && 4*s.At < len(rate) {
		return warmUp(s.At, len(rate), stats.Ratio(s.Before, s.After)-1, true)
	}
	way := "rose"
	if change < 0 {
		way = "fell"
	}
	return warn("shift", byLevel(math.Abs(change), 0, 0.1, 0.3), "throughput %s by %s, %d s into the measured phase, and stayed there: these figures mix two different states",
		way, words.Percent(math.Abs(change)), s.At)
}

// warmUpDoubt finds a beginning that differs from the rest. A cut alone is no
// proof, since noise has one too, and the search for it picks the oddest: the
// head must also lie apart by more than a twentieth, and by more than noise
// explains at any of the cuts.
func warmUpDoubt(rate []float64) []Warning {
	cut, settled := steady.WarmUp(rate)
	if cut == 0 {
		return nil
	}
	head, rest := steady.Batches(rate[:cut]), steady.Batches(rate[cut:])
	level := steady.Mean(rest)
	off := stats.Ratio(steady.Mean(head)-level, level)
	cuts := float64(len(head) + len(rest))
	if math.Abs(off) < 0.05 || steady.Apart(head, rest)*cuts > unlikely {
		return nil
	}
	return warmUp(cut, len(rate), off, settled)
}

// warmUp is the warning for a head of so many seconds that is off the rest, nil
// where it hardly touches the mean of the whole phase.
func warmUp(cut, length int, off float64, settled bool) []Warning {
	influence := math.Abs(off) * float64(cut) / float64(length)
	if influence < 0.005 {
		return nil
	}
	severity := byLevel(influence, 0, 0.01, 0.1)
	if !settled && severity == Note {
		severity = Caution
	}
	return warn("warm-up", severity, "in the first %d s of the measured phase throughput differed by %+.0f %% from the rest: the warm-up was too short", cut, off*100)
}

// driftDoubt finds a trend through the whole phase.
func driftDoubt(rate []float64) []Warning {
	trend := steady.Drift(rate)
	if trend.P > unlikely || !stats.IsFinite(trend.Change) {
		return nil
	}
	severity := byLevel(math.Abs(trend.Change), 0.05, 0.1, 0.3)
	if severity == "" {
		return nil
	}
	return warn("drift", severity, "throughput changed by %+.0f %% from the start to the end of the measured phase: it was not steady", trend.Change*100)
}
