package trust

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// course is what happened in each second of a trial's measured phase.
type course struct {
	// done are the units of work that were done, and ended those that came to any end;
	// NaN where a driver recorded nothing.
	done, ended []float64
	instances   map[string][]float64 // what ended on each
	// missing is in how many seconds a driver recorded nothing, or not what ended.
	missing int
}

// courseOf reads the course of a trial; ok is false where it was not recorded.
func (e *Evidence) courseOf(t *result.Trial) (c course, ok bool) {
	if e.Run.Dir == "" || trial.Seconds(t) < 1 {
		return course{}, false
	}
	all, err := e.Run.Series(t.ID, "operation/count", "operation/rolled_back", "operation/errors", "driver/busy", "instance/units")
	if err != nil {
		return course{}, false // what is missing or damaged is among the run's problems, or shown as missing telemetry
	}
	c.instances = map[string][]float64{}
	var drivers [][]float64
	for _, s := range all {
		seconds := inPhase(s, t)
		switch {
		case s.Kind == "operation" && s.Name == t.Profile.Whole():
			c.operation(s.Metric, seconds)
		case s.Kind == "driver" && s.Metric == "busy":
			drivers = append(drivers, seconds)
		case s.Kind == "instance" && s.Metric == "units":
			c.instances[s.Name] = seconds
		}
	}
	if c.done == nil {
		return course{}, false
	}
	if !t.Profile.Fixed { // whose drivers end one after the other
		c.leaveUnrecorded(drivers)
	}
	return c, true
}

// operation takes a series of the unit of work.
func (c *course) operation(metric string, seconds []float64) {
	switch metric {
	case "count":
		c.done = seconds
	case "rolled_back", "errors":
	default:
		return
	}
	if c.ended == nil {
		c.ended = make([]float64, len(seconds))
	}
	for i, v := range seconds {
		c.ended[i] += v
	}
}

// leaveUnrecorded makes unknown what a driver did not record: seconds without any
// record of its own, or in which its instances did something and no operation did.
func (c *course) leaveUnrecorded(drivers [][]float64) {
	for i := range c.done {
		if c.recorded(drivers, i) {
			continue
		}
		c.missing++
		c.done[i], c.ended[i] = math.NaN(), math.NaN()
	}
}

// recorded says that all that happened in a second was. The first and the last second
// of the phase may belong to it in part only, if the one beside it was recorded.
func (c *course) recorded(drivers [][]float64, second int) bool {
	if math.IsNaN(c.ended[second]) {
		return false
	}
	last := len(c.done) - 1
	for _, d := range drivers {
		if !math.IsNaN(d[second]) {
			continue
		}
		if inPart := second == 0 && !math.IsNaN(d[min(1, last)]) || second == last && !math.IsNaN(d[max(0, last-1)]); !inPart {
			return false
		}
	}
	return c.ended[second] > 0 || c.unitsIn(second) == 0
}

// unitsIn is what ended on all instances in a second.
func (c *course) unitsIn(second int) (sum float64) {
	for _, i := range c.instances {
		if !math.IsNaN(i[second]) {
			sum += i[second]
		}
	}
	return sum
}

// without is the work done by all instances but one that stood still, whose stall is no
// course of the others; by all where there is none of that name.
func (c course) without(instance string) []float64 {
	units, ok := c.instances[instance]
	if !ok {
		return c.done
	}
	others := slices.Clone(c.done)
	for i, v := range units {
		if i < len(others) && !math.IsNaN(v) {
			others[i] = max(0, others[i]-v)
		}
	}
	return others
}

// inPhase gives a series' values by the second of the measured phase; NaN where it has
// none.
func inPhase(s result.Series, t *result.Trial) []float64 {
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
