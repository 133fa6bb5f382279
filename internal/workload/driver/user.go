package driver

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"plimsoll/internal/workload"
)

const (
	// connectLimit bounds one attempt to connect.
	connectLimit = 30 * time.Second
	// A user who cannot connect tries again after firstBackOff, then after
	// twice that and so on up to longestBackOff.
	firstBackOff   = 10 * time.Millisecond
	longestBackOff = time.Second
)

// user plays one user of one target until the measured phase is over.
type user struct {
	driver   *driver
	target   int
	number   int // within the target
	random   *rand.Rand
	seed     uint64
	schedule *schedule // nil in the closed loop
	recorder userRecorder
	timer    *time.Timer
	alarm    *alarm // in the open loop; nil where there is none to be had
	session  workload.Session
	cut      bool // a paced session was told that there are no more units
}

// finish notes that fixed work is all done.
func (u *user) finish() {
	if u.driver.profile.Fixed {
		u.recorder.shared.finish()
	}
}

// begin notes that fixed work begins.
func (u *user) begin() {
	if u.driver.profile.Fixed {
		u.recorder.shared.beginFixed()
	}
}

// run begins at a moment of the ramp. Fixed work is measured from its first unit on: its users
// connect before.
func (u *user) run(ctx context.Context, begin time.Time) {
	u.timer = time.NewTimer(0)
	defer u.timer.Stop()
	defer u.setAlarm()()
	connected := u.driver.profile.Fixed && u.connect(ctx)
	paused := u.pause(ctx, begin) // a late start is nobody's delay
	for paused && (connected || u.connect(ctx)) {
		connected = false
		u.begin()
		over := u.play(ctx)
		u.driver.connected.Add(-1)
		_ = u.session.Close() // it may be broken, and nothing is lost with it
		if over {
			return
		}
	}
	if connected {
		u.driver.connected.Add(-1)
		_ = u.session.Close() // nothing was done with it
	}
}

// setAlarm sets an alarm for the user in the open loop. If that fails, units begin up to a
// millisecond late; the records report it, and the run continues.
func (u *user) setAlarm() (remove func()) {
	if u.schedule == nil || u.driver.simulated {
		return func() {}
	}
	a, err := newAlarm()
	if err != nil {
		u.recorder.shared.note(err.Error())
		return func() {}
	}
	u.alarm = a
	return func() { _ = a.close() } // a timer has nothing to lose
}

// connect opens a session, trying until it works or the driver ends. Each
// attempt that fails counts as a failed unit of work: it is one to whoever waits.
func (u *user) connect(ctx context.Context) bool {
	for wait := firstBackOff; !u.over(ctx); wait = min(2*wait, longestBackOff) {
		u.recorder.begin(time.Now())
		err := u.open(ctx)
		if err == nil {
			u.recorder.settleWaiting()
			u.driver.connected.Add(1)
			u.recorder.shared.recovered(u.target)
			return true
		}
		u.recorder.settle(ctx, err)
		pause := wait/2 + time.Duration(u.random.Int64N(int64(wait)))
		u.pause(ctx, time.Now().Add(pause))
	}
	return false
}

func (u *user) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	d := u.driver
	session, err := d.workload.Open(ctx, d.job.Targets[u.target], d.parameters, u.number, u.seed)
	u.session = session
	return err
}

// play works until the end (true) or until the connection is lost.
func (u *user) play(ctx context.Context) (over bool) {
	if s, ok := u.session.(workload.PacedSession); ok {
		return u.playPaced(ctx, s)
	}
	for u.await(ctx) {
		err := u.session.Do(ctx, &u.recorder)
		if errors.Is(err, workload.ErrFinished) {
			u.finish()
			return true
		}
		u.recorder.settle(ctx, err)
		if u.session.Broken() {
			return false
		}
		if !u.think(ctx) {
			return true
		}
	}
	return true
}

// playPaced lets a session work that takes by itself when its units are due.
func (u *user) playPaced(ctx context.Context, s workload.PacedSession) (over bool) {
	u.recorder.paced = true
	s.Pace(pace{u, ctx})
	for {
		err := s.Do(ctx, &u.recorder)
		if finished := errors.Is(err, workload.ErrFinished); finished || ctx.Err() != nil {
			if finished && !u.cut {
				u.finish()
			}
			return true
		}
		u.recorder.settle(ctx, err)
		if s.Broken() {
			return false
		}
	}
}

// pace is workload.Pace for one user.
type pace struct {
	u   *user
	ctx context.Context
}

// Next implements workload.Pace: at once or after thinking in the closed loop,
// on schedule in the open one.
func (p pace) Next() (due time.Time, more bool) {
	due, more = p.next()
	p.u.cut = p.u.cut || !more
	return due, more
}

func (p pace) next() (due time.Time, more bool) {
	if p.u.over(p.ctx) {
		return due, false
	}
	switch think := p.u.thinkTime(); {
	case p.u.schedule != nil:
		due = p.u.schedule.take()
	case think > 0 || !p.u.driver.bursts.always():
		due = p.u.driver.bursts.next(time.Now().Add(think))
	default:
		return due, true
	}
	return due, due.Before(p.u.driver.clock.end())
}

// await begins the next unit; in the open loop it waits until it is due. It is
// false when there is none before the end.
func (u *user) await(ctx context.Context) bool {
	now := workload.Now()
	if u.overAt(ctx, now) {
		return false
	}
	if u.schedule == nil {
		return u.awaitBurst(ctx, now)
	}
	u.recorder.due = u.schedule.take()
	u.recorder.begin(u.recorder.due)
	return u.recorder.due.Before(u.driver.clock.end()) && u.sleepExactly(ctx, u.recorder.due)
}

// awaitBurst begins the next unit of the closed loop: at once, or with the next burst.
func (u *user) awaitBurst(ctx context.Context, now time.Time) bool {
	if due := u.driver.bursts.next(now); due.After(now) {
		if !due.Before(u.driver.clock.end()) || !u.sleepUntil(ctx, due) {
			return false
		}
		now = workload.Now()
	}
	u.recorder.begin(now)
	return true
}

// think pauses after a unit.
func (u *user) think(ctx context.Context) bool {
	pause := u.thinkTime()
	if pause == 0 {
		return true
	}
	due := time.Now().Add(pause)
	return due.Before(u.driver.clock.end()) && u.sleepUntil(ctx, due)
}

// thinkTime draws a pause uniformly from [0, 2*ThinkTime).
func (u *user) thinkTime() time.Duration {
	mean := u.driver.job.ThinkTime.D()
	if mean == 0 {
		return 0
	}
	return time.Duration(u.random.Int64N(int64(2 * mean)))
}

// over reports whether no unit may begin any more.
func (u *user) over(ctx context.Context) bool { return u.overAt(ctx, workload.Now()) }

func (u *user) overAt(ctx context.Context, now time.Time) bool {
	return ctx.Err() != nil || !now.Before(u.driver.clock.end())
}

// sleepUntil sleeps and notes how late the user woke; a moment that has passed
// is no sleep.
func (u *user) sleepUntil(ctx context.Context, due time.Time) bool {
	if !due.After(time.Now()) {
		return ctx.Err() == nil
	}
	if !u.pause(ctx, due) {
		return false
	}
	u.recorder.shard.woke(due)
	return true
}

// timerSlack is by how much Go's timers may be late; see alarm.
const timerSlack = 1500 * time.Microsecond

// sleepExactly is sleepUntil for the open loop, whose response times would
// contain the lateness of a timer: the alarm sleeps the end of the time.
func (u *user) sleepExactly(ctx context.Context, due time.Time) bool {
	if u.alarm == nil {
		return u.sleepUntil(ctx, due)
	}
	if early := due.Add(-timerSlack); early.After(time.Now()) && !u.pause(ctx, early) {
		return false
	}
	rest := time.Until(due)
	if rest <= 0 {
		return ctx.Err() == nil
	}
	if u.alarm.sleep(rest) != nil {
		return u.sleepUntil(ctx, due)
	}
	u.recorder.shard.woke(due)
	return ctx.Err() == nil
}

// pause sleeps; it is false when the driver ended meanwhile.
func (u *user) pause(ctx context.Context, due time.Time) bool {
	u.timer.Reset(time.Until(due))
	select {
	case <-u.timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
