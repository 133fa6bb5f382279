package medium

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// side is one of the two media of a tiered one, with the counts that the kernel would have
// if it were a device of its own.
type side struct {
	model    Model
	underWay map[uint64]pendingRequest

	order     order
	done      [3]tally // by Op
	busy      time.Duration
	busySince time.Duration // while something is under way
}

// pendingRequest is a request that a side has not answered.
type pendingRequest struct {
	since time.Duration
	r     Request
	host  *Request // the host's request that it alone answers, as the slow medium knows it
	then  func()   // once it is answered
}

// tally counts the requests of one sort.
type tally struct {
	count, bytes int64
	time         time.Duration // each request's, summed
}

func newSide(m Model) *side { return &side{model: m, underWay: map[uint64]pendingRequest{}} }

func (s *side) submit(now time.Duration, id uint64, b pendingRequest) {
	if len(s.underWay) == 0 {
		s.busySince = now
	}
	b.since = now
	s.underWay[id] = b
	s.order.note(b.r)
	s.model.Submit(now, id, b.r)
}

// end takes one answer and gives what comes after it.
func (s *side) end(d Completion) func() {
	b := s.underWay[d.ID]
	delete(s.underWay, d.ID)
	t := &s.done[b.r.Op]
	t.count++
	t.bytes += b.r.Length
	t.time += d.At - b.since
	if len(s.underWay) == 0 {
		s.busy += d.At - s.busySince
	}
	return b.then
}

// drop forgets the outstanding requests and returns them in the order in which they began.
func (s *side) drop(now time.Duration) []pendingRequest {
	var all []pendingRequest
	for _, id := range slices.Sorted(maps.Keys(s.underWay)) {
		all = append(all, s.underWay[id])
	}
	if len(all) > 0 {
		s.busy += max(0, now-s.busySince)
	}
	clear(s.underWay)
	return all
}

// stat has the format of /sys/class/block/*/stat (kernel documentation, block/stat).
func (s *side) stat(now time.Duration) string {
	busy := s.busy
	if len(s.underWay) > 0 {
		busy += max(0, now-s.busySince)
	}
	ms := func(t time.Duration) int64 { return t.Milliseconds() }
	r, w, f := s.done[Read], s.done[Write], s.done[Flush]
	return fmt.Sprintln(
		r.count, 0, r.bytes/512, ms(r.time), w.count, 0, w.bytes/512, ms(w.time),
		len(s.underWay), ms(busy), ms(r.time+w.time+f.time), 0, 0, 0, 0, f.count, ms(f.time))
}
