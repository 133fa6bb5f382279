package driver

import (
	"fmt"
	"sync"

	"plimsoll/internal/host/task"
)

// receiptsAtOnce is about how many bytes of receipts leave together; what is
// fewer leaves each second.
const receiptsAtOnce = 32 << 10

// receipts keeps those of one instance until they leave.
type receipts struct {
	instance int
	out      Sink

	mu     sync.Mutex
	packed []byte
	err    error // the first of the sink
}

func (r *receipts) add(receipt []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.packed = task.AppendReceipt(r.packed, receipt)
	if len(r.packed) >= receiptsAtOnce {
		r.send()
	}
}

// flush hands over what is kept. The error may be of receipts before.
func (r *receipts) flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send()
	return r.err
}

// send hands them over; the caller holds the lock.
func (r *receipts) send() {
	if len(r.packed) == 0 {
		return
	}
	if err := r.out.Receipts(r.instance, r.packed); err != nil && r.err == nil {
		r.err = fmt.Errorf("keep receipts: %w", err)
	}
	r.packed = r.packed[:0]
}
