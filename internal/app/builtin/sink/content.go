package sink

import (
	"bytes"

	"plimsoll/internal/host/blockcheck"
)

// period is after how many bytes the content of a stream repeats. The copies that are
// sent from and compared with stay in the processor's cache.
const period = 64 << 10

// Content is the data of a stream: random bytes that repeat. Lost or duplicated data shows,
// unless it is a multiple of the period; then the count shows it.
type Content struct {
	bytes []byte
	most  int
}

// NewContent makes the content of a seed for pieces of so many bytes at most.
func NewContent(seed uint64, most int) Content {
	all := make([]byte, 0, period+most)
	all = append(all, make([]byte, period)...)
	blockcheck.Random(all, seed)
	for len(all) < cap(all) {
		all = append(all, all[:min(period, cap(all)-len(all))]...)
	}
	return Content{bytes: all, most: most}
}

// At is the piece of the stream of n bytes that begins at an offset.
func (c Content) At(offset int64, n int) []byte { return c.bytes[offset%period:][:n] }

// Check compares a piece that was received at an offset of the stream. It gives the
// offset of the first wrong byte, or -1.
func (c Content) Check(piece []byte, offset int64) int64 {
	for len(piece) > 0 {
		n := min(len(piece), c.most)
		if want := c.At(offset, n); !bytes.Equal(piece[:n], want) {
			return offset + int64(firstDifference(piece[:n], want))
		}
		piece, offset = piece[n:], offset+int64(n)
	}
	return -1
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}
