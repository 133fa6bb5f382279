package probe

import (
	"encoding/binary"
	"math/rand/v2"
)

// places gives where the next request of a generator goes.
type places struct {
	random       *rand.Rand // nil for a stream
	block        int64
	from, blocks int64
	at, stride   int64 // of a stream, in blocks
	source       *rand.ChaCha8
}

func newPlaces(p pattern, number, of int) *places {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], p.seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(number))
	x := &places{block: p.block, from: p.from, blocks: (p.to - p.from) / p.block, at: int64(number), stride: int64(of), source: rand.NewChaCha8(key)}
	if p.random {
		x.random = rand.New(rand.NewPCG(p.seed, uint64(number)))
	}
	return x
}

// next returns an offset in bytes; a stream ends at its end.
func (x *places) next() (offset int64, ok bool) {
	if x.random != nil {
		return x.from + x.random.Int64N(x.blocks)*x.block, true
	}
	at := x.at
	x.at += x.stride
	return x.from + at*x.block, at < x.blocks
}

// fill writes what no device can compress.
func (x *places) fill(buffer []byte) {
	_, _ = x.source.Read(buffer) // never fails
}
