package driver

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"plimsoll/internal/study"
)

// schedule is the open loop: it says when the units of work of one target are due, or of
// one user if each has its own rate. Each user takes the next unit; units that are due and
// not taken are the backlog. Instead of a queue, which could grow, it keeps two generators
// of the same arrivals: one for taking and one for counting.
type schedule struct {
	mu     sync.Mutex
	bursts bursts // which the seconds of arrivals are of
	taken  arrivals
	due    arrivals
	fresh  func() arrivals
}

// arrivals generates the moments at which units are due.
type arrivals struct {
	rate    float64
	offset  float64    // s; spreads targets
	poisson *rand.Rand // nil for constant gaps
	count   int64      // units so far
	elapsed float64    // s, of Poisson arrivals
}

// newSchedule begins with the bursts. Constant arrivals of target i of n are shifted
// by i/n of a gap, so that targets are not hit all at the same moment.
func newSchedule(job Job, target int, within bursts) *schedule {
	return scheduleOf(within, func() arrivals {
		a := arrivals{rate: job.Rate, offset: float64(target) / float64(len(job.Targets)) / job.Rate}
		if job.Arrivals == study.Poisson {
			a.offset = 0
			a.poisson = rand.New(rand.NewPCG(job.Seed, uint64(target)))
			a.elapsed = a.poisson.ExpFloat64() / a.rate
		}
		return a
	})
}

// newUserSchedule returns the schedule of a user with a rate of its own. It begins at a
// random part of a gap, so that users are not all due at the same moment.
func newUserSchedule(rate float64, seed uint64, instance, number int, within bursts) *schedule {
	random := rand.New(rand.NewPCG(seed, ^(uint64(instance)<<32 | uint64(number))))
	offset := random.Float64() / rate
	return scheduleOf(within, func() arrivals { return arrivals{rate: rate, offset: offset} })
}

func scheduleOf(within bursts, fresh func() arrivals) *schedule {
	return &schedule{bursts: within, taken: fresh(), due: fresh(), fresh: fresh}
}

// next is when the next unit is due, seconds after the start.
func (a *arrivals) next() float64 {
	if a.poisson != nil {
		return a.elapsed
	}
	return a.offset + float64(a.count)/a.rate
}

// advance goes to the unit after the next.
func (a *arrivals) advance() {
	a.count++
	if a.poisson != nil {
		a.elapsed += a.poisson.ExpFloat64() / a.rate
	}
}

// take returns the moment at which the next unit is due, which may have passed.
func (s *schedule) take() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.moment(&s.taken)
	s.taken.advance()
	return at
}

// moment is when the next of some arrivals is due.
func (s *schedule) moment(a *arrivals) time.Time {
	return s.bursts.after(time.Duration(math.Round(a.next() * float64(time.Second))))
}

// untaken takes all units that are due before the end and visits the age that
// each had then.
func (s *schedule) untaken(end time.Time, visit func(age time.Duration)) {
	for at := s.take(); at.Before(end); at = s.take() {
		visit(end.Sub(at))
	}
}

// offered counts the units that are due from one moment to before another.
func (s *schedule) offered(from, to time.Time) (n int64) {
	a := s.fresh()
	for at := s.moment(&a); at.Before(to); at = s.moment(&a) {
		if !at.Before(from) {
			n++
		}
		a.advance()
	}
	return n
}

// backlog counts the units that are due and not yet begun.
func (s *schedule) backlog(now time.Time) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := s.bursts.passed(now).Seconds()
	for s.due.next() <= since {
		s.due.advance()
	}
	return max(0, s.due.count-s.taken.count)
}
