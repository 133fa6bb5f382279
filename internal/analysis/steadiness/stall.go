package steadiness

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// Stalls are the times in a trial's measured phase in which nothing ended.
type Stalls struct {
	Gaps     []Gap     // of all instances
	Instance string    // that stood still alone, empty for all
	Units    []float64 // what ended on it in each second; nil for all
	Of       int       // how many instances there are
	Seconds  int       // of the phase
}

// StallsOf finds where all instances stood still, or else the one that did longest.
func StallsOf(run *result.Run, c Course, t *result.Trial) Stalls {
	s := Stalls{Gaps: withoutFlushes(gapsOf(c.Ended, t, 1), t), Of: max(1, t.Ran()), Seconds: len(c.Ended)}
	if len(s.Gaps) > 0 || !c.someStill {
		return s
	}
	for of, err := range run.EachSeries(t, units) {
		if err != nil {
			return s // it was read a moment ago
		}
		ended := InPhase(of, t)
		gaps := withoutFlushes(gapsOf(ended, t, s.Of), t)
		one := Stalls{Gaps: gaps, Instance: of.Name, Units: ended, Of: s.Of, Seconds: s.Seconds}
		if longer := cmp.Compare(one.Total(), s.Total()); longer > 0 || longer == 0 && len(gaps) > 0 && one.Instance < s.Instance {
			s = one
		}
	}
	return s
}

// withoutFlushes leaves out gaps of fixed work in which a part of it was under way that ends
// no unit, such as the flush of a file whose blocks were written to memory: its time counts,
// and has a figure of its own. So has each item of a list, which takes as long as it does.
func withoutFlushes(gaps []Gap, t *result.Trial) []Gap {
	if !t.Profile.Fixed {
		return gaps
	}
	longest, parts := 0.0, t.Profile.Optional
	if t.Profile.Listed {
		parts = t.Profile.Operations
	}
	for _, name := range parts {
		longest = max(longest, t.Operations[name].Max)
	}
	return slices.DeleteFunc(gaps, func(g Gap) bool { return longest >= g.Least() })
}

// StoodStill reports whether there may have been a stall: hardly anything ended in some second, on
// all instances or on one.
func (c Course) StoodStill(usual float64) bool { return c.someStill || still(c.Ended, usual) }

// still says so of what ended in each second.
func still(ended []float64, usual float64) bool {
	return len(Gaps(ended, usual))+len(Breaks(ended)) > 0
}

// gapsOf finds when nothing ended of what so many instances share: whole seconds, and
// breaks of less than two where a user waited as long.
func gapsOf(rate []float64, t *result.Trial, instances int) []Gap {
	gaps := Gaps(rate, t.Whole().P50)
	past := float64(len(rate)) - trial.Seconds(t) // fixed work seldom ends on a whole second
	if n := len(gaps); n > 0 && gaps[n-1].To() == len(rate) && past > 0 && past < 1 {
		gaps[n-1].Past = past
		gaps[n-1].Length -= past
	}
	for _, b := range Breaks(rate) {
		if waitedThrough(b, t, instances) {
			gaps = append(gaps, b)
		}
	}
	slices.SortFunc(gaps, func(a, b Gap) int { return cmp.Compare(a.From, b.From) })
	return refined(gaps, t)
}

// waitedThrough reports whether a break was a stall: as many units of work took about as long as
// would have been under way. One that was slow for a reason of its own is fewer.
func waitedThrough(b Gap, t *result.Trial, instances int) bool {
	o, due := t.Whole(), b.Lost
	if o.Max < max(1, 5*o.P50) {
		return false
	}
	if users := float64(t.Variant.Load.Users * t.Profile.Together() * max(1, t.Ran())); Closed(t) && users > 0 {
		due = min(due, users/float64(instances))
	}
	const wider = 1.2 // of the longest that a break may have been, in s
	waited := WaitedFor(o, b.Least()) - WaitedFor(o, b.Length+wider)
	return float64(waited) >= max(1, 0.1*due)
}

// refined takes for the length of a gap the longest response time, where that is as
// long within the two seconds that a gap of whole seconds leaves open.
func refined(gaps []Gap, t *result.Trial) []Gap {
	longest := max(t.Whole().Max, t.Whole().Oldest)
	for i, g := range gaps {
		least, most := g.Least(), g.Least()+2
		if g.Partial {
			least, most = 0.9*g.Length, min(g.Length+1, 2)
		}
		if longest >= least && longest <= most {
			gaps[i].Length = math.Round(10*longest) / 10
		}
	}
	return gaps
}

// Total is how long nothing ended in all, s.
func (s Stalls) Total() (sum float64) {
	for _, g := range s.Gaps {
		sum += g.Length
	}
	return sum
}

// All are the gaps of all instances.
func (s Stalls) All() []Gap {
	if s.Instance != "" {
		return nil
	}
	return s.Gaps
}

// Others is the work done by all instances but the one that stood still, whose stall is no
// course of the others; by all where they all did.
func (s Stalls) Others(done []float64) []float64 {
	if s.Instance == "" {
		return done
	}
	others := slices.Clone(done)
	for i, v := range s.Units {
		if i < len(others) && !math.IsNaN(v) {
			others[i] = max(0, others[i]-v)
		}
	}
	return others
}

// Longest is the gap of the most seconds.
func (s Stalls) Longest() Gap {
	return slices.MaxFunc(s.Gaps, func(a, b Gap) int { return cmp.Compare(a.Length, b.Length) })
}

// Shortest is the least time, in seconds, that a user who waited through a stall has
// waited.
func (s Stalls) Shortest() float64 {
	return slices.MinFunc(s.Gaps, func(a, b Gap) int { return cmp.Compare(a.Least(), b.Least()) }).Least()
}

// Lost is the share of the users' time that they stood still for.
func (s Stalls) Lost() float64 {
	share := stats.Ratio(s.Total(), float64(s.Seconds))
	if s.Instance != "" {
		share /= float64(s.Of)
	}
	return min(share, 1)
}

// Closed reports whether users begin a unit of work when the one before has ended.
func Closed(t *result.Trial) bool { return !t.OpenLoop && t.Variant.Load.Rate == 0 }

// Correct is the trial with corrected response times. The expected interval of an
// operation is the users' time outside the stall over how often it was done.
func (s Stalls) Correct(t *result.Trial) *result.Trial {
	out := *t
	out.Operations = maps.Clone(t.Operations)
	time := t.UserSeconds() * (1 - s.Lost())
	for name, o := range out.Operations {
		o.Corrected = o.Correct(stats.Ratio(time, float64(o.Count+o.RolledBack)), s.Shortest())
		out.Operations[name] = o
	}
	return &out
}

// WaitedFor counts the units of work that took so many seconds or longer; those that had
// not ended are among them, once they took longer than others.
func WaitedFor(o result.OperationSummary, least float64) (n int64) {
	_ = result.EachBucket(o.Histogram, func(seconds float64, count int64) { // what cannot be read is said by others
		if seconds >= 0.99*least {
			n += count
		}
	})
	return n
}
