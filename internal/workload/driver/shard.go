package driver

import (
	"sync"
	"syscall"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/result"
	"plimsoll/internal/workload"

	"golang.org/x/sys/unix"
)

// shard takes the timings of some of the users. Its lock is held for some tens of
// nanoseconds, a few times a unit of work.
type shard struct {
	clock clock
	gap   time.Duration // between the units of users with a rate of their own; else 0
	empty func() *tally

	mu        sync.Mutex
	first     int              // the oldest slot that is not yet written
	open      []*tally         // slots first, first+1, ...; nil where nothing ended
	instances []instanceCounts // of the measured phase, by target
	ended     []outcomes       // units of all phases, by target
	behind    lateness         // of users with a rate of their own: units that ended after the next was due
}

func newShard(c clock, gap time.Duration, targets int, empty func() *tally) *shard {
	s := &shard{clock: c, gap: gap, empty: empty, instances: make([]instanceCounts, targets), ended: make([]outcomes, targets)}
	for i := range s.instances {
		s.instances[i].counts = newCounts()
	}
	return s
}

// at returns the tally of a moment, and its phase. What comes after its slot was written
// counts in the oldest one that was not, so that nothing is lost.
func (s *shard) at(moment time.Time) (*tally, result.Phase) {
	at := s.clock.slot(moment)
	place := max(0, at.index-s.first)
	for place >= len(s.open) {
		s.open = append(s.open, nil)
	}
	if s.open[place] == nil {
		s.open[place] = s.empty().reuse(at)
	}
	return s.open[place], at.phase
}

// lock waits for the lock by letting others have the processor, which it is soon: the
// scheduler would put a user to sleep and have another thread go on with it, away from
// the processor of the server that answers it.
func (s *shard) lock() {
	for range yields {
		if s.mu.TryLock() {
			return
		}
		_, _, _ = syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	s.mu.Lock()
}

// yields is how often a user lets others have the processor before it sleeps.
const yields = 100

// observe counts an operation that ended well or was rolled back.
func (s *shard) observe(target, operation int, end time.Time, d time.Duration, outcome workload.Outcome) {
	s.lock()
	defer s.mu.Unlock()
	t, phase := s.at(end)
	t.operations[operation].add(d, outcome)
	if phase == result.Measure {
		s.instances[target].part(operation).add(d, outcome)
	}
	if operation != whole {
		return
	}
	s.ended[target].all++
	t.units[target]++
	if phase == result.Measure {
		s.behind.beyond(d, s.gap)
	}
}

// whole is the operation that is the unit of work.
const whole = 0

// fail counts an operation that ended in an error.
func (s *shard) fail(target, operation int, end time.Time, class string) {
	s.lock()
	defer s.mu.Unlock()
	t, phase := s.at(end)
	t.operations[operation].fail(class)
	if phase == result.Measure {
		s.instances[target].part(operation).fail(class)
	}
	if operation != whole {
		return
	}
	at := &s.ended[target]
	at.all++
	at.failed++
	if class == errorclass.OutOfSpace {
		at.full++
	}
}

// outcomes counts units that ended, how many of them failed, and how many of these for lack
// of space.
type outcomes struct{ all, failed, full int64 }

func (e *outcomes) add(o outcomes) {
	e.all, e.failed, e.full = e.all+o.all, e.failed+o.failed, e.full+o.full
}

func (s *shard) moved(target, operation int, bytes int64, at time.Time) {
	s.lock()
	defer s.mu.Unlock()
	t, phase := s.at(at)
	t.bytes[operation] += bytes
	if operation == whole && phase == result.Measure {
		s.instances[target].bytes += bytes
	}
}

// spent keeps an effort in the slot in which its operation ended.
func (s *shard) spent(operation int, e describe.Effort, at time.Time) {
	s.lock()
	defer s.mu.Unlock()
	t, _ := s.at(at)
	t.spend(operation, e)
}

// woke notes a sleeper who was to wake at due.
func (s *shard) woke(due time.Time) {
	now := time.Now()
	s.lock()
	defer s.mu.Unlock()
	t, _ := s.at(now)
	t.late.add(now.Sub(due))
}

// read looks at the shard while nobody changes it.
func (s *shard) read(look func()) {
	s.lock()
	defer s.mu.Unlock()
	look()
}

// take returns the tallies of the slots up to the last, which nobody has taken.
func (s *shard) take(last int) (taken []*tally) {
	s.lock()
	defer s.mu.Unlock()
	n := max(0, last-s.first+1)
	s.first += n
	n = min(n, len(s.open))
	for _, t := range s.open[:n] {
		if t != nil {
			taken = append(taken, t)
		}
	}
	s.open = append(s.open[:0], s.open[n:]...)
	return taken
}

// latest is the second of the newest tally, -1 when there is none.
func (s *shard) latest() int {
	s.lock()
	defer s.mu.Unlock()
	for i := len(s.open) - 1; i >= 0; i-- {
		if s.open[i] != nil {
			return s.open[i].slot.second
		}
	}
	return -1
}
