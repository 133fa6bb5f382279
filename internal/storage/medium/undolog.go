package medium

import (
	"fmt"
	"io"
	"math/rand/v2"
)

// sector is the unit that a drive writes wholly or not at all when its power goes, in
// bytes.
const sector = 512

// mostUnflushed bounds the memory for undoing a power cut, in bytes: a cache that is larger
// loses only its last so many bytes.
const mostUnflushed = 256 << 20

// image is what holds the data of a medium.
type image interface {
	io.ReaderAt
	io.WriterAt
}

// undoLog records the writes that a power cut may undo: no completed flush covers
// them, and a volatile cache of the medium's size can still hold them. It has the
// overwritten data of each. A medium that loses nothing, or whose power is never
// cut, has a nil *undoLog, which costs nothing.
type undoLog struct {
	limit  int64 // bytes of answered writes that the cache holds
	lies   bool  // flushes change nothing
	writes []*overwrite
	next   uint64 // number of the next write
	bytes  int64
}

// overwrite is a write with the data it replaced.
type overwrite struct {
	number   uint64
	offset   int64
	length   int64
	old      []byte
	answered bool // the host has the answer
	kept     bool // no power cut can undo it
}

// newUndoLog returns nil for a medium whose cache survives a power cut.
func newUndoLog(s Spec) *undoLog {
	limit, volatile := s.volatileCache()
	if !volatile {
		return nil
	}
	return &undoLog{limit: min(limit, mostUnflushed), lies: s.Lies}
}

// volatileCache is how many bytes of answered writes a power cut can undo; false when not
// even outstanding writes are at risk. A medium that fakes flushes is not believed about
// its protection either.
func (s Spec) volatileCache() (bytes int64, volatile bool) {
	if s.RAID != nil && s.RAID.Cache.Bytes > 0 {
		if s.RAID.Cache.Protected && !s.Lies {
			return 0, false
		}
		bytes = s.RAID.Cache.Bytes
	}
	drives, cache := int64(1), Cache{}
	if s.RAID != nil {
		drives = int64(s.RAID.Drives)
	}
	if s.Rotational != nil {
		cache = s.Rotational.Cache
	} else if s.Flash != nil {
		cache = s.Flash.Cache
	}
	if cache.Protected && !s.Lies {
		return bytes, bytes > 0
	}
	return bytes + drives*cache.Bytes, true
}

// overwrites saves the image's data where a write is about to go, and returns the write's
// number.
func (u *undoLog) overwrites(i image, offset, length int64) (uint64, error) {
	if u == nil {
		return 0, nil
	}
	w := &overwrite{number: u.next, offset: offset, length: length, old: make([]byte, length)}
	if _, err := i.ReadAt(w.old, offset); err != nil {
		return 0, fmt.Errorf("keep what a write replaces: %w", err)
	}
	u.next++
	u.writes = append(u.writes, w)
	u.bytes += length
	return w.number, nil
}

// answer notes that a write was answered: from here on only the cache holds it. The oldest
// writes that do not fit are on the medium.
func (u *undoLog) answer(number uint64) {
	if u == nil || len(u.writes) == 0 || number < u.writes[0].number {
		return
	}
	u.writes[number-u.writes[0].number].answered = true
	u.trim()
}

// keep notes that a write is done and that no power cut undoes it. What was
// written before it to the same place stays overwritten.
func (u *undoLog) keep(number uint64) {
	if u == nil || len(u.writes) == 0 || number < u.writes[0].number {
		return
	}
	w := u.writes[number-u.writes[0].number]
	w.answered, w.kept, w.old = true, true, nil
	u.bytes -= w.length
	u.trim()
}

// trim drops the first writes that cannot be undone any more.
func (u *undoLog) trim() {
	for len(u.writes) > 0 && (u.writes[0].kept || u.bytes > u.limit && u.writes[0].answered) {
		u.drop(1)
	}
}

// flushed notes that a flush is done which came before the write of this
// number.
func (u *undoLog) flushed(before uint64) {
	if u == nil || u.lies || len(u.writes) == 0 || before <= u.writes[0].number {
		return
	}
	u.drop(int(before - u.writes[0].number))
}

// mark is the number of the next write.
func (u *undoLog) mark() uint64 {
	if u == nil {
		return 0
	}
	return u.next
}

// clear takes everything for written.
func (u *undoLog) clear() {
	if u != nil {
		u.drop(len(u.writes))
	}
}

func (u *undoLog) drop(count int) {
	for _, w := range u.writes[:count] {
		if !w.kept {
			u.bytes -= w.length
		}
	}
	clear(u.writes[:count]) // the array behind the slice lives on
	u.writes = u.writes[count:]
}

// Loss counts the effects of a power cut.
type Loss struct {
	Unflushed int64 `json:"unflushed"` // writes that no completed flush covered
	Lost      int64 `json:"lost"`      // of these, writes that did not reach the medium
	Torn      int64 `json:"torn"`      // and writes that did so in part
	Bytes     int64 `json:"bytes"`     // that are as they were before
}

// lose undoes a random part of the writes: each is on the medium, lost, or torn between two
// sectors, independently of the writes before and after it. A sector then holds the data of
// the last of its writes that is on the medium. The share of lost writes, between a quarter
// and all, is drawn anew each time: caches differ in how soon and in which order they write
// back.
func (u *undoLog) lose(i image, random *rand.Rand) (Loss, error) {
	var sum Loss
	if u == nil {
		return sum, nil
	}
	share := 0.25 + 0.75*random.Float64()
	kept := map[int64]bool{} // sectors whose content is final
	for n := len(u.writes) - 1; n >= 0; n-- {
		w := u.writes[n]
		from, to := w.lostPart(share, random)
		sum.count(w, from, to)
		bytes, err := w.undo(i, from, to, kept)
		if err != nil {
			return sum, fmt.Errorf("undo a write: %w", err)
		}
		sum.Bytes += bytes
	}
	u.clear()
	return sum, nil
}

// torn is the share of the writes of several sectors that are torn rather than
// lost or kept as a whole.
const torn = 0.25

// lostPart draws which sectors of a write are lost, as places within it.
func (w *overwrite) lostPart(share float64, random *rand.Rand) (from, to int64) {
	length, sectors := w.length, w.length/sector
	switch {
	case w.kept:
		return 0, 0
	case sectors > 1 && random.Float64() < torn:
		at := sector * (1 + random.Int64N(sectors-1))
		if random.Uint32()%2 == 0 {
			return 0, at
		}
		return at, length
	case random.Float64() < share:
		return 0, length
	}
	return 0, 0
}

func (l *Loss) count(w *overwrite, from, to int64) {
	if w.kept {
		return
	}
	l.Unflushed++
	switch to - from {
	case 0:
	case w.length:
		l.Lost++
	default:
		l.Torn++
	}
}

// undo restores the data that the lost part of a write replaced, except where a later write
// is on the medium, and marks the rest as final.
func (w *overwrite) undo(i image, from, to int64, kept map[int64]bool) (bytes int64, err error) {
	for at := int64(0); at < w.length; at += sector {
		place := (w.offset + at) / sector
		if kept[place] {
			continue
		}
		if at < from || at >= to {
			kept[place] = true
			continue
		}
		old := w.old[at:min(at+sector, w.length)]
		if _, err := i.WriteAt(old, w.offset+at); err != nil {
			return bytes, err
		}
		bytes += int64(len(old))
	}
	return bytes, nil
}
