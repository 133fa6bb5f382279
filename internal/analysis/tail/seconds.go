package tail

import (
	"math"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// seconds has the figures of each second of a trial's measured phase.
type seconds struct {
	done []float64 // units of work
	mean []float64 // their response time, s; NaN where none ended
	high []bool    // their percentile is above the whole trial's, or nothing ended
	slow []float64 // share of them above the percentile of the whole trial, about
	// sampled are the means of each second of what a time profile is made of.
	sampled map[key][]float64
}

// key is a series of telemetry.
type key struct{ kind, name, metric, machine string }

func keyOf(r result.ResourceSummary) key { return key{r.Kind, r.Name, r.Metric, r.Machine} }

// percentiles are those that records have of each second, with the share of units of work above
// them.
var percentiles = map[string]float64{"p50": 0.5, "p95": 0.05, "p99": 0.01}

// Divides reports whether a metric is a percentile whose tail can be divided.
func Divides(metric string) bool { return metric == "p95" || metric == "p99" }

// secondsOf reads a trial; not ok where its seconds were not recorded.
func secondsOf(run *result.Run, t *result.Trial, metric string) (c seconds, ok bool) {
	if run.Dir == "" || trial.Seconds(t) < 1 {
		return c, false
	}
	of := map[string][]float64{}
	c.sampled = map[key][]float64{}
	for s, err := range run.EachSeries(t, "operation/count", "operation/mean", "operation/p50", "operation/p95", "operation/p99", describe.TimeKind, describe.WaitKind, "device/queue", "device/utilisation") {
		switch {
		case err != nil:
			return c, false // damage is among the run's problems
		case s.Kind != describe.OperationKind:
			c.sampled[key{s.Kind, s.Name, s.Metric, s.Machine}] = steadiness.InPhase(s, t)
		case s.Name == t.Profile.Whole():
			of[s.Metric] = steadiness.InPhase(s, t)
		}
	}
	limit := map[string]float64{"p95": t.Whole().P95, "p99": t.Whole().P99}[metric]
	c.done, c.mean = of["count"], of["mean"]
	if c.done == nil || c.mean == nil || of[metric] == nil || !(limit > 0) {
		return c, false
	}
	usual := (1 + apart) * stats.MedianOf(of[metric])
	c.high, c.slow = make([]bool, len(c.done)), make([]float64, len(c.done))
	for i := range c.done {
		if math.IsNaN(c.done[i]) { // a part of the last second, which was not recorded
			c.done[i] = 0
			continue
		}
		c.high[i] = c.done[i] == 0 || of[metric][i] > max(limit, usual)
		c.slow[i] = above(limit, func(name string) float64 {
			if of[name] == nil {
				return math.NaN()
			}
			return of[name][i]
		})
	}
	return c, true
}

// apart is by how much of the median second's a percentile is more in a high one.
const apart = 0.25

// above is about which share of the units of work of a second took longer than a limit, by its
// percentiles: between two of them, and beyond the last, the logarithm of the share falls evenly with
// the logarithm of the time. Where more than half took longer, it is half.
func above(limit float64, at func(percentile string) float64) float64 {
	var times, shares []float64
	for _, name := range []string{"p50", "p95", "p99"} {
		if time := at(name); time > 0 && (len(times) == 0 || time > times[len(times)-1]) {
			times, shares = append(times, time), append(shares, percentiles[name])
		}
	}
	switch {
	case len(times) == 0:
		return 0
	case limit <= times[0] || len(times) == 1:
		return shares[0]
	}
	i := 1
	for i+1 < len(times) && times[i] < limit {
		i++
	}
	part := math.Log(limit/times[i-1]) / math.Log(times[i]/times[i-1])
	return shares[i-1] * math.Pow(shares[i]/shares[i-1], part)
}
