package nfs3

import (
	"encoding/binary"
	"errors"
)

// encoder writes External Data Representation (RFC 4506): big-endian words,
// opaque data padded to four bytes.
type encoder struct{ b []byte }

func (e *encoder) uint32(v uint32) { e.b = binary.BigEndian.AppendUint32(e.b, v) }
func (e *encoder) uint64(v uint64) { e.b = binary.BigEndian.AppendUint64(e.b, v) }
func (e *encoder) fixed(v []byte)  { e.b = append(e.b, v...) }

func (e *encoder) bool(v bool) {
	if v {
		e.uint32(1)
		return
	}
	e.uint32(0)
}

func (e *encoder) opaque(v []byte) {
	e.uint32(uint32(len(v)))
	e.fixed(v)
	e.fixed(make([]byte, -len(v)&3))
}

func (e *encoder) string(v string) { e.opaque([]byte(v)) }

// errShort is an answer that ends too early.
var errShort = errors.New("the server's answer is shorter than the protocol says")

// decoder reads External Data Representation. After a first error it gives
// zeros, so that only the end needs a look at err.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) take(n int) []byte {
	if d.err != nil || n < 0 || n > len(d.b) {
		d.err = errShort
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) bool() bool { return d.uint32() != 0 }

// opaque returns a part of the answer, not a copy.
func (d *decoder) opaque() []byte {
	n := int(d.uint32())
	out := d.take(n)
	d.take(-n & 3)
	return out
}

func (d *decoder) string() string { return string(d.opaque()) }
