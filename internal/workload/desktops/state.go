package desktops

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// status is what an error may have left of a file.
type status struct {
	doubt     bool // a change failed: it may be as before, or as it was to be
	temporary bool // there may also be an unfinished new file
}

// file is what its session knows of a document or of settings.
type file struct {
	status
	changes uint64   // acknowledged ones: blocks of edits, and savings
	base    uint32   // generation of the blocks
	blocks  []uint32 // of each block, if they differ
	newest  uint32   // the last generation that was written, acknowledged or not
}

// loaded is a file as Prepare leaves it.
func loaded() file { return file{base: 1, newest: 1} }

// generation returns the generation of a block.
func (f file) generation(at int64) uint32 {
	if f.blocks == nil {
		return f.base
	}
	return f.blocks[at]
}

// next returns the generation of the next write.
func (f *file) next() uint32 {
	f.newest = blockcheck.Next(f.newest)
	return f.newest
}

// changed notes that a block was written.
func (f *file) changed(at, blocks int64, generation uint32) {
	if f.blocks == nil {
		f.blocks = make([]uint32, blocks)
		for i := range f.blocks {
			f.blocks[i] = f.base
		}
	}
	f.blocks[at] = generation
	f.changes++
}

// saved notes that all of it was written.
func (f *file) saved(generation uint32) {
	f.base, f.blocks = generation, nil
	f.changes++
}

// output is what its session knows of a copy, an archive or a compressed file.
type output struct {
	status
	changes uint64 // how often it was made
	size    int64
	digest  [digestNumbers]uint64 // SHA-256
}

const digestNumbers = 4

func digestOf(sum []byte) (d [digestNumbers]uint64) {
	for i := range d {
		d[i] = binary.BigEndian.Uint64(sum[8*i:])
	}
	return d
}

// replace puts a new file in the place of an old one, or of none. It has all its content on
// the medium before it has the name, so that whoever looks finds the old or the new one.
func replace(dir *fileio.Dir, name string, s *status, write func(f *fileio.File) error) error {
	temporary := name + unfinished
	if s.temporary {
		if err := dir.Remove(temporary); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	s.temporary = true
	f, err := dir.Open(temporary, fileio.OpenMode{Create: true})
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		s.temporary = dir.Remove(temporary) != nil
		return err
	}
	s.doubt = true
	if err := dir.Rename(temporary, dir, name); err != nil {
		return err
	}
	s.temporary = false
	if err := dir.Flush(); err != nil {
		return err
	}
	s.doubt = false
	return nil
}

// A receipt says what a session knows when it ends (fileio.AppendNumbers): volume, session,
// kind, and then
//
//	head: how many receipts follow
//	of a file that was changed: number, status, changes, base, number of blocks, the generation of each
//	of an output that was made: number, status, changes, size, digest
const (
	receiptHead = iota
	receiptFile
	receiptOutput
)

const (
	flagDoubt = 1 << iota
	flagTemporary
)

func (s status) flags() (bits uint64) {
	if s.doubt {
		bits |= flagDoubt
	}
	if s.temporary {
		bits |= flagTemporary
	}
	return bits
}

func statusOf(bits uint64) status {
	return status{doubt: bits&flagDoubt != 0, temporary: bits&flagTemporary != 0}
}

// ledger is what a session knows of everything that it changes.
type ledger struct {
	files   []file // documents and settings
	outputs [len(outputs)]output
}

func newLedger(p *Parameters) ledger {
	l := ledger{files: make([]file, p.changing())}
	for i := range l.files {
		l.files[i] = loaded()
	}
	return l
}

// mayBe reports whether a name may be in a directory of the files from one number on.
func (l *ledger) mayBe(name string, from, to int64) bool {
	base, temporary := strings.CutSuffix(name, unfinished)
	n, err := strconv.ParseInt(base, 10, 64)
	if number := from + n; err != nil || n < 0 || number >= to || strconv.FormatInt(n, 10) != base {
		return false
	}
	return !temporary || l.files[from+n].temporary
}

// receipts returns the receipts of a session.
func (l *ledger) receipts(volume uint64, user int64) (texts [][]byte) {
	begin := func(kind uint64, numbers ...uint64) []byte {
		return fileio.AppendNumbers(fileio.AppendNumbers(nil, volume, uint64(user), kind), numbers...)
	}
	for i, f := range l.files {
		if f.changes == 0 && f.status == (status{}) {
			continue
		}
		text := begin(receiptFile, uint64(i), f.flags(), f.changes, uint64(f.base), uint64(len(f.blocks)))
		for _, g := range f.blocks {
			text = fileio.AppendNumbers(text, uint64(g))
		}
		texts = append(texts, text)
	}
	for i, o := range l.outputs {
		if o.changes > 0 || o.status != (status{}) {
			texts = append(texts, fileio.AppendNumbers(begin(receiptOutput, uint64(i), o.flags(), o.changes, uint64(o.size)), o.digest[:]...))
		}
	}
	return append(texts, begin(receiptHead, uint64(len(texts))))
}

// claims is the sum of an instance's receipts.
type claims struct {
	p        *Parameters
	volume   uint64
	sessions []account
}

// account is what the receipts of one session say.
type account struct {
	ledger
	heads, should, given int64 // receipts
}

// whole reports whether no receipt is missing or there twice.
func (a account) whole() bool { return a.heads == 1 && a.should == a.given }

func newKnown(p *Parameters, volume uint64, users int64) *claims {
	k := &claims{p: p, volume: volume, sessions: make([]account, users)}
	for i := range k.sessions {
		k.sessions[i].ledger = newLedger(p)
	}
	return k
}

// add reads a receipt.
func (k *claims) add(receipt []byte) error {
	r := fileio.ReadNumbers(receipt)
	volume, user, kind, first := r.Next(), r.Next(), r.Next(), r.Next()
	if r.Bad() || volume != k.volume || user >= uint64(len(k.sessions)) {
		return fmt.Errorf("%w: of session %d and volume %x", workload.ErrReceipt, user, volume)
	}
	a := &k.sessions[user]
	switch {
	case kind == receiptHead:
		a.heads++
		a.should += int64(first)
		return nil
	case kind == receiptFile && first < uint64(len(a.files)):
		a.given++
		return k.file(&r, &a.files[first], k.p.size(int64(first))/block)
	case kind == receiptOutput && first < uint64(len(a.outputs)):
		a.given++
		return a.outputs[first].take(&r)
	}
	return fmt.Errorf("%w: of kind %d, number %d", workload.ErrReceipt, kind, first)
}

// file reads the known state of a file of so many blocks from a receipt.
func (k *claims) file(r *fileio.Numbers, into *file, blocks int64) error {
	f := file{status: statusOf(r.Next()), changes: r.Next(), base: uint32(r.Next())}
	n := r.Next()
	if n != 0 && n != uint64(blocks) {
		return fmt.Errorf("%w: %d blocks of %d", workload.ErrReceipt, n, blocks)
	}
	for range n {
		f.blocks = append(f.blocks, uint32(r.Next()))
	}
	if r.Bad() {
		return workload.ErrReceipt
	}
	*into = f
	return nil
}

func (o *output) take(r *fileio.Numbers) error {
	*o = output{status: statusOf(r.Next()), changes: r.Next(), size: int64(r.Next())}
	for i := range o.digest {
		o.digest[i] = r.Next()
	}
	if r.Bad() {
		return workload.ErrReceipt
	}
	return nil
}
