// Package content generates images: items of a given size, partly data and partly holes,
// with data of a given compressibility. The same item is always the same.
package content

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
)

// Item is a made-up image.
type Item struct {
	Seed   uint64 `json:"seed"`
	Number int    `json:"number"`
	Size   int64  `json:"size"` // bytes, holes included
	// Data is how much of it is data, and Entropy to how much of the data compressing it
	// leads, both in percent.
	Data    float64 `json:"data"`
	Entropy float64 `json:"entropy"`
}

const (
	// Grain is the size in bytes of the units that are either data or a hole. It is larger
	// than the blocks of file systems, so that all of them can preserve the holes.
	Grain = 1 << 20
	// page is after how much of a grain what cannot be compressed begins anew, in bytes: well
	// below the windows of gzip.
	page = 4 << 10
)

// grains is how many there are; the last may be shorter.
func (it Item) grains() int64 { return (it.Size + Grain - 1) / Grain }

// random returns numbers of a grain's own.
func (it Item) random(grain int64) *rand.PCG {
	return rand.NewPCG(it.Seed^uint64(it.Number)*0x9e3779b97f4a7c15, uint64(grain)*0xd1342543de82ef95+1)
}

// Holds reports whether a grain has data. Data are spread evenly, and the first grain has
// some unless there is none at all.
func (it Item) Holds(grain int64) bool {
	share := it.Data / 100
	return int64(float64(grain+1)*share+0.999999) > int64(float64(grain)*share+0.999999)
}

// DataBytes is how much of the item is data.
func (it Item) DataBytes() (n int64) {
	for g := range it.grains() {
		if it.Holds(g) {
			n += it.length(g)
		}
	}
	return n
}

func (it Item) length(grain int64) int64 { return min(Grain, it.Size-grain*Grain) }

// fill makes the data of a grain.
func (it Item) fill(grain int64, b []byte) {
	numbers := it.random(grain)
	random := int(it.Entropy / 100 * page)
	var text [8]byte
	for at := 0; at < len(b); at += page {
		p := b[at:min(at+page, len(b))]
		for n := 0; n < len(p); n += len(text) {
			if n < random {
				binary.LittleEndian.PutUint64(text[:], numbers.Uint64()|1)
			} else {
				copy(text[:], "plimsoll")
			}
			copy(p[n:], text[:])
		}
	}
}

// Each returns the data of each grain that has some, in their order. The bytes are valid
// until the next.
func (it Item) Each(take func(at int64, b []byte) error) error {
	b := make([]byte, Grain)
	for g := range it.grains() {
		if !it.Holds(g) {
			continue
		}
		p := b[:it.length(g)]
		it.fill(g, p)
		if err := take(g*Grain, p); err != nil {
			return err
		}
	}
	return nil
}

// Whole writes the content with zeros for holes.
func (it Item) Whole(to io.Writer) error {
	zeros := make([]byte, Grain)
	at := int64(0)
	rest := func(until int64) error {
		for at < until {
			n, err := to.Write(zeros[:min(Grain, until-at)])
			if at += int64(n); err != nil {
				return err
			}
		}
		return nil
	}
	err := it.Each(func(begin int64, b []byte) error {
		if err := rest(begin); err != nil {
			return err
		}
		n, err := to.Write(b)
		at += int64(n)
		return err
	})
	if err != nil {
		return err
	}
	return rest(it.Size)
}
