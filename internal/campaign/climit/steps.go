package climit

import (
	"context"
	"sync"
)

// Steps holds, for each kind of step, how many items are worked on at once. On a platform with
// several machines it learns these numbers and keeps them for the whole campaign.
type Steps struct {
	// Machines is how many the platform has; 0 is one machine that everything shares.
	Machines int
	// Refused counts how often the platform asked for less; it may be nil.
	Refused func() int64

	mu      sync.Mutex
	learned map[string]*Limit
	most    map[string]int // that were under way at once when it was done last
}

// limit returns the limit for one kind of step. The limit starts at first and may grow to first for
// each machine; on a platform that is one shared machine it stays at first.
func (s *Steps) limit(what string, first int) *Limit {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Machines == 0 {
		return Fixed(first)
	}
	if s.learned == nil {
		s.learned = map[string]*Limit{}
	}
	if s.learned[what] == nil {
		s.learned[what] = New(first, first*s.Machines)
	}
	return s.learned[what]
}

// Each does something n times, at first so many at once. The first error cancels the rest.
func (s *Steps) Each(ctx context.Context, what string, first, n int, do func(context.Context, int) error) error {
	most, err := Each(ctx, s.limit(what, first), n, s.Refused, do)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most == nil {
		s.most = map[string]int{}
	}
	s.most[what] = most
	return err
}

// Most is how many were under way at once when something was done last.
func (s *Steps) Most(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most[what]
}
