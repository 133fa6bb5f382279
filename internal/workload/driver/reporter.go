package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"plimsoll/internal/host/thread"
	"plimsoll/internal/result"
)

const (
	// probeInterval is how often the reporter wakes. It notes how late it
	// wakes, as users do, so that a driver that gets too little CPU shows even
	// when no user sleeps; see probed.
	probeInterval = 50 * time.Millisecond
	// fewestFailures is how many units must have failed before a driver stops: the first
	// unit's failure would be 100 % of all.
	fewestFailures = 10
)

// reporter writes the records of a driver.
type reporter struct {
	driver     *driver
	operations []string
	apart      bool // users do not wait as the reporter does; see probed
	out        Sink
	encoder    *encoder
	sampled    int // seconds sampled, and thus complete
	samples    map[int]result.Record
	written    int // seconds written
	before     usage
	tidied     bool  // memory that connecting took has been given back
	err        error // the first that occurred in writing
}

func newReporter(d *driver, out Sink) *reporter {
	return &reporter{
		driver: d, operations: d.profile.Operations,
		apart: d.blocking || d.settings.Alone,
		out:   out, encoder: newEncoder(),
		samples: map[int]result.Record{}, before: cpuUsage(),
	}
}

// newSleep returns a function that signals when a moment has come. If users have threads,
// it sleeps on one as they do: Go's timers would have to wait until one of them yields.
func newSleep() (until func(time.Time) <-chan time.Time, stop func()) {
	if thread.TakePlace() {
		now := make(chan time.Time)
		close(now)
		return func(due time.Time) <-chan time.Time { thread.SleepUntil(due); return now }, thread.GivePlace
	}
	timer := time.NewTimer(0)
	return func(due time.Time) <-chan time.Time { timer.Reset(time.Until(due)); return timer.C }, func() { timer.Stop() }
}

// errDrained ends work that took too long after the measured phase; that is
// no failure of the driver.
var errDrained = errors.New("the measured phase is over")

// watch reports each second until all users have ended and the measured phase
// is over, and ends the driver early when it must. The error says why it did.
func (r *reporter) watch(ctx context.Context, stop context.CancelCauseFunc, ended <-chan struct{}) error {
	sleep, stopSleep := newSleep()
	defer stopSleep()
	for {
		due := r.nextProbe(time.Now())
		select {
		case <-ended:
			if !r.idle(ctx) {
				return reasonToEnd(ctx)
			}
			ended = nil
		case <-sleep(due):
			r.probed(due)
		}
		now := time.Now()
		r.report(now)
		r.tidy(now)
		if err := r.reasonToStop(now); err != nil {
			stop(err)
		}
		if ended == nil && !r.idle(ctx) {
			return reasonToEnd(ctx)
		}
	}
}

// probed notes how late the reporter woke. Where users' calls block threads, or a single
// user keeps the place while he waits, it notes nothing: they wait in the kernel, but the
// reporter for a turn in Go's scheduler.
func (r *reporter) probed(due time.Time) {
	if !r.apart {
		r.driver.recorder.shard(0).woke(due)
	}
}

// tidy returns memory to the system once all users are connected, unless measuring has
// begun. Libraries allocate much more to connect than a connection needs.
func (r *reporter) tidy(now time.Time) {
	d := r.driver
	if r.tidied || d.connected.Load() < int64(d.job.Users*len(d.job.Targets)) || d.clock.phase(now.Sub(d.clock.start)) == result.Measure {
		return
	}
	r.tidied = true
	debug.FreeOSMemory()
}

// idle reports whether users have nothing more to do although the measured
// phase goes on, as in the open loop before its end. Fixed work is over
// then.
func (r *reporter) idle(ctx context.Context) bool {
	return ctx.Err() == nil && !r.driver.profile.Fixed && time.Now().Before(r.driver.clock.end())
}

// reasonToEnd is why the context ended, nil if it did not or only to drain.
func reasonToEnd(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errDrained) {
		return err
	}
	return nil
}

// nextProbe is the next multiple of the interval since the common start, so
// that probes fall on the ends of seconds.
func (r *reporter) nextProbe(now time.Time) time.Time {
	start := r.driver.clock.start
	if now.Before(start) {
		return start
	}
	return start.Add((now.Sub(start)/probeInterval + 1) * probeInterval)
}

// reasonToStop says why the driver should end now.
func (r *reporter) reasonToStop(now time.Time) error {
	if r.err != nil {
		return r.err
	}
	if now.After(r.driver.clock.end().Add(drainLimit)) {
		return errDrained
	}
	limit := r.driver.job.ErrorLimit
	units, last := r.driver.recorder.failures(r.driver.job.Tolerate)
	unit := r.driver.profile.Unit
	switch {
	case limit > 0 && units.failed >= fewestFailures && float64(units.failed) > limit*float64(units.all):
		return withLast(fmt.Errorf("%d of %d %s failed, more than the limit of %g %%", units.failed, units.all, unit.Of(units.all), 100*limit), last)
	case limit > 0 && units.full >= fewestFailures: // it does not go by
		return withLast(fmt.Errorf("%d %s failed for lack of space", units.full, unit.Of(units.full)), last)
	}
	return nil
}

func withLast(why, last error) error {
	if last == nil {
		return why
	}
	return fmt.Errorf("%w, the last with: %w", why, last)
}

// report samples the driver at the end of each second and writes the second
// before it, so that what ended in a second has had another to be recorded.
func (r *reporter) report(now time.Time) {
	complete := int(now.Sub(r.driver.clock.start) / time.Second)
	for r.sampled < complete {
		r.samples[r.sampled] = r.sample(now)
		r.sampled++
		r.writeUpTo(r.sampled - 1)
		r.keep(r.driver.flushReceipts())
		r.keep(r.out.Flush())
	}
}

// sample says what the driver used since the last sample.
func (r *reporter) sample(now time.Time) result.Record {
	used := cpuUsage()
	record := result.Record{
		Kind:      result.KindDriver,
		CPUUser:   (used.user - r.before.user).Seconds(),
		CPUSystem: (used.system - r.before.system).Seconds(),
		RSS:       residentBytes(),
		Users:     int(r.driver.connected.Load()),
		Threads:   runtime.GOMAXPROCS(0),
		Backlog:   r.driver.backlog(now),
	}
	r.before = used
	return record
}

// writeUpTo writes all seconds before the given one.
func (r *reporter) writeUpTo(second int) {
	for ; r.written < second; r.written++ {
		r.writeSecond(r.written)
	}
}

func (r *reporter) writeSecond(second int) {
	for _, e := range r.driver.recorder.takeEvents() {
		r.write(e)
	}
	tallies := r.driver.recorder.takeSecond(second)
	units, late := map[int]int64{}, lateness{}
	for _, t := range tallies {
		r.writeOperations(t)
		late.merge(t.late)
		for target, n := range t.units {
			if n > 0 {
				units[r.driver.job.Targets[target].Instance] += n
			}
		}
	}
	r.driver.recorder.release(tallies)
	record := r.samples[second]
	delete(r.samples, second)
	record.Kind, record.Second = result.KindDriver, second
	since := time.Duration(second) * time.Second
	record.Phase = r.driver.clock.phase(since)
	record.Off = !r.driver.bursts.on(r.driver.clock.start.Add(since))
	record.Units, record.LateMax, record.LateMean, record.Wakes = units, late.max.Seconds(), late.mean().Seconds(), late.count
	r.write(record)
}

func (r *reporter) writeOperations(t *tally) {
	for i := range t.operations {
		c := &t.operations[i]
		effort, spent := t.efforts[i]
		if c.empty() && t.bytes[i] == 0 && !spent {
			continue
		}
		histogram, err := r.encoder.encode(c.times)
		r.keep(err)
		r.write(result.Record{
			Kind: result.KindOperation, Second: t.slot.second, Phase: t.slot.phase,
			Operation: r.operations[i], Count: c.done, RolledBack: c.rolledBack, Errors: c.errors,
			Bytes: t.bytes[i], Histogram: histogram, Effort: result.Spent(effort),
		})
	}
}

// finish writes the remaining records, the instances, the driver's ceiling and the end, with
// the reason if the driver ended early.
func (r *reporter) finish(ctx context.Context, reason error) error {
	now := time.Now()
	second := r.driver.clock.slot(now).second
	if r.sampled <= second {
		r.samples[second] = r.sample(now)
	}
	r.noteBacklog(now)
	r.noteBehind()
	r.writeUpTo(max(second, r.driver.recorder.latest()) + 1)
	r.writeWaiting(now)
	r.writeInstances()
	if reason == nil && r.driver.job.Ceiling > 0 {
		r.writeCeiling(ctx, second)
	}
	end := result.Record{Kind: result.KindEnd, Second: second, At: now}
	if reason != nil {
		end.Event = reason.Error()
	}
	r.write(end)
	r.keep(r.out.Flush())
	return r.err
}

// noteBacklog makes an event of work that was due and never begun.
func (r *reporter) noteBacklog(now time.Time) {
	end := r.driver.clock.measured()
	if now.Before(end) {
		end = now
	}
	if n := r.driver.backlog(end); n > 0 {
		r.driver.recorder.note(fmt.Sprintf("%d %s that were due had not started at the end, so response times are longer than recorded", n, r.driver.profile.Unit.Plural))
	}
}

// noteBehind makes an event of units that ended when the user's next one was due already:
// what a camera records must be kept somewhere for so long.
func (r *reporter) noteBehind() {
	if b := r.driver.recorder.behind(); b.count > 0 {
		r.driver.recorder.note(fmt.Sprintf("%d %s of the measured phase ended after the next one of their user was due, by up to %v",
			b.count, r.driver.profile.Unit.Plural, b.max.Round(time.Millisecond)))
	}
}

func (r *reporter) writeInstances() {
	for i, t := range r.driver.job.Targets {
		c := r.driver.recorder.instance(i)
		histogram, err := r.encoder.encode(c.times)
		r.keep(err)
		r.write(result.Record{Kind: result.KindInstance, Instance: &result.InstanceRecord{
			Instance: t.Instance, Count: c.done, Bytes: c.bytes, RolledBack: c.rolledBack, Errors: c.errors, Histogram: histogram,
			Operations: r.partsOf(c), Waiting: r.waitingAt(i),
		}})
	}
}

// partsOf returns the records of the operations that an instance's units of work consist
// of.
func (r *reporter) partsOf(c instanceCounts) map[string]result.PartRecord {
	parts := map[string]result.PartRecord{}
	for operation, p := range c.parts {
		histogram, err := r.encoder.encode(p.times)
		r.keep(err)
		parts[r.operations[operation]] = result.PartRecord{Count: p.done, RolledBack: p.rolledBack, Errors: p.errors, Histogram: histogram}
	}
	return parts
}

// write writes one record.
func (r *reporter) write(record result.Record) {
	record.Driver, record.Member = r.driver.job.Name, r.driver.job.Member
	line, err := json.Marshal(record)
	if err == nil && r.err == nil {
		err = r.out.Record(line)
	}
	r.keep(err)
}

// keep keeps the first error.
func (r *reporter) keep(err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("write the driver's records: %w", err)
	}
}
