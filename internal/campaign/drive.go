package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/unit"
)

// drive lets the users loose on the instances and watches the machines.
func (t *trial) drive(ctx context.Context) error {
	drivers, err := t.newDrivers()
	if err != nil {
		return err
	}
	if err := t.reserve(ctx, drivers); err != nil {
		return err
	}
	t.schedule(drivers)
	if t.receipts, err = newReceipts(filepath.Join(t.c.o.Scratch, "receipts", t.prefix()+"all")); err != nil {
		return err
	}
	t.live = t.newLive()
	for _, d := range drivers {
		if err := d.start(ctx); err != nil {
			return err
		}
		t.drivers = append(t.drivers, d)
	}
	return errors.Join(t.observe(ctx), t.collect(ctx))
}

// reserve has the platform make places for the drivers, which takes time on a
// cluster: only then can a common start be named.
func (t *trial) reserve(ctx context.Context, drivers []*driver) (err error) {
	var tasks []platform.Task
	for _, d := range drivers {
		about, err := d.task()
		if err != nil {
			return err
		}
		tasks = append(tasks, about)
	}
	if t.release, err = t.c.platform.Reserve(ctx, tasks); err != nil {
		return fmt.Errorf("make places for %d drivers: %w", len(drivers), err)
	}
	return nil
}

// observe watches drivers and machines until the users have gone.
func (t *trial) observe(ctx context.Context) error {
	observer, err := t.c.platform.Observe(ctx, t.observation())
	if err != nil {
		t.stopDrivers(ctx)
		return fmt.Errorf("observe the machines: %w", err)
	}
	watchErr := t.watch(ctx)
	patient, cancel := t.c.patient(ctx)
	defer cancel()
	seen, err := observer.Stop(patient)
	if err != nil {
		t.note("what the machines did is not known: " + err.Error())
	}
	t.series, t.result.Machines = seen.Series, seen.Machines
	t.result.Notes = append(t.result.Notes, seen.Notes...)
	for _, d := range having[storage.Doubter](t) {
		t.result.Doubts = append(t.result.Doubts, d.Doubts(ctx)...)
	}
	for _, c := range having[storage.Tiered](t) {
		if work, err := c.TierWork(ctx); err == nil { // who does not answer has a doubt of its own
			t.note(work.String())
		}
	}
	return watchErr
}

// schedule names the common start and writes the times of the phases into the
// result.
func (t *trial) schedule(drivers []*driver) {
	delay := startDelay(len(drivers), t.c.o.Plan.Study.Telemetry.Interval.D())
	start, ramp := time.Now().Add(delay).Truncate(time.Millisecond), drivers[0].job.Ramp
	for _, d := range drivers {
		d.job.Start = start
	}
	phases := t.phases()
	t.result.Start = start
	t.result.RampSeconds = ramp.D().Seconds()
	t.result.WarmupSeconds = phases.Warmup.D().Seconds()
	t.result.MeasureStart = start.Add(ramp.D() + phases.Warmup.D())
	t.result.MeasureEnd = t.result.MeasureStart.Add(phases.Measure.D())
}

// longestRamp is how long the slowest driver needs to start its users.
func longestRamp(all []*driver) unit.Duration {
	var longest time.Duration
	for _, d := range all {
		if d.job.RampRate > 0 {
			users := float64(d.job.Users * len(d.job.Targets))
			longest = max(longest, time.Duration(users/d.job.RampRate*float64(time.Second)))
		}
	}
	return unit.Duration(longest)
}

func (t *trial) observation() platform.Observation {
	var drivers []platform.WatchedTask
	for _, d := range t.drivers {
		drivers = append(drivers, platform.WatchedTask{Name: d.name, Task: d.running})
	}
	return platform.Observation{
		Interval:  t.c.o.Plan.Study.Telemetry.Interval.D(),
		Start:     t.result.Start,
		Devices:   t.devices(),
		Nodes:     t.nodes,
		Instances: t.watchedInstances,
		Tasks:     drivers,
		Seen:      t.c.seen(),
	}
}

// watchedInstances are those that run now: one that a fault killed comes back
// as another process, in another group.
func (t *trial) watchedInstances() []platform.WatchedInstance {
	var all []platform.WatchedInstance
	for _, i := range t.instances {
		for _, s := range i.servers {
			if p := s.current(); p != nil {
				meter, _ := s.engine.(app.Meter)
				all = append(all, platform.WatchedInstance{Name: s.name, Process: p, Meter: meter})
			}
		}
	}
	return all
}

// watch waits for the drivers to end, and ends them when an instance dies.
func (t *trial) watch(ctx context.Context) (err error) {
	ended := t.watchServers(ctx)
	driversDone := make(chan struct{})
	go func() {
		for _, d := range t.drivers {
			<-d.done
		}
		close(driversDone)
	}()
	faults := t.inject(ctx)
	defer func() { err = errors.Join(err, faults.end()) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.stopDrivers(ctx)
			return ctx.Err()
		case err := <-ended:
			t.stopDrivers(ctx)
			return err
		case err := <-faults.failed:
			t.stopDrivers(ctx)
			return err
		case <-driversDone:
			return t.driverFailures()
		case <-tick.C:
			t.live.tick()
		}
	}
}

// watchServers tells of those that end without being asked to.
func (t *trial) watchServers(ctx context.Context) <-chan error {
	var all []*server
	for _, i := range t.instances {
		all = append(all, i.servers...)
	}
	ended := make(chan error, len(all)*(1+len(t.c.o.Plan.Study.Faults)))
	t.ended = ended
	for _, s := range all {
		if p := s.current(); p != nil {
			go s.reportEnd(p, ctx.Done())
		}
	}
	return ended
}

// stopDrivers ends all drivers in order, although ctx may be cancelled.
func (t *trial) stopDrivers(ctx context.Context) {
	patient, cancel := t.c.patient(ctx)
	defer cancel()
	errs := make([]error, len(t.drivers))
	var wait sync.WaitGroup
	for n, d := range t.drivers {
		wait.Go(func() { errs[n] = d.stop(patient) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			t.note(err.Error())
		}
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
func (t *trial) collect(ctx context.Context) error {
	for _, d := range t.drivers {
		if err := d.keepLog(ctx); err != nil {
			return err
		}
	}
	sum, err := t.files.Operations(t.result.Start, t.result.Profile.Whole())
	if err != nil {
		return fmt.Errorf("collect what the drivers recorded: %w", err)
	}
	t.result.Operations, t.result.Instances, t.result.Drivers = sum.Operations, sum.Instances, sum.Drivers
	t.nameVolumes()
	t.result.Events = append(t.result.Events, sum.Events...)
	t.result.Damage = sum.Damage()
	if t.result.Profile.Fixed {
		t.endFixed(sum)
	}
	t.series = append(t.series, sum.Series...)
	t.result.Resources = result.Summarise(t.series, t.result.MeasureStart, t.result.MeasureEnd)
	return nil
}

// nameVolumes writes what each instance lay on beside what it did.
func (t *trial) nameVolumes() {
	for n := range t.result.Instances {
		at := &t.result.Instances[n]
		for _, i := range t.instances {
			if i.number == at.Instance {
				at.Volumes = i.volumeNames()
			}
		}
	}
}

// endFixed ends the measured phase of fixed work where its last user did, and counts
// those who did not finish.
func (t *trial) endFixed(sum *result.Summary) {
	r, users, ended := t.result, t.load().Users*len(t.instances), sum.Ended
	r.Unfinished = users
	if r.Stonewalled = sum.Stonewalled; r.Stonewalled != nil {
		r.Unfinished -= r.Stonewalled.Users
	}
	if r.Unfinished <= 0 {
		ended = sum.Finished // drivers take a moment more to end
	}
	if !ended.IsZero() && ended.Before(r.MeasureEnd) {
		r.MeasureEnd = ended
	}
	if r.Stonewalled != nil {
		r.Stonewalled.UserSeconds += float64(r.Unfinished) * r.MeasureEnd.Sub(r.MeasureStart).Seconds()
	}
}
