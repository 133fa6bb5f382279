package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/text/unit"
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
	if err := t.eachMember((*member).keepReceipts); err != nil {
		return err
	}
	t.live = t.newLive()
	for _, d := range drivers {
		switch err := d.start(ctx); {
		case err == nil:
			t.drivers = append(t.drivers, d)
		case ctx.Err() != nil:
			return err
		default:
			if err := t.exclude(d.instances, err); err != nil {
				return err
			}
		}
	}
	return errors.Join(t.observe(ctx), t.collect(ctx))
}

// reserve has the platform make places for the drivers, which takes time on a
// cluster: only then can a common start be named.
func (t *trial) reserve(ctx context.Context, drivers []*instanceDriver) (err error) {
	var tasks []platform.Task
	for _, d := range drivers {
		about, err := d.task()
		if err != nil {
			return err
		}
		tasks = append(tasks, about)
	}
	if t.release, err = t.Platform.Reserve(ctx, tasks); err != nil {
		return fmt.Errorf("make places for %d drivers: %w", len(drivers), err)
	}
	return nil
}

// observe watches drivers and machines until the users have gone.
func (t *trial) observe(ctx context.Context) error {
	observer, err := t.Platform.Observe(ctx, t.observation())
	if err != nil {
		t.stopDrivers(ctx)
		return fmt.Errorf("observe the machines: %w", err)
	}
	watchErr := t.watch(ctx)
	patient, cancel := t.Clock.Patient(ctx)
	defer cancel()
	seen, err := observer.Stop(patient)
	if err != nil {
		t.note("what the machines did is not known: " + err.Error())
	}
	writeErr := t.keep(t.leaveOut(seen.Series))
	t.result.Machines = seen.Machines
	t.result.Notes = append(t.result.Notes, seen.Notes...)
	t.askStorages(ctx)
	return errors.Join(watchErr, writeErr)
}

// askStorages notes what the storages say about the trial that they bore.
func (t *trial) askStorages(ctx context.Context) {
	for _, s := range t.storages {
		can := s.Capabilities()
		if can.Doubts != nil {
			t.distrust(can.Doubts(ctx))
		}
		if can.TierWork == nil {
			continue
		}
		if work, err := can.TierWork(ctx); err == nil { // who does not answer has a doubt of its own
			t.note(work.String())
		}
	}
}

// distrust notes what a storage class says against its own figures.
func (t *trial) distrust(doubts []storage.Doubt) {
	for _, d := range doubts {
		if d.Lost > 0 {
			t.result.Behind = append(t.result.Behind, result.MediaDelay{Text: d.Said.Text, Figures: d.Said.Figures, Seconds: d.Lost.Seconds()})
		} else {
			t.result.Doubts = append(t.result.Doubts, d.Said.Text)
		}
	}
}

// schedule names the common start and writes the times of the phases into the
// result.
func (t *trial) schedule(drivers []*instanceDriver) {
	delay := startDelay(len(drivers), t.Plan.Study.Telemetry.Interval.D())
	start, ramp := time.Now().Add(delay).Truncate(time.Millisecond), drivers[0].job.Ramp
	for _, d := range drivers {
		d.job.Start = start
	}
	phases := t.members[0].phases() // a member with fixed work has other phases, and is alone in its trial
	t.result.Start = start
	t.result.RampSeconds = ramp.D().Seconds()
	t.result.WarmupSeconds = phases.Warmup.D().Seconds()
	t.result.MeasureStart = start.Add(ramp.D() + phases.Warmup.D())
	t.result.MeasureEnd = t.result.MeasureStart.Add(phases.Measure.D())
}

// longestRamp is how long the slowest driver needs to start its users.
func longestRamp(all []*instanceDriver) unit.Duration {
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
		Interval:  t.Plan.Study.Telemetry.Interval.D(),
		Start:     t.result.Start,
		Devices:   t.devices(),
		Nodes:     t.nodes,
		Meters:    t.meters,
		Instances: t.watchedInstances,
		Tasks:     drivers,
		Seen:      t.Watch.Seen(),
	}
}

// watchedInstances returns the instances that run now: one that a fault killed comes back
// as another process, in another group.
func (t *trial) watchedInstances() []platform.WatchedInstance {
	var all []platform.WatchedInstance
	for _, i := range t.working() {
		for _, s := range i.Servers {
			if w, ok := s.Watched(); ok {
				all = append(all, w)
			}
		}
	}
	return all
}

// watch waits for the drivers to end, and ends them when an instance dies that the study
// does not tolerate.
func (t *trial) watch(ctx context.Context) (err error) {
	ended := t.watchServers(ctx)
	driversDone, driverFailed := t.watchDrivers()
	faults := t.inject(ctx)
	defer func() { err = errors.Join(err, faults.end()) }()
	full, stopLooking := t.watchRoom(ctx)
	defer stopLooking()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.stopDrivers(ctx)
			return ctx.Err()
		case e := <-ended:
			if err := t.survive(e); err != nil {
				t.stopDrivers(ctx)
				return err
			}
		case err := <-faults.failed:
			t.stopDrivers(ctx)
			return err
		case err := <-full:
			t.stopDrivers(ctx)
			return err
		case first := <-driverFailed:
			if err := t.lost(first); err != nil {
				t.stopDrivers(ctx)
				return t.driverFailures(first, err)
			}
		case <-driversDone:
			return t.driverFailures(nil, nil)
		case <-tick.C:
			t.live.tick()
		}
	}
}

// survive is what becomes of the trial's error when a server ended by itself.
func (t *trial) survive(e ending) error {
	if e.instance == nil {
		return e.err
	}
	return t.exclude([]*instance.Instance{e.instance}, e.err)
}

// watchDrivers reports when all have ended, and before that when one has failed, if that
// matters already: what other members measure from then on is another load, and more
// instances may be lost than the study tolerates.
func (t *trial) watchDrivers() (done <-chan struct{}, failed <-chan *instanceDriver) {
	all, bad := make(chan struct{}), make(chan *instanceDriver, len(t.drivers))
	var wait sync.WaitGroup
	for _, d := range t.drivers {
		wait.Go(func() {
			if <-d.done; d.err != nil && (len(t.members) > 1 || t.tolerance() > 0) {
				bad <- d
			}
		})
	}
	go func() {
		wait.Wait()
		close(all)
	}()
	return all, bad
}

// watchServers reports those that end without being asked to.
func (t *trial) watchServers(ctx context.Context) <-chan ending {
	var all []*instance.Server
	for _, i := range t.working() {
		all = append(all, i.Servers...)
	}
	ended := make(chan ending, len(all)*(1+len(t.moments(t.actors()))))
	t.ended = ended
	for _, s := range all {
		t.report(s, ctx.Done())
	}
	return ended
}

// report reports that a server that runs now ended without being asked to.
func (t *trial) report(s *instance.Server, stop <-chan struct{}) {
	p, i := s.Current(), s.Instance()
	if p == nil {
		return
	}
	go func() {
		err := s.AwaitEnd(p, stop)
		if err == nil {
			return
		}
		at := time.Now()
		t.ended <- ending{i, timedError{at, t.memberOf(i).blame(fmt.Errorf("server %s ended at %s, %.1f s after the start: %w",
			s.Name, at.Format(time.TimeOnly), at.Sub(t.result.Start).Seconds(), err))}}
	}()
}

// stopDrivers ends all drivers in order, although ctx may be cancelled.
func (t *trial) stopDrivers(ctx context.Context) {
	patient, cancel := t.Clock.Patient(ctx)
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

// driverFailures joins the failures of all drivers that the study does not tolerate. The first
// driver to fail comes first, because the others were stopped as a consequence. Without such a
// first one, each failure may be tolerated.
func (t *trial) driverFailures(first *instanceDriver, why error) error {
	errs := []error{why}
	for _, d := range t.drivers {
		switch {
		case first == nil:
			errs = append(errs, t.lost(d))
		case d != first && !d.lost:
			errs = append(errs, d.failure())
		}
	}
	return errors.Join(errs...)
}

// collect merges what the drivers recorded. It also does so after a failure,
// because what was measured until then shows the cause.
func (t *trial) collect(ctx context.Context) error {
	for _, d := range t.drivers {
		d.noteClock()
		if err := d.keepLog(ctx); err != nil {
			return err
		}
	}
	if err := t.files.Merge(); err != nil {
		return fmt.Errorf("merge what the drivers recorded: %w", err)
	}
	if err := errors.Join(t.eachMember((*member).collect), t.files.RemoveMerged()); err != nil {
		return err
	}
	t.result.Resources = append(t.result.Resources, result.Summarise(t.unsummed, t.result.MeasureStart, t.result.MeasureEnd)...)
	t.unsummed = nil
	return nil
}

// keep writes series and sums them up, of fixed work later: when its phase ends is not known
// before its records are summed. All others need not stay in memory.
func (t *trial) keep(some []result.Series) error {
	if slices.ContainsFunc(t.members, func(m *member) bool { return m.result.Profile.Fixed }) {
		t.unsummed = append(t.unsummed, some...)
	} else {
		t.result.Resources = append(t.result.Resources, result.Summarise(some, t.result.MeasureStart, t.result.MeasureEnd)...)
	}
	return t.files.Series(some)
}
