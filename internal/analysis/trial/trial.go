// Package trial derives plain figures from one trial: how much work was done in what time,
// how much of it failed, what its machine did. Package trust judges the figures; package
// analysis draws the conclusions.
package trial

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"slices"
)

// Published reports whether a trial is a published figure rather than a
// measurement of ours.
func Published(t *result.Trial) bool { return t.Published }

// AnyPublished reports whether one of the trials is a published figure.
func AnyPublished(trials []*result.Trial) bool { return slices.ContainsFunc(trials, Published) }

// Seconds is the length of the measured phase, 0 when unknown.
func Seconds(t *result.Trial) float64 {
	if t.MeasureStart.IsZero() || !t.MeasureEnd.After(t.MeasureStart) {
		return 0
	}
	return t.MeasureEnd.Sub(t.MeasureStart).Seconds()
}

// Throughput of the measured phase in the profile's unit, committed work only; of fixed
// work that until its last user finished.
func Throughput(t *result.Trial) float64 { return finiteRate(t, (*result.Trial).Throughput) }

// Stonewalled is, of fixed work, the throughput until the first user finished; 0 of other
// work, or where none finished.
func Stonewalled(t *result.Trial) float64 {
	return finiteRate(t, (*result.Trial).StonewalledThroughput)
}

// Without is the throughput without the profile's optional operations; 0 where users
// spent no time in any.
func Without(t *result.Trial) float64 { return finiteRate(t, (*result.Trial).ThroughputWithout) }

// Ceiling is the throughput of the drivers by themselves, against a process that answers
// their users and keeps nothing; 0 where it was not measured.
func Ceiling(t *result.Trial) float64 { return finiteRate(t, (*result.Trial).CeilingThroughput) }

// CeilingPayload is Payload of the drivers by themselves, and CeilingCPU how many cores they
// used meanwhile; 0 where that was not measured.
func CeilingPayload(t *result.Trial) float64 {
	c := t.Ceiling()
	if c == nil || t.Profile.Unit.Bytes {
		return 0
	}
	return stats.Ratio(float64(c.Bytes)/1e6, c.Seconds)
}

// CeilingCPU is described with CeilingPayload.
func CeilingCPU(t *result.Trial) float64 {
	c := t.Ceiling()
	if c == nil {
		return 0
	}
	return stats.Ratio(c.CPU, c.Seconds)
}

// DriverCPU is how many cores the drivers used in the measured phase; 0 when unknown.
func DriverCPU(t *result.Trial) float64 { return stats.Ratio(cpuOf(t.Drivers), Seconds(t)) }

func finiteRate(t *result.Trial, throughput func(*result.Trial) float64) float64 {
	if Seconds(t) <= 0 {
		return 0
	}
	return stats.Finite(throughput(t))
}

// Payload is how many million bytes a second the units of work moved while Throughput
// counts; 0 where throughput counts that already, or where they move none.
func Payload(t *result.Trial) float64 {
	if t.Profile.Unit.Bytes {
		return 0
	}
	return stats.Ratio(float64(t.Whole().Bytes)/1e6, Seconds(t))
}

// UnitsPerSecond counts units of work, whatever the throughput counts.
func UnitsPerSecond(t *result.Trial) float64 {
	return stats.Ratio(float64(t.Whole().Count), Seconds(t))
}

// Mean is the mean response time of a unit of work, s.
func Mean(t *result.Trial) float64 { return t.Whole().Mean }

// P95 is the 95th percentile of the response time of a unit of work, s.
func P95(t *result.Trial) float64 { return t.Whole().P95 }

// Ended is how many units of work came to an end, well or not.
func Ended(t *result.Trial) int64 {
	o := t.Whole()
	return o.Count + o.RolledBack + Failures(o)
}

// ErrorShare is the share of the units of work that failed.
func ErrorShare(t *result.Trial) float64 {
	return stats.Ratio(float64(Failures(t.Whole())), float64(Ended(t)))
}

// Failures counts the errors of an operation.
func Failures(o result.OperationSummary) (sum int64) {
	for _, n := range o.Errors {
		sum += n
	}
	return sum
}

// ProfileOf is the workload profile of the first trial that has one.
func ProfileOf(trials []*result.Trial) describe.Profile {
	for _, t := range trials {
		if t.Profile.Unit.Complete() {
			return t.Profile
		}
	}
	return describe.Profile{}
}

// IsWhole reports whether an objective or condition is about the unit of work: it names
// no operation, or that one.
func IsWhole(p describe.Profile, operation string) bool {
	return operation == "" || operation == p.Whole()
}

// Operation sums the named operation of a trial; without a name, the unit of
// work.
func Operation(t *result.Trial, name string) (o result.OperationSummary, ok bool) {
	if name == "" {
		name = t.Profile.Whole()
	}
	o, ok = t.Operations[name]
	return o, ok
}

// Collect takes a figure of each trial.
func Collect(trials []*result.Trial, figure func(*result.Trial) float64) []float64 {
	out := make([]float64, len(trials))
	for i, t := range trials {
		out[i] = figure(t)
	}
	return out
}

// Percentiles are an operation's percentiles in one trial, by name, computed by the driver
// from its merged histogram; nil if there are none.
func Percentiles(o result.OperationSummary) map[string]float64 {
	if o.Histogram == "" && o.P50 == 0 && o.P95 == 0 && o.Max == 0 {
		return nil // published results have means only
	}
	return map[string]float64{
		"p50": stats.Finite(o.P50), "p90": stats.Finite(o.P90), "p95": stats.Finite(o.P95),
		"p99": stats.Finite(o.P99), "p99.9": stats.Finite(o.P999), "max": stats.Finite(o.Max),
	}
}

// Offered is how many units of work were due in the measured phase of a trial; 0
// in a closed loop.
func Offered(t *result.Trial) float64 {
	if n := t.Whole().Offered; n > 0 {
		return float64(n)
	}
	if !t.OpenLoop || t.Variant.Load.Rate <= 0 {
		return 0
	}
	return t.Variant.Load.Rate * float64(t.Ran()) * Seconds(t)
}

// Waiting is the share of their time that the users of a trial wait for units of work; the rest they think.
// All of it in an open loop, which has nobody who thinks.
func Waiting(t *result.Trial) float64 {
	think, waits := t.Variant.Load.ThinkTime.D().Seconds(), t.Whole().Mean
	if t.Scheduled() || think <= 0 || !(waits > 0) {
		return 1
	}
	return waits / (waits + think)
}
