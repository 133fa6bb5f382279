// Package steadiness reads what happened in each second of the measured phase of a trial, and finds when
// nothing ended. It holds no sentences.
package steadiness

import (
	"iter"
	"math"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Course is what happened in each second of a trial's measured phase.
type Course struct {
	// Done are the units of work that were done, and Ended those that came to any end;
	// NaN where a driver recorded nothing.
	Done, Ended []float64
	// Response is the mean response time of the units of work that ended in each second, s; NaN
	// where none did.
	Response []float64
	// Missing is in how many seconds a driver recorded nothing, or not what ended.
	Missing int

	onInstances []float64 // what ended on all instances, as far as they recorded it
	someStill   bool      // there was a second in which hardly anything ended on one of them
}

// units are the series of units of work that ended on each instance; there may be
// thousands.
const units = "instance/units"

// CourseSeries are the kinds, or kind/metric pairs, of the series that a course is read from.
var CourseSeries = []string{"operation/count", "operation/rolled_back", "operation/errors", "operation/mean", "driver/busy", units}

// CourseOf reads the course of a trial; ok is false where it was not recorded.
func CourseOf(run *result.Run, t *result.Trial) (c Course, ok bool) {
	if run.Dir == "" || trial.Seconds(t) < 1 {
		return Course{}, false
	}
	if c, ok = read(run.EachSeries(t, CourseSeries...), t); !ok {
		return read(run.Recorded(t), t) // anything missing or damaged is among the run's problems, or shown as missing telemetry
	}
	return c, true
}

// read makes a course of series; ok is false where they are damaged or do not have it.
func read(all iter.Seq2[result.Series, error], t *result.Trial) (c Course, ok bool) {
	r := Reading{Of: t}
	for s, err := range all {
		if err != nil {
			return Course{}, false
		}
		r.Take(s)
	}
	return r.Course()
}

// Reading makes the course of a trial from its series, given one after the other.
type Reading struct {
	Of      *result.Trial
	c       Course
	drivers [][]float64
}

// Take takes a series, which need not be of CourseSeries.
func (r *Reading) Take(s result.Series) {
	switch {
	case s.Kind == describe.OperationKind && s.Name == r.Of.Profile.Whole():
		r.c.operation(s.Metric, InPhase(s, r.Of))
	case s.Kind == describe.DriverKind && s.Metric == "busy":
		r.drivers = append(r.drivers, InPhase(s, r.Of))
	case s.Kind == describe.InstanceKind && s.Metric == "units":
		r.c.instance(InPhase(s, r.Of), r.Of.Whole().P50)
	}
}

// Course is what the series were of; ok is false where they do not have it, or the measured
// phase is shorter than a second.
func (r *Reading) Course() (c Course, ok bool) {
	if r.c.Done == nil || trial.Seconds(r.Of) < 1 {
		return Course{}, false
	}
	if !r.Of.Profile.Fixed { // whose drivers end one after the other
		r.c.leaveUnrecorded(r.drivers)
	}
	return r.c, true
}

// operation takes a series of the unit of work.
func (c *Course) operation(metric string, seconds []float64) {
	switch metric {
	case "count":
		c.Done = seconds
	case "rolled_back", "errors":
	case "mean":
		c.Response = seconds
		return
	default:
		return
	}
	if c.Ended == nil {
		c.Ended = make([]float64, len(seconds))
	}
	for i, v := range seconds {
		c.Ended[i] += v
	}
}

// leaveUnrecorded makes unknown what a driver did not record: seconds without any
// record of its own, or in which its instances did something and no operation did.
func (c *Course) leaveUnrecorded(drivers [][]float64) {
	for i := range c.Done {
		if c.recorded(drivers, i) {
			continue
		}
		c.Missing++
		c.Done[i], c.Ended[i] = math.NaN(), math.NaN()
	}
}

// recorded reports whether all of a second was recorded. Only part of the first and the
// last second may belong to the phase, so each counts if the adjacent second was recorded.
func (c *Course) recorded(drivers [][]float64, second int) bool {
	if math.IsNaN(c.Ended[second]) {
		return false
	}
	last := len(c.Done) - 1
	for _, d := range drivers {
		if !math.IsNaN(d[second]) {
			continue
		}
		if inPart := second == 0 && !math.IsNaN(d[min(1, last)]) || second == last && !math.IsNaN(d[max(0, last-1)]); !inPart {
			return false
		}
	}
	return c.Ended[second] > 0 || c.unitsIn(second) == 0
}

// instance takes what ended on one instance.
func (c *Course) instance(seconds []float64, usual float64) {
	if c.onInstances == nil {
		c.onInstances = make([]float64, len(seconds))
	}
	for i, v := range seconds {
		if !math.IsNaN(v) {
			c.onInstances[i] += v
		}
	}
	c.someStill = c.someStill || still(seconds, usual)
}

// unitsIn is what ended on all instances in a second.
func (c *Course) unitsIn(second int) float64 {
	if c.onInstances == nil {
		return 0
	}
	return c.onInstances[second]
}

// InPhase gives a series' values by the second of the measured phase; NaN where it has
// none.
func InPhase(s result.Series, t *result.Trial) []float64 {
	out := make([]float64, int(trial.Seconds(t)))
	for i := range out {
		out[i] = math.NaN()
	}
	from := t.MeasureStart.UnixMilli() - s.Start
	for i := range min(len(s.Times), len(s.Values)) {
		// A value describes the second that ends at its time.
		if at := s.Times[i] - 500 - from; at >= 0 && at/1000 < int64(len(out)) {
			out[at/1000] = s.Values[i]
		}
	}
	return out
}

// Uncounted is which share of the work that the instances counted is not in the records
// of the seconds.
func Uncounted(t *result.Trial) float64 {
	const most = 0.15 // results of other origin are not so exact
	sum := 0.0
	for _, i := range t.Instances {
		sum += float64(i.Count)
	}
	if share := 1 - stats.Ratio(float64(t.Whole().Count), sum); sum > 0 && share > most {
		return share
	}
	return 0
}
