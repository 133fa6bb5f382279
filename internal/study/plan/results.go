package plan

import "time"

// What a trial adds to its run's directory, in bytes, a little more than was measured
// (docs/scale.md): with every second of it, with every sample of the machine, and once.
const (
	trialBytes     = 256 << 10 // figures, logs of servers that have nothing to complain about
	operationBytes = 300       // what a driver records of an operation in a second,
	userBytes      = 2         // with what each user adds to its histogram,
	histogramBytes = 1300      // and the most that all add
	driverBytes    = 400       // a driver's record of its own usage
	countBytes     = 12        // the number of units of an instance in it
	sampleBytes    = 3         // a value, compressed

	machineSeries  = 200 // values of a machine with its devices, links and cores in a sample
	instanceSeries = 20  // of an instance
)

// results returns the size of the plan's results. While a trial runs, its drivers' records
// take their size again, until they are merged.
func (p *Plan) results() (kept int64) {
	for _, t := range p.Trials {
		of, _ := p.Variant(t.Variant)
		all := p.tile(of, t.Rung)
		kept = sum(kept, trialBytes, all.recorded(), all.sampled())
	}
	return kept
}

// recorded is what the drivers of a trial record.
func (t tile) recorded() int64 {
	return total(t, func(e estimator) int64 {
		users := times(played(e.variant.Load, e.rung), int64(e.variant.Load.Users)*userBytes)
		perDriver := times(len(e.facts.Profile.Operations), operationBytes+min(users, histogramBytes)) + driverBytes
		each := sum(times(drivers(e.variant.Load, e.rung), perDriver), times(e.rung, int64(countBytes)))
		return whole[int64](t.driven().Seconds() * float64(each))
	})
}

// sampled returns the size of the samples of a trial's machine and instances.
func (t tile) sampled() int64 {
	values := int64(machineSeries)
	for _, e := range t {
		values = sum(values, times(e.rung, int64(instanceSeries)))
	}
	interval := max(time.Millisecond, t[0].study.Telemetry.Interval.D())
	return whole[int64](t.driven().Seconds() / interval.Seconds() * float64(values) * sampleBytes)
}

// driven is how long its users are at work.
func (t tile) driven() time.Duration {
	return sum(t.ramp(), t[0].phases().Warmup.D(), t[0].driven())
}
