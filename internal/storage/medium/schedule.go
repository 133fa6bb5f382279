package medium

import "time"

// schedule is a binary heap of things to come, earliest first; of two at the
// same time the one put in first.
type schedule struct {
	items []scheduledCompletion
	count uint64
}

type scheduledCompletion struct {
	at    time.Duration
	order uint64
	id    uint64
}

func (a scheduledCompletion) before(b scheduledCompletion) bool {
	return a.at < b.at || a.at == b.at && a.order < b.order
}

func (s *schedule) put(at time.Duration, id uint64) {
	s.count++
	s.items = append(s.items, scheduledCompletion{at: at, order: s.count, id: id})
	for i := len(s.items) - 1; i > 0; {
		parent := (i - 1) / 2
		if !s.items[i].before(s.items[parent]) {
			return
		}
		s.items[i], s.items[parent] = s.items[parent], s.items[i]
		i = parent
	}
}

func (s *schedule) next() (time.Duration, bool) {
	if len(s.items) == 0 {
		return 0, false
	}
	return s.items[0].at, true
}

func (s *schedule) take() scheduledCompletion {
	first := s.items[0]
	last := len(s.items) - 1
	s.items[0] = s.items[last]
	s.items = s.items[:last]
	s.sink()
	return first
}

func (s *schedule) sink() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(s.items) {
			return
		}
		if right := child + 1; right < len(s.items) && s.items[right].before(s.items[child]) {
			child = right
		}
		if !s.items[child].before(s.items[i]) {
			return
		}
		s.items[i], s.items[child] = s.items[child], s.items[i]
		i = child
	}
}

// due removes and returns everything that is due now.
func (s *schedule) due(now time.Duration) []Completion {
	var done []Completion
	for at, ok := s.next(); ok && at <= now; at, ok = s.next() {
		done = append(done, Completion{ID: s.take().id, At: at})
	}
	return done
}

// earlier returns the earlier of two times, either of which may be absent.
func earlier(a time.Duration, haveA bool, b time.Duration, haveB bool) (time.Duration, bool) {
	if !haveA || haveB && b < a {
		return b, haveB
	}
	return a, true
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
