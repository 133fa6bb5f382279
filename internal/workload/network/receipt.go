package network

import (
	"encoding/binary"

	"plimsoll/internal/app/builtin/sink"
	"plimsoll/internal/workload"
)

// account is what both ends know of a stream that is over: its receipt.
type account struct {
	message        int64 // size
	sent, received int64 // bytes
	wrong          int64 // offset of the first wrong byte; -1 is none
	// open reports that the stream was lost, so that some of what was sent may not have
	// arrived; unknown, that the sink does not say what did.
	open, unknown bool
}

// giveReceipts gives the one receipt, once. total is the sink's, nil where it is not known; open says
// that the stream did not end in good order.
func (s *stream) giveReceipts(rec workload.Recorder, total *sink.Total, open bool) {
	if s.given {
		return
	}
	s.given = true
	a := account{message: int64(s.p.Message), sent: s.sent, wrong: -1, open: open, unknown: total == nil}
	if s.in != nil {
		a.received, a.wrong = s.in.Bytes, s.in.Wrong
	}
	switch {
	case total == nil:
	case s.in != nil:
		a.sent = total.Bytes
	default:
		a.received, a.wrong = total.Bytes, total.Wrong
	}
	rec.Receipt(a.bytes())
}

// bytes are flags and then numbers of variable length (encoding/binary).
func (a account) bytes() []byte {
	flags := byte(0)
	if a.open {
		flags |= 1
	}
	if a.unknown {
		flags |= 2
	}
	b := []byte{flags}
	for _, n := range []int64{a.message, a.sent, a.received, a.wrong} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func readAccount(b []byte) (a account, err error) {
	if len(b) == 0 || b[0] > 3 {
		return a, workload.ErrReceipt
	}
	a.open, a.unknown = b[0]&1 != 0, b[0]&2 != 0
	b = b[1:]
	for _, to := range []*int64{&a.message, &a.sent, &a.received, &a.wrong} {
		n, length := binary.Varint(b)
		if length <= 0 {
			return a, workload.ErrReceipt
		}
		*to, b = n, b[length:]
	}
	if a.message < 1 || a.sent < 0 || a.received < 0 || len(b) > 0 {
		return a, workload.ErrReceipt
	}
	return a, nil
}
