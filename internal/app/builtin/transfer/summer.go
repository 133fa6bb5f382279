package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// Make is the stage that makes an item up.
const Make = "make"

// Making returns an item of a size, packed: each hands over its data, in order.
func Making(size int64, each func(take func(at int64, b []byte) error) error) Stage {
	return Stage{Make, func(_ *Input, out *Output) error {
		if _, err := out.Write(head(size)); err != nil {
			return err
		}
		err := each(func(at int64, b []byte) error {
			if _, err := out.Write(extent(at, int64(len(b)))); err != nil {
				return err
			}
			_, err := out.Write(b)
			return err
		})
		if err != nil {
			return err
		}
		_, err = out.Write(extent(size, 0))
		return err
	}}
}

// Summer sums an item up from its packed format.
type Summer struct {
	hash  hash.Hash
	total int64
	at    int64 // up to where it has a part in the digest
	data  int64
}

// Stage takes the item.
func (s *Summer) Stage() Stage {
	s.hash = sha256.New()
	return Unpacking("sum", func(size int64) { s.total = size }, func(at int64, b []byte) {
		pad(s.hash, at-s.at)
		_, _ = s.hash.Write(b) // a hash takes everything
		s.at, s.data = at+int64(len(b)), s.data+int64(len(b))
	})
}

// Unpacking takes a packed item: its size and then its data, in order.
func Unpacking(name string, size func(int64), data func(at int64, b []byte)) Stage {
	list := &unpacker{
		size: func(n int64) error { size(n); return nil },
		data: func(at int64, b []byte) error { data(at, b); return nil },
	}
	return Stage{name, func(in *Input, _ *Output) error {
		if _, err := in.WriteTo(list); err != nil {
			return err
		}
		return list.close()
	}}
}

// Result describes the item, once the stage has ended.
func (s *Summer) Result() Sum {
	pad(s.hash, s.total-s.at)
	return Sum{Digest: hex.EncodeToString(s.hash.Sum(nil)), Size: s.total, Holes: s.total - s.data}
}
