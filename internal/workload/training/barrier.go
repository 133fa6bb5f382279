package training

import (
	"context"
	"sync"
	"time"

	"plimsoll/internal/describe/endpoint"
)

// barrier is where the accelerators of an instance wait for each other after each step, as to add
// up what they have computed (all-reduce).
type barrier struct {
	key     endpoint.Endpoint
	mu      sync.Mutex
	members int
	now     *step
}

// step is one of all accelerators.
type step struct {
	arrived int
	end     time.Time     // when the last has computed; nobody changes it when all have arrived
	over    chan struct{} // is closed then
}

// barriers holds the barrier of each instance with active accelerators in this process.
// Instances are identified by the endpoint of their samples.
var barriers = struct {
	sync.Mutex
	of map[endpoint.Endpoint]*barrier
}{of: map[endpoint.Endpoint]*barrier{}}

// join adds an accelerator to an instance's barrier.
func join(key endpoint.Endpoint) *barrier {
	barriers.Lock()
	defer barriers.Unlock()
	b := barriers.of[key]
	if b == nil {
		b = &barrier{key: key, now: &step{over: make(chan struct{})}}
		barriers.of[key] = b
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members++
	return b
}

// leave takes one off; the others do not wait for it.
func (b *barrier) leave() {
	barriers.Lock()
	defer barriers.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members--
	if b.members == 0 {
		delete(barriers.of, b.key)
		return
	}
	b.complete()
}

// complete ends the step where all have arrived.
func (b *barrier) complete() {
	if b.now.arrived < b.members {
		return
	}
	close(b.now.over)
	b.now = &step{over: make(chan struct{})}
}

// arrive says when an accelerator has computed, and gives when the last has.
func (b *barrier) arrive(ctx context.Context, computed time.Time) (end time.Time, err error) {
	b.mu.Lock()
	s := b.now
	s.arrived++
	if computed.After(s.end) {
		s.end = computed
	}
	b.complete()
	b.mu.Unlock()
	select {
	case <-s.over:
		return s.end, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if s == b.now {
		s.arrived--
	}
	return end, ctx.Err()
}
