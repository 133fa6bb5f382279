package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/telemetry"
)

// drive lets the users loose on the instances and watches the machines.
func (t *trial) drive(ctx context.Context) error {
	count := (len(t.instances) + t.instancesPerDriver() - 1) / t.instancesPerDriver()
	delay := startDelay(count, t.c.o.Plan.Study.Telemetry.Interval.D())
	start := time.Now().Add(delay).Truncate(time.Millisecond)
	drivers, err := t.newDrivers(start)
	if err != nil {
		return err
	}
	t.result.Start = start
	for _, d := range drivers {
		if err := d.start(t.c); err != nil {
			return err
		}
		t.drivers = append(t.drivers, d)
	}
	t.schedule(drivers[0].job.Ramp, start)
	sampler := telemetry.Start(ctx, t.telemetry(start))
	watchErr := t.watch(ctx)
	t.series = sampler.Stop()
	t.result.Notes = append(t.result.Notes, sampler.Notes()...)
	if d, ok := t.class.(storage.Doubter); ok {
		t.result.Doubts = append(t.result.Doubts, d.Doubts(ctx)...)
	}
	return errors.Join(watchErr, t.collect())
}

// schedule writes the times of the phases into the result.
func (t *trial) schedule(ramp study.Duration, start time.Time) {
	phases := t.c.o.Plan.Study.Phases
	t.result.RampSeconds = ramp.D().Seconds()
	t.result.WarmupSeconds = phases.Warmup.D().Seconds()
	t.result.MeasureStart = start.Add(ramp.D() + phases.Warmup.D())
	t.result.MeasureEnd = t.result.MeasureStart.Add(phases.Measure.D())
}

// longestRamp is how long the slowest driver needs to start its users.
func longestRamp(all []*driver) study.Duration {
	var longest time.Duration
	for _, d := range all {
		if d.job.RampRate > 0 {
			users := float64(d.job.Users * len(d.job.Targets))
			longest = max(longest, time.Duration(users/d.job.RampRate*float64(time.Second)))
		}
	}
	return study.Duration(longest)
}

func (t *trial) telemetry(start time.Time) telemetry.Config {
	var drivers []telemetry.Watched
	for _, d := range t.drivers {
		drivers = append(drivers, d.watched())
	}
	return telemetry.Config{
		Interval:  t.c.o.Plan.Study.Telemetry.Interval.D(),
		Start:     start,
		Devices:   t.class.Devices(),
		Nodes:     t.class.Nodes,
		Instances: t.watchedInstances,
		Drivers:   func() []telemetry.Watched { return drivers },
	}
}

// watchedInstances are those that run now: one that a fault killed comes back
// as another process, in another group.
func (t *trial) watchedInstances() []telemetry.Watched {
	all := make([]telemetry.Watched, len(t.instances))
	for n, i := range t.instances {
		all[n] = i.watched()
	}
	return all
}

// watch waits for the drivers to end, and ends them when an instance dies.
func (t *trial) watch(ctx context.Context) (err error) {
	ended := make(chan error, len(t.instances)+len(t.c.o.Plan.Study.Faults))
	t.ended = ended
	for _, i := range t.instances {
		go i.reportEnd(i.current(), ctx.Done())
	}
	driversDone := make(chan struct{})
	go func() {
		for _, d := range t.drivers {
			<-d.done
		}
		close(driversDone)
	}()
	faults := t.inject(ctx)
	defer func() { err = errors.Join(err, faults.end()) }()
	live := t.newLive()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.stopDrivers()
			return ctx.Err()
		case err := <-ended:
			t.stopDrivers()
			return err
		case err := <-faults.failed:
			t.stopDrivers()
			return err
		case <-driversDone:
			return t.driverFailures()
		case <-tick.C:
			live.tick()
		}
	}
}

// reportEnd tells when a server of the instance ended without being asked to.
func (i *instance) reportEnd(p platform.Process, stop <-chan struct{}) {
	select {
	case <-stop:
	case <-p.Done():
		at := time.Now()
		if err := p.Err(); err != nil && !i.wasKilled(p) {
			i.t.ended <- timedError{at, fmt.Errorf("instance %s ended at %s, %.1f s after the start: %w",
				i.name, at.Format(time.TimeOnly), at.Sub(i.t.result.Start).Seconds(), err)}
		}
	}
}

func (t *trial) stopDrivers() {
	for _, d := range t.drivers {
		d.stop()
	}
}

func (t *trial) driverFailures() error {
	var errs []error
	for _, d := range t.drivers {
		errs = append(errs, d.failure())
	}
	return errors.Join(errs...)
}

// collect merges what the drivers recorded. It also does so after a failure,
// because what was measured until then shows the cause.
func (t *trial) collect() error {
	var files []string
	for _, d := range t.drivers {
		files = append(files, d.job.Records)
	}
	sum, err := t.files.Operations(files, t.result.Start, t.result.Profile.Whole())
	if err != nil {
		return fmt.Errorf("collect what the drivers recorded: %w", err)
	}
	t.result.Operations, t.result.Instances, t.result.Drivers = sum.Operations, sum.Instances, sum.Drivers
	t.result.Events = append(t.result.Events, sum.Events...)
	t.result.Damage = sum.Damage()
	if t.result.Profile.Fixed && !sum.Ended.IsZero() && sum.Ended.Before(t.result.MeasureEnd) {
		t.result.MeasureEnd = sum.Ended
	}
	t.series = append(t.series, sum.Series...)
	t.result.Resources = result.Summarise(t.series, t.result.MeasureStart, t.result.MeasureEnd)
	return nil
}
