package checkpoint

import (
	"fmt"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// A receipt is about one checkpoint (fileio.AppendNumbers): the volume's identity, the job,
// the checkpoint's number, and what the job knows of it.
func (s store) receipt(number int64, what state) []byte {
	return fileio.AppendNumbers(nil, s.Volume, uint64(s.user), uint64(number), uint64(what))
}

// state is what receipts say of a checkpoint; there may be several.
type state uint8

const (
	acknowledged state = 1 << iota // all ranks were told that it is complete
	inDoubt                        // an error left open whether it is complete
	abandoned                      // it failed before it could be complete
	removed                        // it has been removed, or its removal was begun
	twice                          // it was acknowledged two times; no receipt says so
)

func (s state) is(what state) bool { return s&what != 0 }

// claims is the sum of an instance's receipts.
type claims struct {
	volume uint64
	jobs   []map[int64]state // by checkpoint
}

func newKnown(volume uint64, jobs int) *claims {
	k := &claims{volume: volume, jobs: make([]map[int64]state, jobs)}
	for i := range k.jobs {
		k.jobs[i] = map[int64]state{0: acknowledged} // to Prepare
	}
	return k
}

// add reads a receipt.
func (k *claims) add(receipt []byte) error {
	r := fileio.ReadNumbers(receipt)
	volume, user, number, what := r.Next(), r.Next(), int64(r.Next()), state(r.Next())
	if r.Bad() || volume != k.volume || user >= uint64(len(k.jobs)) || number < 0 ||
		what != acknowledged && what != inDoubt && what != abandoned && what != removed {
		return fmt.Errorf("%w: volume %x, job %d, checkpoint %d, state %d", workload.ErrReceipt, volume, user, number, what)
	}
	if k.jobs[user][number].is(acknowledged) && what == acknowledged {
		what |= twice
	}
	k.jobs[user][number] |= what
	return nil
}
