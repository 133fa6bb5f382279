package dvdstore

import (
	"cmp"
	"slices"
)

// entry is one kind of receipt.
type entry[R any] interface {
	comparable
	// Number returns the row's number, or 0 if it is in doubt and not known.
	Number() int64
	// InDoubt reports whether the row may or may not be there.
	InDoubt() bool
	// Certain returns the receipt without doubt, and Unnumbered without number.
	Certain() R
	Unnumbered() R
}

// book holds the driver's knowledge of one kind of row: acknowledged rows, and rows that
// may or may not have been written.
type book[R entry[R]] struct {
	acknowledged []R         // by number, once sorted
	known        map[int64]R // doubtful, by number, as if they were certain
	unknown      map[R]int   // doubtful without number, likewise
	doubtful     int64
	at           int // the first acknowledged one that has not been taken
}

func newBook[R entry[R]]() *book[R] {
	return &book[R]{known: map[int64]R{}, unknown: map[R]int{}}
}

func (b *book[R]) enter(r R) {
	if !r.InDoubt() {
		b.acknowledged = append(b.acknowledged, r)
		return
	}
	b.doubtful++
	if r = r.Certain(); r.Number() != 0 {
		b.known[r.Number()] = r
	} else {
		b.unknown[r]++
	}
}

// sort must be called before the acknowledged ones are taken.
func (b *book[R]) sort() {
	slices.SortFunc(b.acknowledged, func(a, b R) int { return cmp.Compare(a.Number(), b.Number()) })
}

func (b *book[R]) count() int64 { return int64(len(b.acknowledged)) }

// before takes the first acknowledged one with a smaller number.
func (b *book[R]) before(number int64, twice *tally) (r R, ok bool) {
	if b.at == len(b.acknowledged) || b.acknowledged[b.at].Number() >= number {
		return r, false
	}
	return b.take(b.acknowledged[b.at].Number(), twice)
}

// take takes the acknowledgement with a number, if there is one; numbers must
// rise from call to call. Repetitions offend.
func (b *book[R]) take(number int64, twice *tally) (r R, ok bool) {
	for ; b.at < len(b.acknowledged) && b.acknowledged[b.at].Number() == number; b.at++ {
		if ok {
			twice.offend("number %d", number)
		}
		r, ok = b.acknowledged[b.at], true
	}
	return r, ok
}

// excuses reports whether a doubtful one accounts for one that is there;
// each accounts for one only.
func (b *book[R]) excuses(found R) bool {
	if doubtful, ok := b.known[found.Number()]; ok {
		return doubtful == found
	}
	anonymous := found.Unnumbered()
	if b.unknown[anonymous] == 0 {
		return false
	}
	b.unknown[anonymous]--
	return true
}
