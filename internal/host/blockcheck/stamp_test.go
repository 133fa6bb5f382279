package blockcheck

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func stamped(s Stamp, size int) []byte {
	block := make([]byte, size)
	Random(block, uint64(s.Generation))
	s.Write(block)
	return block
}

func classOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

func TestKnowsWhatIsWrong(t *testing.T) {
	want := Stamp{Volume: 7, Offset: 40960, Generation: 5}
	changed := func(change func(*Stamp)) []byte {
		s := want
		change(&s)
		return stamped(s, 4096)
	}
	old := changed(func(s *Stamp) { s.Generation = 4 })
	mixed := stamped(want, 4096)
	copy(mixed[2048:], old[2048:])
	lateHead := stamped(want, 4096)
	copy(lateHead[:512], old)
	flipped := stamped(want, 4096)
	flipped[3000] ^= 1
	for _, c := range []struct {
		name, class string
		block       []byte
	}{
		{"right", "", stamped(want, 4096)},
		{"of the write before", Stale, old},
		{"of a write that nobody here made", Foreign, changed(func(s *Stamp) { s.Generation = 6 })},
		{"of another place", Misplaced, changed(func(s *Stamp) { s.Offset = 8192 })},
		{"of another file", Misplaced, changed(func(s *Stamp) { s.File = 3 })},
		{"of another volume", Misplaced, changed(func(s *Stamp) { s.Volume = 8 })},
		{"the second half is the old one", Torn, mixed},
		{"the first Sector is the old one", Torn, lateHead},
		{"a bit has flipped", Corrupt, flipped},
		{"zeros", Foreign, make([]byte, 4096)},
		{"foreign data", Foreign, bytes.Repeat([]byte("XFSB"), 1024)},
	} {
		err := want.Check(c.block)
		if got := classOf(err); got != c.class {
			t.Errorf("%s: class %q (%v), want %q", c.name, got, err, c.class)
		}
		if err != nil && !strings.Contains(err.Error(), "offset 40960") {
			t.Errorf("%s: no offset in %q", c.name, err)
		}
	}
}

// A block of another stamp, or with any byte changed, is never taken for right.
func TestFindsEveryChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Stamp{
			Volume: rapid.Uint64().Draw(t, "volume"), File: rapid.Uint64().Draw(t, "file"),
			Offset: rapid.Int64Range(0, 1<<50).Draw(t, "offset"), Generation: rapid.Uint32Range(1, Generations-1).Draw(t, "generation"),
		}
		size := rapid.IntRange(1, 16*Sector).Draw(t, "size")
		block := stamped(s, size)
		if err := s.Check(block); err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, size-1).Draw(t, "at")
		block[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "change"))
		if s.Check(block) == nil {
			t.Fatalf("a change at byte %d was not found", at)
		}
	})
}

// Every mixture of the sectors of two writes is found to be Torn.
func TestFindsTornBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sectors := rapid.IntRange(2, 16).Draw(t, "sectors")
		before := Stamp{Volume: 1, Offset: 1 << 20, Generation: rapid.Uint32Range(1, 1000).Draw(t, "generation")}
		after := before
		after.Generation += rapid.Uint32Range(1, recent).Draw(t, "later")
		old, block := stamped(before, sectors*Sector), stamped(after, sectors*Sector)
		lost := rapid.SliceOfN(rapid.Bool(), sectors, sectors).Draw(t, "lost")
		n := 0
		for i, is := range lost {
			if is {
				copy(block[i*Sector:(i+1)*Sector], old[i*Sector:])
				n++
			}
		}
		want := map[bool]string{true: Stale, false: Torn}[n == sectors]
		if n == 0 {
			want = ""
		}
		if err := after.Check(block); classOf(err) != want {
			t.Fatalf("%d of %d sectors are old: %v, want %q", n, sectors, err, want)
		}
	})
}

// Two short ends of files are alike only by chance, which eight bytes exclude.
func TestShortBlocksDiffer(t *testing.T) {
	one := Stamp{Volume: 1, File: 1, Offset: 4096, Generation: 1}
	for name, change := range map[string]func(*Stamp){
		"volume":     func(s *Stamp) { s.Volume++ },
		"file":       func(s *Stamp) { s.File++ },
		"offset":     func(s *Stamp) { s.Offset += 4096 },
		"generation": func(s *Stamp) { s.Generation++ },
	} {
		other := one
		change(&other)
		if err := one.Check(stamped(other, 8)); classOf(err) != Corrupt {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

func BenchmarkStamp(b *testing.B) {
	block, s := make([]byte, 4096), Stamp{Volume: 1, Offset: 2, Generation: 3}
	b.SetBytes(4096)
	for b.Loop() {
		s.Write(block)
	}
}

func BenchmarkCheck(b *testing.B) {
	s := Stamp{Volume: 1, Offset: 2, Generation: 3}
	block := stamped(s, 4096)
	b.SetBytes(4096)
	for b.Loop() {
		if s.Check(block) != nil {
			b.Fatal("wrong")
		}
	}
}

func BenchmarkChecksum(b *testing.B) {
	block := make([]byte, 4096)
	b.SetBytes(4096)
	for b.Loop() {
		binary.LittleEndian.PutUint32(block, crc32.Checksum(block, castagnoli))
	}
}

func TestGenerationsWrapAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.Uint32Range(1, Generations-1).Draw(t, "generation")
		later := g
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			later = Next(later)
		}
		if later == 0 || later >= Generations || !newer(later, g) || newer(g, later) {
			t.Fatalf("%d after %d", later, g)
		}
	})
}
