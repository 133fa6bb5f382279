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
	storage  string // that it is about, where it is a part; see parts
}

// handling is how long making, starting, auditing and removing all instances takes.
func (e estimator) handling() time.Duration {
	each := sum(startTime+auditTime+teardownTime, e.facts.volumeTime(), e.filling())
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
	copied := func(p estimator) int64 { return whole[int64](float64(p.golden()) * p.copies()) }
	return whole[time.Duration](float64(e.parts().total(copied)) / copyRate * float64(time.Second))
}

// disk is the space of a trial's volumes at its end.
func (e estimator) disk() int64 {
	return e.parts().total(func(p estimator) int64 {
		if p.facts.InMemory {
			return 0
		}
		return p.stored()
	})
}

// stored is what the storage keeps of its volumes.
func (e estimator) stored() int64 { return whole[int64](float64(e.volumes()) * e.copies()) }

func (e estimator) copies() float64 { return max(1, e.facts.Copies) }

// dataset is the size of an instance's data set.
func (e estimator) dataset() int64 { return e.facts.Dataset.Of(e.variant.Load.Users) }

// golden is the size of an instance before it is driven, and of the copy that
// volumes are cloned from.
func (e estimator) golden() int64 { return sum(e.dataset(), e.facts.Overhead) }

// volumes is what instances keep on their volumes.
func (e estimator) volumes() int64 { return times(e.rung, sum(e.golden(), e.growth())) }

// VolumeBytes is the size that volumes of a variant on one of its storages need, where
// volumes have one: what the study says of its servers, or else twice the data there at
// the end of a trial and a gibibyte for logs, in whole gibibytes.
func (p *Plan) VolumeBytes(v study.Variant, storage string) int64 {
	return p.tile(v, max(1, p.largestRung())).on(storage).most(estimator.volumeBytes)
}

func (e estimator) volumeBytes() int64 {
	most := e.variant.Engine.Volume
	for _, server := range e.variant.Stack {
		most = max(most, server.Volume)
	}
	if most > 0 {
		return int64(most)
	}
	const gib = 1 << 30
	return times(int(sum(e.golden(), e.golden(), e.growth(), e.growth(), 2*gib-1)/gib), int64(gib))
}

// growth is what one instance's data set gains while it is driven.
func (e estimator) growth() int64 {
	l := e.variant.Load
	rate := l.Rate + e.facts.Profile.UserRate*float64(l.Users)
	if rate == 0 {
		rate = float64(l.Users) / (l.ThinkTime.D() + serviceTime).Seconds()
	}
	p := e.phases()
	driven := p.Warmup.D() + p.Measure.D()
	grown := rate * driven.Seconds() * e.facts.Profile.Growth
	if e.facts.Profile.Fixed {
		grown = e.facts.Profile.Growth
	}
	if size := float64(e.variant.Engine.Volume); size > 0 {
		grown = min(grown, max(0, size-float64(e.dataset())))
	}
	return whole[int64](grown)
}

// memory is what its instances and drivers need at once, and volumes that live in memory
// (the golden copy, too).
func (e estimator) memory() int64 {
	each := sum(e.facts.InstanceMemory, e.facts.volumeMemory(), int64(e.variant.Load.Users)*memoryPerUser)
	need := sum(times(e.rung, each), int64(drivers(e.variant.Load, e.rung))*driverMemory)
	return sum(need, e.parts().total(func(p estimator) int64 {
		if !p.facts.InMemory {
			return 0
		}
		return p.withGolden()
	}))
}

// withGolden is the space of a trial's volumes and the copy that they are
// cloned from, where there is one.
func (e estimator) withGolden() int64 {
	if e.facts.Dataset.Key == "" {
		return e.volumes()
	}
	return sum(e.volumes(), e.golden())
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
