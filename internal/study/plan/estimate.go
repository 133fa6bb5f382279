package plan

import (
	"time"

	"plimsoll/internal/study"
)

// What the estimates assume. They are meant to be a little high, on a small
// machine: a plan that promises too much wastes an evening.
const (
	copyRate       = 150e6                  // bytes/s at which a golden volume is copied
	loadRate       = 10e6                   // bytes/s at which a data set is generated, loaded and checked
	loadBase       = 10 * time.Second       // initialise, start and stop an engine once
	settleTime     = 3 * time.Second        // write back, drop caches, common start
	powerCutTime   = 8 * time.Second        // users linger, the storage recovers, the next trial gets a new one
	ceilingTime    = 5 * time.Second        // drivers do the same by themselves, after the measured phase
	startTime      = 700 * time.Millisecond // of each instance, including its volume's creation
	auditTime      = 600 * time.Millisecond // of each instance, stopped and started again before it
	teardownTime   = 300 * time.Millisecond // of each instance
	serviceTime    = 10 * time.Millisecond  // of a unit of work, for the growth of the data
	driverMemory   = 32 << 20               // of a driver process
	memoryPerUser  = 64 << 10               // of a user in a driver
	samplingMemory = 128 << 20              // Plimsoll itself with its telemetry
)

// estimator estimates one application of a trial.
type estimator struct {
	study   *study.Study
	variant study.Variant
	facts   Facts
	rung    int // how many instances of it there are
	// standing is the memory of all storage servers: they stay up between
	// trials.
	standing int64
}

// handling is how long making, starting, auditing and removing all instances takes.
func (e estimator) handling() time.Duration {
	each := sum(startTime+auditTime+teardownTime, e.filling())
	for _, p := range e.parts() {
		each = sum(each, p.VolumeTime)
	}
	if e.phases().End == study.CutPower {
		each = sum(each, startTime) // a second time
	}
	return times(e.rung, each)
}

// answered is 1 where drivers measure what they do by themselves.
func (e estimator) answered() int64 {
	if e.facts.Profile.Answered {
		return 1
	}
	return 0
}

func (e estimator) phases() study.Phases { return e.study.Phases.For(e.facts.Profile.Fixed) }

// driven is how long users are at work after the warm-up: of fixed work what the study
// expects or, where it does not say, at most.
func (e estimator) driven() time.Duration {
	p := e.phases()
	if e.facts.Profile.Fixed && p.Expect > 0 {
		return p.Expect.D()
	}
	return p.Measure.D()
}

// filling is the time to fill an instance: to clone golden volumes where nothing
// is shared, or to prepare it by itself.
func (e estimator) filling() time.Duration {
	if e.facts.Dataset.Key == "" {
		return whole[time.Duration](float64(e.dataset()) / loadRate * float64(time.Second))
	}
	copied := func(p part) int64 { return whole[int64](float64(p.golden()) * p.copies()) }
	return whole[time.Duration](float64(total(e.parts(), copied)) / copyRate * float64(time.Second))
}

// disk is the space of a trial's volumes at its end.
func (e estimator) disk() int64 {
	return total(e.parts(), func(p part) int64 {
		if p.InMemory {
			return 0
		}
		return p.stored()
	})
}

// dataset is the size of an instance's data set.
func (e estimator) dataset() int64 { return e.facts.Dataset.Of(e.variant.Load.Users) }

// grown is what one instance's data set gains while it is driven, in bytes.
func (e estimator) grown() float64 {
	l := e.variant.Load
	if e.facts.Profile.Fixed {
		return e.facts.Profile.Growth
	}
	rate := l.Rate + e.facts.Profile.UserRate*float64(l.Users)
	if rate == 0 {
		rate = float64(l.Users) / (l.ThinkTime.D() + serviceTime).Seconds()
	}
	p := e.phases()
	driven := p.Warmup.D() + p.Measure.D()
	return rate * driven.Seconds() * e.facts.Profile.Growth
}

// memory is what its instances and drivers need at once, and volumes that live in memory
// (the golden copy, too).
func (e estimator) memory() int64 {
	each := sum(e.facts.InstanceMemory, int64(e.variant.Load.Users)*memoryPerUser)
	need := int64(drivers(e.variant.Load, e.rung)) * driverMemory
	for _, p := range e.parts() {
		each = sum(each, p.VolumeMemory)
		if p.InMemory {
			need = sum(need, p.withGolden())
		}
	}
	return sum(need, times(e.rung, each))
}

// preparing is the time to make one golden volume.
func preparing(d Dataset) time.Duration {
	if d.Key == "" {
		return 0 // with every trial
	}
	return sum(loadBase, whole[time.Duration](float64(d.Bytes)/loadRate*float64(time.Second)))
}

// drivers is the number of driver processes of a trial.
func drivers(l study.Load, rung int) int {
	if l.InstancesPerDriver <= 0 {
		return 1
	}
	return (rung + l.InstancesPerDriver - 1) / l.InstancesPerDriver
}

// played is how many instances the busiest driver plays.
func played(l study.Load, rung int) int {
	if l.InstancesPerDriver > 0 {
		return min(rung, l.InstancesPerDriver)
	}
	return rung
}

// Ramp returns the time until all users of a trial have started: the ramp of the busiest
// driver, which plays InstancesPerDriver instances.
func Ramp(p study.Phases, l study.Load, rung int) time.Duration {
	if p.RampRate <= 0 {
		return 0
	}
	return whole[time.Duration](float64(played(l, rung)) * float64(l.Users) / p.RampRate * float64(time.Second))
}
