package video

import (
	"fmt"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// A receipt is about one frame (fileio.AppendNumbers): the volume's identity, the stream,
// the frame's number, and what the stream knows of it.
func (r recording) receipt(frame int64, s state) []byte {
	return fileio.AppendNumbers(nil, r.volume, uint64(r.user), uint64(frame), uint64(s))
}

// state is what receipts say of a frame.
type state uint8

const (
	unknown      state = iota // nothing
	acknowledged              // it was written
	inDoubt                   // an error left open whether it was
)

// claims is the sum of an instance's receipts.
type claims struct {
	p       *Parameters
	volume  uint64
	streams [][]state // by stream, of the frames after the history
	twice   int64     // frames that were acknowledged twice
}

// mostFrames bounds the frames of a stream, against a damaged receipt: two days at the
// highest rate of operations, 1,000 a second.
const mostFrames = 48 * 3600 * 1000

// add reads a receipt. A frame that was in doubt once stays so.
func (k *claims) add(receipt []byte) error {
	r := fileio.ReadNumbers(receipt)
	volume, user, frame, s := r.Next(), r.Next(), r.Next(), state(r.Next())
	after := int64(frame) - k.p.historyFrames()
	if r.Bad() || volume != k.volume || user >= uint64(len(k.streams)) || after < 0 || after >= mostFrames || s != acknowledged && s != inDoubt {
		return fmt.Errorf("%w: volume %x, stream %d, frame %d, state %d", workload.ErrReceipt, volume, user, frame, s)
	}
	for int64(len(k.streams[user])) <= after {
		k.streams[user] = append(k.streams[user], unknown)
	}
	at := &k.streams[user][after]
	if *at == acknowledged && s == acknowledged {
		k.twice++
	}
	*at = max(*at, s)
	return nil
}

// of returns the state of a stream's frame. The history counts as
// acknowledged.
func (k *claims) of(user int, frame int64) state {
	after := frame - k.p.historyFrames()
	switch {
	case after < 0:
		return acknowledged
	case after < int64(len(k.streams[user])):
		return k.streams[user][after]
	}
	return unknown
}

// end is the number of the frame after the last that a stream knows of.
func (k *claims) end(user int) int64 { return k.p.historyFrames() + int64(len(k.streams[user])) }
