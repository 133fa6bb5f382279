package atonce

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
	g, ctx := errgroup.WithContext(ctx)
	s := &slots{limit: l, pushed: pushed, freed: make(chan struct{}, 1)}
	s.begin()
	for i := range n {
		if !s.take(ctx) {
			g.Go(ctx.Err)
			break
		}
		g.Go(func() error {
			defer s.give()
			return do(ctx, i)
		})
	}
	return s.most, g.Wait()
}

// slots are what a limit gives out.
type slots struct {
	pushed func() int64
	freed  chan struct{} // something may have become free

	mu             sync.Mutex
	limit          *Limit
	underWay, most int
	seen           int64 // of pushed
}

func (s *slots) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit.Begin(time.Now())
	if s.pushed != nil {
		s.seen = s.pushed()
	}
}

// take waits for a slot; false is that ctx has ended.
func (s *slots) take(ctx context.Context) bool {
	for ctx.Err() == nil {
		if s.taken() {
			return true
		}
		select {
		case <-ctx.Done():
		case <-s.freed:
		}
	}
	return false
}

func (s *slots) taken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.underWay >= s.limit.Now() {
		return false
	}
	s.underWay++
	s.most = max(s.most, s.underWay)
	return true
}

func (s *slots) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	pushed := false
	if s.pushed != nil {
		now := s.pushed()
		pushed, s.seen = now > s.seen, now
	}
	s.limit.Ended(time.Now(), s.underWay, pushed)
	s.underWay--
	select {
	case s.freed <- struct{}{}:
	default:
	}
}
