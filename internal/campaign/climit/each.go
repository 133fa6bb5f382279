package climit

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Each does something n times, with numbers from 0 on, as many at once as the limit says. The
// first error cancels the rest. pushed, where it is not nil, counts how often somebody asked
// for less. It gives how many were under way at most.
func Each(ctx context.Context, l *Limit, n int, pushed func() int64, do func(context.Context, int) error) (most int, err error) {
	s := &series{limit: l, n: n, pushed: pushed, do: do}
	s.group, s.ctx = errgroup.WithContext(ctx)
	s.begin()
	if err = s.group.Wait(); err == nil && s.next < n {
		err = ctx.Err()
	}
	return s.most, err
}

// series is the work of one Each.
type series struct {
	ctx    context.Context
	group  *errgroup.Group
	n      int
	pushed func() int64
	do     func(context.Context, int) error

	mu             sync.Mutex
	limit          *Limit
	next           int // number that begins next
	underWay, most int
	seen           int64 // of pushed
}

func (s *series) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit.Begin(time.Now())
	if s.pushed != nil {
		s.seen = s.pushed()
	}
	s.fill()
}

// fill begins as much as may be under way. What ends makes room at once, before another
// ends, so that the limit sees fewer under way only when nothing is left to begin.
func (s *series) fill() {
	for ; s.next < s.n && s.underWay < s.limit.Now() && s.ctx.Err() == nil; s.next++ {
		s.underWay++
		s.most = max(s.most, s.underWay)
		number := s.next
		s.group.Go(func() error {
			defer s.ended()
			return s.do(s.ctx, number)
		})
	}
}

func (s *series) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	pushed := false
	if s.pushed != nil {
		now := s.pushed()
		pushed, s.seen = now > s.seen, now
	}
	s.limit.Ended(time.Now(), s.underWay, pushed)
	s.underWay--
	s.fill()
}
