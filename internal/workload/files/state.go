package files

import (
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// state is what the worker of a file knows of it.
type state struct {
	generation uint32 // of the last time that it was written; 0 is never
	written    int64  // blocks that were acknowledged then
	behind     uint32 // generation of the blocks behind those; 0: nobody knows, or they are not there
	// doubt reports that it is unknown whether the file is there, or what its
	// block number written holds: an operation failed.
	doubt bool
	gone  bool // it was removed
}

// loaded is a file of so many blocks as Prepare leaves it.
func loaded(blocks int64) state { return state{generation: 1, written: blocks} }

// rewritten is the file when its next writing begins.
func (s state) rewritten(blocks int64) state {
	next := state{generation: blockcheck.Next(s.generation)}
	if s.written == blocks {
		next.behind = s.generation
	}
	return next
}

// removed is the file when it was removed, or was to be.
func (s state) removed(err error) state {
	return state{generation: s.generation, gone: err == nil, doubt: err != nil}
}

// maybe reports whether the file may be there.
func (s state) maybe() bool { return s.doubt || s.generation != 0 && !s.gone }

// created is the file when a new one was made.
func (s state) created() state { return state{generation: blockcheck.Next(s.generation)} }

// expected is the generation that a block must have; 0: nobody knows.
func (s state) expected(block int64) uint32 {
	switch {
	case block < s.written:
		return s.generation
	case block == s.written && s.doubt:
		return 0
	}
	return s.behind
}

// A receipt says what a worker knows of some of its files when it ends
// (fileio.AppendNumbers):
//
//	volume, worker, first file, number of files,
//	then for each file: generation, written, behind, 1 for doubt plus 2 for gone
const receiptFiles = 1000

const (
	flagDoubt = 1 << iota
	flagGone
)

// receipts returns the receipts of all files of a worker.
func receipts(volume uint64, user int, all []state) (texts [][]byte) {
	for first := 0; first < len(all); first += receiptFiles {
		some := all[first:min(len(all), first+receiptFiles)]
		b := fileio.AppendNumbers(nil, volume, uint64(user), uint64(first), uint64(len(some)))
		for _, s := range some {
			b = fileio.AppendNumbers(b, uint64(s.generation), uint64(s.written), uint64(s.behind), s.flags())
		}
		texts = append(texts, b)
	}
	return texts
}

func (s state) flags() (bits uint64) {
	if s.doubt {
		bits |= flagDoubt
	}
	if s.gone {
		bits |= flagGone
	}
	return bits
}

// claims is the sum of an instance's receipts.
type claims struct {
	volume uint64
	users  [][]*state // by worker and file; nil where no receipt says anything
	blocks int64      // of a file
	twice  int64      // files that more than one receipt speaks of
}

func newKnown(volume uint64, users int, p *Parameters) *claims {
	k := &claims{volume: volume, users: make([][]*state, users), blocks: p.blocks()}
	for i := range k.users {
		k.users[i] = make([]*state, p.Files)
	}
	return k
}

// add reads a receipt.
func (k *claims) add(receipt []byte) error {
	r := fileio.ReadNumbers(receipt)
	volume, user, first, count := r.Next(), r.Next(), r.Next(), r.Next()
	if r.Bad() || volume != k.volume || user >= uint64(len(k.users)) {
		return workload.ErrReceipt
	}
	files := k.users[user]
	if first > uint64(len(files)) || count > uint64(len(files))-first {
		return workload.ErrReceipt
	}
	for i := first; i < first+count; i++ {
		s := state{generation: uint32(r.Next()), written: int64(r.Next()), behind: uint32(r.Next())}
		flags := r.Next()
		if s.doubt, s.gone = flags&flagDoubt != 0, flags&flagGone != 0; r.Bad() || s.written < 0 || s.written > k.blocks {
			return workload.ErrReceipt
		}
		if files[i] != nil {
			k.twice++
		}
		files[i] = &s
	}
	return nil
}
