package driver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/thread"
	"plimsoll/internal/workload"
)

// drainLimit is how long users may take for the work that they are in when
// the measured phase ends.
const drainLimit = 30 * time.Second

// driver is one job at work.
type driver struct {
	job        Job
	workload   workload.Workload
	parameters workload.Parameters
	profile    describe.Profile
	blocking   bool            // users wait in calls that block a thread
	settings   thread.Settings // that its process uses
	bursts     bursts
	clock      clock
	recorder   *recorder
	receipts   []*receipts // by target
	connected  atomic.Int64
	// schedules are by target, or by user where each has a rate of its own; there are
	// none in the closed loop.
	schedules []*schedule
	// simulated reports that time is simulated, by a test, so that timers are
	// exact.
	simulated bool
}

// Run plays the job's users until the measured phase is over, writing
// result.Records and receipts to out. It returns when everything is flushed. The
// error says why it ended early; the last record says the same.
func Run(ctx context.Context, job Job, w workload.Workload, out Sink) error {
	return drive(ctx, job, w, out, thread.Settings{})
}

// drive does so in a process that uses some settings.
func drive(ctx context.Context, job Job, w workload.Workload, out Sink, used thread.Settings) error {
	d, err := newDriver(job, w)
	if err != nil {
		return err
	}
	d.settings = used
	return d.run(ctx, out)
}

func newDriver(job Job, w workload.Workload) (*driver, error) {
	p, err := workload.DecodeParameters(w, job.Parameters)
	if err != nil {
		return nil, err
	}
	if err := job.check(w, p); err != nil {
		return nil, err
	}
	job.Targets = slices.Clone(job.Targets)
	for i := range job.Targets {
		job.Targets[i].Users = job.Users
	}
	d := &driver{job: job, workload: w, parameters: p, profile: w.Describe(p), blocking: blocked(w, job.Parameters) > 0, clock: newClock(job, time.Now())}
	gap := time.Duration(0)
	if rate := d.profile.UserRate; rate > 0 {
		gap = time.Duration(float64(time.Second) / rate)
	}
	d.recorder = newRecorder(d.clock, len(d.profile.Operations), job.Targets, job.Users*len(job.Targets), gap)
	d.makeSchedules()
	return d, nil
}

// makeSchedules begins the schedules when the ramp is over.
func (d *driver) makeSchedules() {
	d.bursts = newBursts(d.job, d.clock)
	for i, t := range d.job.Targets {
		if d.job.Rate > 0 {
			d.schedules = append(d.schedules, newSchedule(d.job, i, d.bursts))
		}
		for number := 0; d.profile.UserRate > 0 && number < d.job.Users; number++ {
			d.schedules = append(d.schedules, newUserSchedule(d.profile.UserRate, d.job.Seed, t.Instance, number, d.bursts))
		}
	}
}

// scheduleOf returns the schedule of a user, or nil in the closed loop.
func (d *driver) scheduleOf(target, number int) *schedule {
	switch {
	case d.profile.UserRate > 0:
		return d.schedules[target*d.job.Users+number]
	case d.job.Rate > 0:
		return d.schedules[target]
	}
	return nil
}

// keepReceipts prepares to keep receipts of each target.
func (d *driver) keepReceipts(out Sink) {
	for _, t := range d.job.Targets {
		d.receipts = append(d.receipts, &receipts{instance: t.Instance, out: out})
	}
}

func (d *driver) flushReceipts() error {
	var all []error
	for _, a := range d.receipts {
		all = append(all, a.flush())
	}
	return errors.Join(all...)
}

func (d *driver) run(ctx context.Context, out Sink) error {
	d.keepReceipts(out)
	outer := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if late := time.Since(d.clock.start); !d.job.Start.IsZero() && late > 0 {
		d.recorder.note(fmt.Sprintf("the driver started %v after the common start time", late.Round(time.Millisecond)))
	}
	r := newReporter(d, out)
	reason := r.watch(ctx, stop, d.startUsers(ctx))
	failed := d.flushReceipts()
	return errors.Join(reason, r.finish(outer, errors.Join(reason, failed)), failed)
}

// startUsers starts all users; the channel is closed when they have ended.
func (d *driver) startUsers(ctx context.Context) <-chan struct{} {
	var all sync.WaitGroup
	for number := range d.job.Users {
		for target := range d.job.Targets {
			all.Go(func() { d.newUser(target, number).run(ctx, d.begin(d.place(target, number))) })
		}
	}
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	return ended
}

// place counts all users, of one target after the other in turn.
func (d *driver) place(target, number int) int { return number*len(d.job.Targets) + target }

// begin is when a user begins, by place in the ramp. Targets take turns.
func (d *driver) begin(place int) time.Time {
	if d.job.RampRate == 0 {
		return d.clock.start
	}
	return d.clock.start.Add(time.Duration(float64(place) / d.job.RampRate * float64(time.Second)))
}

func (d *driver) newUser(target, number int) *user {
	place := d.place(target, number)
	instance := d.job.Targets[target].Instance
	random := rand.New(rand.NewPCG(d.job.Seed, uint64(instance)<<32|uint64(number)))
	return &user{
		driver: d, target: target, number: number, random: random, seed: random.Uint64(), schedule: d.scheduleOf(target, number),
		recorder: userRecorder{shared: d.recorder, shard: d.recorder.shard(place), receipts: d.receipts[target], target: target, blocking: d.blocking},
	}
}

// backlog is how many units are due and not begun.
func (d *driver) backlog(now time.Time) int64 {
	n := int64(0)
	for _, s := range d.schedules {
		n += s.backlog(now)
	}
	return n
}
