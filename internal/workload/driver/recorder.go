package driver

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/result"
	"plimsoll/internal/workload"
)

// recorder records the timings of all users in shards, and rare events by itself.
type recorder struct {
	clock   clock
	targets []workload.Target
	shards  []*shard

	mu       sync.Mutex // may be taken by who holds a shard, not the other way round
	spare    []*tally   // for reuse
	events   []result.Record
	began    bool // fixed work
	reported map[failureKind]bool
	lost     []time.Time    // by target: since when connections fail, zero when they do not
	waiting  []pendingUnits // by target
	last     error          // of a unit
	fresh    func() *tally
}

// failureKind identifies a kind of failure. Each kind is reported as an event once.
type failureKind struct {
	target int
	class  string
}

// shardsPerProcessor makes it rare that two users at work share a shard. Who waits for one
// lets another thread have the processor (docs/driver-measurements.md).
const shardsPerProcessor = 4

// newRecorder makes a recorder of so many operations for so many users in all; gap is the
// time between the units of users with a rate of their own, else 0.
func newRecorder(c clock, operations int, targets []workload.Target, users int, gap time.Duration) *recorder {
	r := &recorder{
		clock: c, targets: targets,
		reported: map[failureKind]bool{},
		lost:     make([]time.Time, len(targets)),
		waiting:  make([]pendingUnits, len(targets)),
		fresh:    func() *tally { return newTally(operations, len(targets)) },
	}
	for range max(1, min(users, shardsPerProcessor*runtime.NumCPU())) {
		r.shards = append(r.shards, newShard(c, gap, len(targets), r.empty))
	}
	return r
}

// shard is where a user's timings go, by the user's place among all.
func (r *recorder) shard(place int) *shard { return r.shards[place%len(r.shards)] }

// empty returns a tally to be reused.
func (r *recorder) empty() *tally {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.spare); n > 0 {
		t := r.spare[n-1]
		r.spare = r.spare[:n-1]
		return t
	}
	return r.fresh()
}

// failures counts how the units of all targets ended, and returns the last error. It leaves
// out but targets, the ones with the most failures, but always counts at least one.
func (r *recorder) failures(but int) (sum outcomes, last error) {
	by := make([]outcomes, len(r.targets))
	for _, s := range r.shards {
		s.read(func() {
			for target, e := range s.ended {
				by[target].add(e)
			}
		})
	}
	if but > 0 {
		slices.SortFunc(by, func(a, b outcomes) int { return cmp.Compare(a.failed, b.failed) })
	}
	for _, e := range by[:max(1, len(by)-but)] {
		sum.add(e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return sum, r.last
}

// instance sums what a target did in the measured phase.
func (r *recorder) instance(target int) instanceCounts {
	sum := instanceCounts{counts: newCounts()}
	for _, s := range r.shards {
		s.read(func() { sum.merge(&s.instances[target]) })
	}
	return sum
}

// behind sums the units that ended after the next one of their user was due.
func (r *recorder) behind() (sum lateness) {
	for _, s := range r.shards {
		s.read(func() { sum.merge(s.behind) })
	}
	return sum
}

// explain makes an event of the first error of each class and instance, and of
// every moment at which the connections of an instance begin to fail.
func (r *recorder) explain(target int, class string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = err
	kind := failureKind{target, class}
	begins := (class == errorclass.ConnectionLost || class == errorclass.Refused) && r.lost[target].IsZero()
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
	r.mu.Lock()
	defer r.mu.Unlock()
	if since := r.lost[target]; !since.IsZero() {
		r.event(fmt.Sprintf("instance %d: users connect again after %v", r.targets[target].Instance, time.Since(since).Round(time.Millisecond)))
		r.lost[target] = time.Time{}
	}
}

// beginFixed notes when the first unit of fixed work begins.
func (r *recorder) beginFixed() {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.began {
		return
	}
	r.began = true
	at := r.clock.slot(now)
	r.events = append(r.events, result.Record{Kind: result.KindBegan, Second: at.second, Phase: at.phase, At: now})
}

// finish notes that a user has done all of its fixed work, and what all users of the
// driver had done by then.
func (r *recorder) finish() {
	now, done := time.Now(), &result.FinishedRecord{}
	for _, s := range r.shards {
		s.read(func() {
			for _, i := range s.instances {
				done.Count += i.done
				done.Bytes += i.bytes
			}
		})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.clock.slot(now)
	r.events = append(r.events, result.Record{Kind: result.KindFinished, Second: at.second, Phase: at.phase, At: now, Finished: done})
}

// event adds an event; the caller holds the lock.
func (r *recorder) event(text string) {
	now := time.Now()
	s := r.clock.slot(now)
	r.events = append(r.events, result.Record{Kind: result.KindEvent, Second: s.second, Phase: s.phase, At: now, Event: text})
}

// note adds an event.
func (r *recorder) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.event(text)
}

// takeEvents returns the events since the last call.
func (r *recorder) takeEvents() []result.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.events
	r.events = nil
	return e
}

// takeSecond returns the tallies of a second, and of those before it that were
// not taken, in order. They are the caller's until release.
func (r *recorder) takeSecond(second int) []*tally {
	end := r.clock.start.Add(time.Duration(second+1)*time.Second - 1)
	last := r.clock.slot(end).index
	sums := map[slot]*tally{}
	for _, s := range r.shards {
		for _, t := range s.take(last) {
			if sum := sums[t.slot]; sum != nil {
				sum.merge(t)
				r.release([]*tally{t})
			} else {
				sums[t.slot] = t
			}
		}
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b *tally) int { return a.slot.index - b.slot.index })
}

// release takes tallies back for reuse.
func (r *recorder) release(written []*tally) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spare = append(r.spare, written...)
}

// latest is the second of the newest tally, -1 when there is none.
func (r *recorder) latest() int {
	latest := -1
	for _, s := range r.shards {
		latest = max(latest, s.latest())
	}
	return latest
}
