package blockio

import (
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// A receipt says what a worker knows of a run of blocks when it ends: the
// generation of each, in runs of equal ones, as unsigned variable-length
// integers (encoding/binary):
//
//	volume, block size, first block, number of blocks, I/Os that wrote them,
//	then for each run: twice the generation, plus 1 if it is in doubt; its length
//
// That is two or three bytes for a block that was written, and a few for all
// that were not. Receipts of single writes would be as many as I/Os.
const receiptBlocks = 4096

// giveReceipts hands over the receipts of the worker's range, once. I/Os still in flight
// are in doubt.
func (w *worker) giveReceipts(rec workload.Recorder) {
	if w.given || !w.p.Verify {
		return
	}
	w.given = true
	var b []byte
	for at := int64(0); at < int64(len(w.ledger.entries)); at += receiptBlocks {
		count := min(receiptBlocks, int64(len(w.ledger.entries))-at)
		b = w.receipt(b[:0], w.from+at, count)
		rec.Receipt(b)
	}
}

func (w *worker) receipt(b []byte, first, count int64) []byte {
	b = fileio.AppendNumbers(b, w.volume.id, uint64(w.unit), uint64(first), uint64(count))
	for at := first; at < first+count; {
		state, run := w.state(at), uint64(1)
		for at+int64(run) < first+count && w.state(at+int64(run)) == state {
			run++
		}
		b = fileio.AppendNumbers(b, state, run)
		at += int64(run)
	}
	return b
}

// state is twice the generation, plus 1 if it is in doubt.
func (w *worker) state(block int64) uint64 {
	generation, certain := w.ledger.generation(block)
	if certain {
		return 2 * uint64(generation)
	}
	return 2*uint64(generation) + 1
}

// expectation is the state of a block that the audit expects.
type expectation struct {
	generation uint32 // 0 where no receipt says anything
	doubtful   bool
}

// claims is the sum of an instance's receipts.
type claims struct {
	volume, unit uint64
	blocks       []expectation
	twice        int64 // blocks that more than one receipt speaks of
}

// add merges a receipt of at most so many blocks into the known state.
func (k *claims) add(receipt []byte, most int64) error {
	r := fileio.ReadNumbers(receipt)
	volume, unit, first, count := r.Next(), r.Next(), r.Next(), r.Next()
	if r.Bad() || first+count > uint64(most) || first+count < first || k.unit != 0 && (k.volume != volume || k.unit != unit) {
		return workload.ErrReceipt
	}
	k.volume, k.unit = volume, unit
	if need := int(first + count); need > len(k.blocks) {
		k.blocks = append(k.blocks, make([]expectation, need-len(k.blocks))...)
	}
	for at := first; at < first+count; {
		state, run := r.Next(), r.Next()
		if r.Bad() || run == 0 || run > first+count-at || state < 2 {
			return workload.ErrReceipt
		}
		for range run {
			if k.blocks[at].generation != 0 {
				k.twice++
			}
			k.blocks[at] = expectation{uint32(state / 2), state%2 == 1}
			at++
		}
	}
	return nil
}
