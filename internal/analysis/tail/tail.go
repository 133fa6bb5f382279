// Package tail says what the slowest units of work spend their time on, as far as periods of high
// response time can be told from the others: it divides the response time of both by the profile of
// states, and attributes the difference. It takes trials with their series and gives seconds with
// intervals, no sentences.
package tail

import (
	"slices"
	"time"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Attribution says what made the response time longer in the periods in which most of the slowest
// units of work ended.
type Attribution struct {
	Metric  string               `json:"metric"`  // p95 or p99: units of work above it are the slowest
	At      int                  `json:"at"`      // rung
	Periods int                  `json:"periods"` // of high response time, over all repetitions
	Length  float64              `json:"length"`  // of a period, s, the median
	Time    float64              `json:"time"`    // share of the measured time that is in them
	Slow    float64              `json:"slow"`    // share of the slowest units of work that ended in them
	Before  float64              `json:"before"`  // mean response time in the others, s
	After   float64              `json:"after"`   // in them, s
	Growth  []timeprofile.Growth `json:"growth"`  // of the difference, those that grew most first
	// Unexplained is the share of the difference that no component accounts for.
	Unexplained stats.Interval `json:"unexplained"`
	Causes      int            `json:"causes"` // as of an attribution to a rung
}

const (
	// fewest is of how many periods, of either class, something can be said.
	fewest = 4
	// shortest is how long, in s, a stretch of either class is at least: one second of records and one of
	// telemetry are not the same second.
	shortest = 3
	// most is the share of the measured time beyond which high response times are the usual ones.
	most = 0.5
	// concentrated is the share of the slowest units of work that must have ended in the periods.
	concentrated = 0.5
	// longer is how many times as long as a unit of work takes in them periods must be: what is counted in
	// a second is divided by what ended in it.
	longer = 4
	// sampled is the share of the seconds of a stretch that telemetry must have.
	sampled = 0.75
)

// Of attributes the tail of a rung's repetitions above a percentile, p95 or p99; nil where nothing
// is shown of it.
func Of(e *trust.Evidence, passed []*result.Trial, metric string) *Attribution {
	var all classes
	for _, t := range passed {
		c, ok := secondsOf(e.Run, t, metric)
		if !ok {
			return nil
		}
		all.add(t, c)
	}
	if !all.apart() {
		return nil
	}
	low, high := timeprofile.Of(e, all.low), timeprofile.Of(e, all.high)
	if low == nil || high == nil || !low.Counted || !high.Counted || longer*high.Response > all.length() {
		return nil
	}
	a := timeprofile.Attribute([]timeprofile.Step{{Instances: 1, Breakdown: low}, {Instances: 2, Breakdown: high}}, 1, 2)
	if a == nil || a.Causes == 0 {
		return nil
	}
	return &Attribution{
		Metric: metric, At: passed[0].Rung, Periods: len(all.high), Length: all.length(), Time: stats.Ratio(all.highSeconds, all.seconds), Slow: all.slowShare(),
		Before: a.Before, After: a.After, Growth: a.Growth, Unexplained: a.Unexplained, Causes: a.Causes,
	}
}

// classes are the stretches of trials, each as a trial of its own.
type classes struct {
	low, high            []*result.Trial
	seconds, highSeconds float64
	slow, highSlow       float64 // units of work above the percentile
}

// add takes the stretches of one trial.
func (a *classes) add(t *result.Trial, c seconds) {
	a.seconds += float64(len(c.done))
	for i := range c.done {
		a.slow += c.done[i] * c.slow[i]
	}
	for _, s := range c.stretches() {
		one, ok := c.part(t, s)
		if s.high {
			a.highSeconds += float64(s.to - s.from)
			for i := s.from; i < s.to; i++ {
				a.highSlow += c.done[i] * c.slow[i]
			}
		}
		switch {
		case !ok || s.to-s.from < shortest:
		case s.high:
			a.high = append(a.high, one)
		default:
			a.low = append(a.low, one)
		}
	}
}

// slowShare is which share of the slowest units of work ended in the periods.
func (a *classes) slowShare() float64 { return stats.Ratio(a.highSlow, a.slow) }

// apart reports whether there are periods, and the slowest units of work are of them.
func (a *classes) apart() bool {
	return len(a.high) >= fewest && len(a.low) >= fewest && a.highSeconds <= most*a.seconds && a.slowShare() >= concentrated
}

// length is the median length of a period, s.
func (a *classes) length() float64 { return stats.MedianOf(trial.Collect(a.high, trial.Seconds)) }

// stretch is a part of the measured phase, in seconds of it, up to before to.
type stretch struct {
	from, to int
	high     bool
}

// stretches divides the phase. Two high seconds in a row begin a period. It has the second before them
// and the one after them, too: what they waited for may have been counted there.
func (c seconds) stretches() (all []stretch) {
	high := make([]bool, len(c.high))
	for i := range c.high {
		if c.high[i] && (i > 0 && c.high[i-1] || i+1 < len(c.high) && c.high[i+1]) {
			for at := max(0, i-1); at <= min(len(high)-1, i+1); at++ {
				high[at] = true
			}
		}
	}
	for i := range high {
		if i == 0 || high[i] != high[i-1] {
			all = append(all, stretch{i, i, high[i]})
		}
		all[len(all)-1].to = i + 1
	}
	return all
}

// part is a stretch of a trial as a trial of its own, with means over its seconds; not ok where nothing
// ended in it, or too few of its seconds were sampled.
func (c seconds) part(t *result.Trial, s stretch) (*result.Trial, bool) {
	done, spent := 0.0, 0.0
	for i := s.from; i < s.to; i++ {
		if c.done[i] > 0 {
			done, spent = done+c.done[i], spent+c.done[i]*c.mean[i]
		}
	}
	if done < 1 {
		return nil, false
	}
	one := *t
	one.MeasureStart = t.MeasureStart.Add(time.Duration(s.from) * time.Second)
	one.MeasureEnd = t.MeasureStart.Add(time.Duration(s.to) * time.Second)
	whole := t.Whole()
	whole.Count, whole.Mean = int64(done+0.5), spent/done
	one.Operations = map[string]result.OperationSummary{t.Profile.Whole(): whole}
	one.Resources = slices.Clone(t.Resources)
	for i := range one.Resources {
		r := &one.Resources[i]
		values, has := c.sampled[keyOf(*r)]
		if !has {
			continue
		}
		known := stats.FiniteOnly(values[s.from:s.to])
		if float64(len(known)) < sampled*float64(s.to-s.from) {
			return nil, false
		}
		r.Mean = stats.Mean(known)
	}
	return &one, true
}
