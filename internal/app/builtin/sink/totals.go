package sink

import (
	"context"
	"errors"
	"sync"
	"time"
)

// totals holds the totals of streams until they are requested.
type totals struct {
	mu  sync.Mutex
	all map[string]*ending
}

// ending is the end of a stream.
type ending struct {
	done  chan struct{}
	total Total
}

// mostTotals bounds those that nobody asks for.
const mostTotals = 4096

func newTotals() totals { return totals{all: map[string]*ending{}} }

// begin notes a stream. When there are too many, those that are over are forgotten.
func (t *totals) begin(id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all[id] != nil {
		return errors.New("there is a stream of this identifier")
	}
	if len(t.all) >= mostTotals {
		for id, e := range t.all {
			if e.over() {
				delete(t.all, id)
			}
		}
	}
	t.all[id] = &ending{done: make(chan struct{})}
	return nil
}

func (e *ending) over() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

func (t *totals) end(id string, total Total) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.all[id]
	e.total = total
	close(e.done)
}

// answer waits for the end of a stream, tells its total and forgets it.
func (t *totals) answer(ctx context.Context, id string) Answer {
	t.mu.Lock()
	e := t.all[id]
	t.mu.Unlock()
	if e == nil {
		return Answer{Error: "there is no such stream"}
	}
	select {
	case <-e.done:
	case <-ctx.Done():
		return Answer{Error: "the sink ends"}
	case <-time.After(answerLimit):
		return Answer{Error: "the stream has not ended"}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, id)
	return Answer{Total: &e.total}
}

// Receiver counts and checks what comes in of a stream.
type Receiver struct {
	Total
	content Content
}

// NewReceiver expects the content of a seed in pieces of so many bytes at most.
func NewReceiver(seed uint64, most int) *Receiver {
	return &Receiver{Total: Total{Wrong: -1}, content: NewContent(seed, most)}
}

// Take takes the next bytes.
func (r *Receiver) Take(b []byte) {
	if r.Wrong < 0 {
		r.Wrong = r.content.Check(b, r.Bytes)
	}
	r.Bytes += int64(len(b))
}
