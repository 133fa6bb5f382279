package blockio

import "plimsoll/internal/host/blockcheck"

// ledger records, for each block in a worker's range, how often it was written and which
// I/Os are in flight there, in four bytes: seven bits count readers (or are all set for a
// writer), one bit marks a failed last write, and the others are the generation.
type ledger struct {
	from    int64 // number of the first block
	entries []uint32
}

const (
	writing   = 1<<7 - 1
	mostReads = writing - 1
	doubtful  = 1 << 7 // nobody can say what the block holds until it is written again
	stateBits = 8
)

// loaded is the generation that Prepare gives every block.
const loaded = 1

func newLedger(from, to int64) *ledger {
	l := &ledger{from: from, entries: make([]uint32, to-from)}
	for i := range l.entries {
		l.entries[i] = loaded << stateBits
	}
	return l
}

func (l *ledger) span(block, count int64) []uint32 {
	return l.entries[block-l.from : block-l.from+count]
}

// beginRead notes a read of some blocks, unless one of them is being written.
func (l *ledger) beginRead(block, count int64) bool {
	span := l.span(block, count)
	for _, e := range span {
		if e&writing >= mostReads { // or it is full of readers
			return false
		}
	}
	for i := range span {
		span[i]++
	}
	return true
}

func (l *ledger) endRead(block, count int64) {
	span := l.span(block, count)
	for i := range span {
		span[i]--
	}
}

// beginWrite notes a write of some blocks, unless something is under way there.
func (l *ledger) beginWrite(block, count int64) bool {
	span := l.span(block, count)
	for _, e := range span {
		if e&writing != 0 {
			return false
		}
	}
	for i := range span {
		span[i] |= writing
	}
	return true
}

// written is the generation that the write under way gives a block.
func (l *ledger) written(block int64) uint32 {
	return blockcheck.Next(l.entries[block-l.from] >> stateBits)
}

// endWrite notes that a write was acknowledged, or that it failed.
func (l *ledger) endWrite(block, count int64, acknowledged bool) {
	span := l.span(block, count)
	for i := range span {
		span[i] = blockcheck.Next(span[i]>>stateBits) << stateBits
		if !acknowledged {
			span[i] |= doubtful
		}
	}
}

// generation returns the generation of a block's last write. certain reports whether that
// write was acknowledged.
func (l *ledger) generation(block int64) (generation uint32, certain bool) {
	e := l.entries[block-l.from]
	return e >> stateBits, e&doubtful == 0 && e&writing != writing
}
