// Package receipt says what a transaction wrote, in some thirty bytes: the
// session gives it to the driver, and the audit reads it again.
package receipt

import (
	"encoding/binary"
	"errors"
	"math"
)

// Kind is what a write does to a row.
type Kind uint8

// Kinds of writes.
const (
	Increment Kind = iota // of k by one
	Text                  // a new c
	Delete
	Insert // with a k and stamped texts
)

// Write is one row that a statement changed.
type Write struct {
	Kind  Kind
	Table int   // 1, 2, ...
	ID    int64 // 0 where the server numbers the row
	K     int64 // of an insert
	// From and To are the microseconds between which the write took place. In a
	// transaction, the moment of the statement's answer will do for both: the row
	// is locked from before then until after the commit was sent, so that the
	// order of the answers is the order of the writes.
	From, To int64
}

// Never is the end of a write whose answer never came.
const Never = math.MaxInt64

// Receipt is what one transaction, or one statement outside of any, wrote.
type Receipt struct {
	// Doubtful reports that an error left it open whether it was committed.
	Doubtful bool
	User     int
	Number   int64 // of the stamp: the microsecond of the beginning
	Writes   []Write
}

// Bits of the head of a write, below its table.
const (
	kindBits = 2
	spanBit  = 1 << kindBits
	headBits = kindBits + 1
)

// Append appends the receipt's bytes: doubtful, user and number; then for each
// write its head, row, k of an insert, and times as differences.
func (r *Receipt) Append(b []byte) []byte {
	doubtful := byte(0)
	if r.Doubtful {
		doubtful = 1
	}
	b = append(b, doubtful)
	b = binary.AppendUvarint(b, uint64(r.User))
	b = binary.AppendUvarint(b, uint64(r.Number))
	for _, w := range r.Writes {
		b = w.append(b, r.Number)
	}
	return b
}

func (w *Write) append(b []byte, number int64) []byte {
	head := uint64(w.Table)<<headBits | uint64(w.Kind)
	if w.To != w.From {
		head |= spanBit
	}
	b = binary.AppendUvarint(b, head)
	b = binary.AppendUvarint(b, uint64(w.ID))
	if w.Kind == Insert {
		b = binary.AppendVarint(b, w.K)
	}
	b = binary.AppendUvarint(b, uint64(w.From-number))
	switch {
	case w.To == Never:
		b = binary.AppendUvarint(b, 0)
	case w.To != w.From:
		b = binary.AppendUvarint(b, uint64(w.To-w.From))
	}
	return b
}

// Read reads a receipt; the writes are kept in the room that r has.
func (r *Receipt) Read(b []byte) error {
	f := fields{b: b}
	doubtful := f.uvarint()
	r.Doubtful, r.User, r.Number, r.Writes = doubtful == 1, int(f.uvarint()), int64(f.uvarint()), r.Writes[:0]
	if doubtful > 1 {
		f.bad = true
	}
	for len(f.b) > 0 && !f.bad {
		r.Writes = append(r.Writes, f.write(r.Number))
	}
	if f.bad {
		return errors.New("a receipt cannot be read")
	}
	return nil
}

// fields takes numbers from the front of b.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) write(number int64) Write {
	head := f.uvarint()
	w := Write{Kind: Kind(head & (1<<kindBits - 1)), Table: int(head >> headBits), ID: int64(f.uvarint())}
	if w.Kind == Insert {
		w.K = f.varint()
	}
	w.From = number + int64(f.uvarint())
	w.To = w.From
	if head&spanBit != 0 {
		if span := int64(f.uvarint()); span > 0 {
			w.To += span
		} else {
			w.To = Never
		}
	}
	return w
}

func (f *fields) uvarint() uint64 {
	n, length := binary.Uvarint(f.b)
	f.take(length)
	return n
}

func (f *fields) varint() int64 {
	n, length := binary.Varint(f.b)
	f.take(length)
	return n
}

func (f *fields) take(length int) {
	if length <= 0 {
		f.bad, f.b = true, nil
		return
	}
	f.b = f.b[length:]
}
