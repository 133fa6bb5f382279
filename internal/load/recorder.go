package load

import (
	"fmt"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/result"
	"plimsoll/internal/workload"
)

// recorder takes the timings of all users. One lock is enough: it is held for
// some tens of nanoseconds, a few times a unit of work.
type recorder struct {
	clock   clock
	gap     time.Duration // between the units of users with a rate of their own; else 0
	targets []workload.Target

	mu        sync.Mutex
	first     int      // the oldest slot that is not yet written
	open      []*tally // slots first, first+1, ...; nil where nothing ended
	spare     []*tally // for reuse
	instances []counts // of the measured phase, by target
	events    []result.Record
	reported  map[failureKind]bool
	lost      []time.Time // by target: since when connections fail, zero when they do not
	ended     int64       // units, however
	failed    int64
	full      int64 // failed for lack of space
	waiting   waiting
	behind    lateness // of users with a rate of their own: units that ended after the next was due
	last      error    // of a unit
	fresh     func() *tally
}

// failureKind is what is reported as an event once.
type failureKind struct {
	target int
	class  string
}

func newRecorder(c clock, operations int, targets []workload.Target) *recorder {
	r := &recorder{
		clock: c, targets: targets,
		instances: make([]counts, len(targets)),
		reported:  map[failureKind]bool{},
		lost:      make([]time.Time, len(targets)),
		waiting:   newWaiting(),
		fresh:     func() *tally { return newTally(operations, len(targets)) },
	}
	for i := range r.instances {
		r.instances[i] = newCounts()
	}
	return r
}

// at gives the tally of a moment. What comes after its slot was written counts
// in the oldest one that was not, so that nothing is lost.
func (r *recorder) at(moment time.Time) *tally {
	s := r.clock.slot(moment)
	place := max(0, s.index-r.first)
	for place >= len(r.open) {
		r.open = append(r.open, nil)
	}
	if r.open[place] == nil {
		r.open[place] = r.empty().reuse(s)
	}
	return r.open[place]
}

func (r *recorder) empty() *tally {
	if n := len(r.spare); n > 0 {
		t := r.spare[n-1]
		r.spare = r.spare[:n-1]
		return t
	}
	return r.fresh()
}

// lock waits for the lock by letting others have the processor, which it is soon: the
// scheduler would put a user to sleep and have another thread go on with it, away from
// the processor of the server that answers it.
func (r *recorder) lock() {
	for range yields {
		if r.mu.TryLock() {
			return
		}
		_, _, _ = syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	r.mu.Lock()
}

// yields is how often a user lets others have the processor before it sleeps.
const yields = 100

// observe counts an operation that ended well or was rolled back.
func (r *recorder) observe(target, operation int, end time.Time, d time.Duration, outcome workload.Outcome) {
	r.lock()
	defer r.mu.Unlock()
	t := r.at(end)
	t.operations[operation].add(d, outcome)
	if operation != whole {
		return
	}
	r.ended++
	t.units[target]++
	if r.clock.phase(end.Sub(r.clock.start)) == result.Measure {
		r.instances[target].add(d, outcome)
		r.behind.beyond(d, r.gap)
	}
}

// whole is the operation that is the unit of work.
const whole = 0

// fail counts an operation that ended in an error.
func (r *recorder) fail(target, operation int, end time.Time, class string) {
	r.lock()
	defer r.mu.Unlock()
	r.at(end).operations[operation].fail(class)
	if operation != whole {
		return
	}
	r.ended++
	r.failed++
	if class == workload.OutOfSpace {
		r.full++
	}
	if r.clock.phase(end.Sub(r.clock.start)) == result.Measure {
		r.instances[target].fail(class)
	}
}

func (r *recorder) moved(target, operation int, bytes int64, at time.Time) {
	r.lock()
	defer r.mu.Unlock()
	r.at(at).bytes[operation] += bytes
	if operation == whole && r.clock.phase(at.Sub(r.clock.start)) == result.Measure {
		r.instances[target].bytes += bytes
	}
}

// woke notes a sleeper who was to wake at due.
func (r *recorder) woke(due time.Time) {
	now := time.Now()
	r.lock()
	defer r.mu.Unlock()
	r.at(now).late.add(now.Sub(due))
}

// failures gives how many units failed, of how many, and the last error; full is
// how many of them failed for lack of space.
func (r *recorder) failures() (failed, full, ended int64, last error) {
	r.lock()
	defer r.mu.Unlock()
	return r.failed, r.full, r.ended, r.last
}

// explain makes an event of the first error of each class and instance, and of
// every moment at which the connections of an instance begin to fail.
func (r *recorder) explain(target int, class string, err error) {
	r.lock()
	defer r.mu.Unlock()
	r.last = err
	kind := failureKind{target, class}
	begins := (class == workload.ConnectionLost || class == workload.Refused) && r.lost[target].IsZero()
	if begins {
		r.lost[target] = time.Now()
	}
	if begins || !r.reported[kind] {
		r.reported[kind] = true
		r.event(fmt.Sprintf("instance %d: %s: %v", r.targets[target].Instance, class, err))
	}
}

// recovered makes an event of the first connection after some had failed.
func (r *recorder) recovered(target int) {
	r.lock()
	defer r.mu.Unlock()
	if since := r.lost[target]; !since.IsZero() {
		r.event(fmt.Sprintf("instance %d: users connect again after %v", r.targets[target].Instance, time.Since(since).Round(time.Millisecond)))
		r.lost[target] = time.Time{}
	}
}

// finish notes that a user has done all of its fixed work, and what all users of the
// driver had done by then.
func (r *recorder) finish() {
	r.lock()
	defer r.mu.Unlock()
	now, done := time.Now(), &result.FinishedRecord{}
	for _, i := range r.instances {
		done.Count += i.done
		done.Bytes += i.bytes
	}
	s := r.clock.slot(now)
	r.events = append(r.events, result.Record{Kind: result.KindFinished, Second: s.second, Phase: s.phase, At: now, Finished: done})
}

// event adds an event; the caller holds the lock.
func (r *recorder) event(text string) {
	now := time.Now()
	s := r.clock.slot(now)
	r.events = append(r.events, result.Record{Kind: result.KindEvent, Second: s.second, Phase: s.phase, At: now, Event: text})
}

// note adds an event.
func (r *recorder) note(text string) {
	r.lock()
	defer r.mu.Unlock()
	r.event(text)
}

// takeEvents gives the events since the last call.
func (r *recorder) takeEvents() []result.Record {
	r.lock()
	defer r.mu.Unlock()
	e := r.events
	r.events = nil
	return e
}

// takeSecond gives the tallies of a second, and of those before it that were
// not taken, in order. They are the caller's until release.
func (r *recorder) takeSecond(second int) []*tally {
	end := r.clock.start.Add(time.Duration(second+1)*time.Second - 1)
	last := r.clock.slot(end).index
	r.lock()
	defer r.mu.Unlock()
	n := max(0, last-r.first+1)
	r.first += n
	n = min(n, len(r.open))
	var taken []*tally
	for _, t := range r.open[:n] {
		if t != nil {
			taken = append(taken, t)
		}
	}
	r.open = append(r.open[:0], r.open[n:]...)
	return taken
}

// release takes tallies back for reuse.
func (r *recorder) release(written []*tally) {
	r.lock()
	defer r.mu.Unlock()
	r.spare = append(r.spare, written...)
}

// latest is the second of the newest tally, -1 when there is none.
func (r *recorder) latest() int {
	r.lock()
	defer r.mu.Unlock()
	for i := len(r.open) - 1; i >= 0; i-- {
		if r.open[i] != nil {
			return r.open[i].slot.second
		}
	}
	return -1
}
