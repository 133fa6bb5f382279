package driver

import (
	"fmt"
	"sync"

	"plimsoll/internal/host/task"
)

// receiptsAtOnce is the approximate size, in bytes, at which receipts are sent. Fewer are
// sent every second.
const receiptsAtOnce = 32 << 10

// receipts buffers the receipts of one instance until they are sent.
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

// flush sends the buffered receipts. The error may be about earlier ones.
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
