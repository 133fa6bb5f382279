package medium

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// memory is an image for tests.
type memory []byte

func (m memory) ReadAt(b []byte, at int64) (int, error) {
	if n := copy(b, m[at:]); n < len(b) {
		return n, io.EOF
	}
	return len(b), nil
}

func (m memory) WriteAt(b []byte, at int64) (int, error) { return copy(m[at:], b), nil }

// cutter is a medium of a few sectors. Each write fills its sectors with a number of its
// own, and versions has all numbers that each sector ever held.
type cutter struct {
	t        *rapid.T
	u        *undoLog
	image    memory
	versions [][]byte
	safe     []int // by sector: the version that a completed flush covers
	written  byte
	pending  []uint64 // writes that were not answered yet
}

const cutterSectors = 24

func newCutter(t *rapid.T, u *undoLog) *cutter {
	c := &cutter{t: t, u: u, image: make(memory, cutterSectors*sector), safe: make([]int, cutterSectors)}
	for range cutterSectors {
		c.versions = append(c.versions, []byte{0})
	}
	return c
}

func (c *cutter) write() {
	first := rapid.Int64Range(0, cutterSectors-1).Draw(c.t, "sector")
	count := rapid.Int64Range(1, min(8, cutterSectors-first)).Draw(c.t, "sectors")
	c.written++
	number, err := c.u.overwrites(c.image, first*sector, count*sector)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.image.WriteAt(bytes.Repeat([]byte{c.written}, int(count*sector)), first*sector); err != nil {
		c.t.Fatal(err)
	}
	for s := first; s < first+count; s++ {
		c.versions[s] = append(c.versions[s], c.written)
	}
	c.pending = append(c.pending, number)
}

func (c *cutter) answer() {
	if len(c.pending) == 0 {
		return
	}
	i := rapid.IntRange(0, len(c.pending)-1).Draw(c.t, "which")
	c.u.answer(c.pending[i])
	c.pending = slices.Delete(c.pending, i, i+1)
}

// flush begins and ends a flush, with writes between.
func (c *cutter) flush() {
	mark := c.u.mark()
	var covered []int
	for _, v := range c.versions {
		covered = append(covered, len(v)-1)
	}
	for range rapid.IntRange(0, 2).Draw(c.t, "meanwhile") {
		c.write()
	}
	c.u.flushed(mark)
	c.safe = covered
}

func (c *cutter) use() {
	for range rapid.IntRange(0, 60).Draw(c.t, "steps") {
		switch rapid.IntRange(0, 5).Draw(c.t, "step") {
		case 0:
			c.flush()
		case 1, 2:
			c.answer()
		default:
			c.write()
		}
	}
}

// After a power cut every sector holds, undivided, the data of the last completed flush or
// of one of the later writes.
func TestCutKeepsWhatWasFlushed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int64{0, 4 * sector, 1 << 20}).Draw(t, "cache")
		c := newCutter(t, &undoLog{limit: limit})
		c.use()
		before := slices.Clone(c.image)
		seed := rapid.Uint64().Draw(t, "seed")
		loss, err := c.u.lose(c.image, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		for s, versions := range c.versions {
			content := c.image[s*sector : (s+1)*sector]
			if !bytes.Equal(content, bytes.Repeat(content[:1], sector)) {
				t.Fatalf("sector %d is torn", s)
			}
			if !slices.Contains(versions[c.safe[s]:], content[0]) {
				t.Fatalf("sector %d holds write %d; versions %v, flushed %v", s, content[0], versions, versions[:c.safe[s]+1])
			}
		}
		if loss.Bytes == 0 && !bytes.Equal(before, c.image) {
			t.Fatalf("something was lost: %+v", loss)
		}
		if loss.Unflushed < loss.Lost+loss.Torn || len(c.u.writes) != 0 || c.u.bytes != 0 {
			t.Fatalf("%+v; %d bytes in %d writes are left", loss, c.u.bytes, len(c.u.writes))
		}
	})
}

// written returns a medium with some writes of four sectors each, all answered,
// and then a flush.
func written(t *testing.T, s Spec, writes int) (*undoLog, memory) {
	t.Helper()
	u, image := newUndoLog(s), make(memory, writes*4*sector)
	for n := range writes {
		at := int64(n * 4 * sector)
		number, err := u.overwrites(image, at, 4*sector)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = image.WriteAt(bytes.Repeat([]byte{1}, 4*sector), at)
		u.answer(number)
	}
	return u, image
}

func cutWith(t *testing.T, u *undoLog, image memory, seed uint64) Loss {
	t.Helper()
	loss, err := u.lose(image, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return loss
}

// The losses of a cut depend on the seed alone. They include whole and torn writes, and
// writes that survive although earlier ones are lost.
func TestCutIsSeeded(t *testing.T) {
	s := Spec{Rotational: &Rotational{Cache: Cache{Bytes: 1 << 20}}}
	cut := func(seed uint64) (Loss, memory) {
		u, image := written(t, s, 100)
		return cutWith(t, u, image, seed), image
	}
	var sum Loss
	reordered := 0
	for seed := range uint64(20) {
		loss, image := cut(seed)
		again, same := cut(seed)
		if loss != again || !bytes.Equal(image, same) {
			t.Fatalf("seed %d: %+v, and again %+v", seed, loss, again)
		}
		if _, other := cut(seed + 1000); bytes.Equal(image, other) {
			t.Errorf("seeds %d and %d lose the same", seed, seed+1000)
		}
		if lost := bytes.Count(image, []byte{0}); int64(lost) != loss.Bytes {
			t.Errorf("%d bytes are lost, counted were %d", lost, loss.Bytes)
		}
		sum.Lost += loss.Lost
		sum.Torn += loss.Torn
		if first := bytes.IndexByte(image, 0); first >= 0 && bytes.IndexByte(image[first:], 1) >= 0 {
			reordered++
		}
	}
	if sum.Lost == 0 || sum.Torn == 0 || reordered == 0 {
		t.Errorf("%d writes lost, %d torn, %d of 20 cuts out of order", sum.Lost, sum.Torn, reordered)
	}
}

// Who may lose what was flushed, or anything at all.
func TestCutByMedium(t *testing.T) {
	const writes = 100 // of 2 KiB
	volatile, protected := Cache{Bytes: 1 << 20}, Cache{Bytes: 1 << 20, Protected: true}
	raid := &RAID{Level: 5, Drives: 3, Cache: protected}
	for name, c := range map[string]struct {
		spec       Spec
		most       int64 // writes that can be undone without a flush
		afterFlush int64
	}{
		"volatile cache":         {spec: Spec{Rotational: &Rotational{Cache: volatile}}, most: writes},
		"volatile flash":         {spec: Spec{Flash: &Flash{Cache: volatile}}, most: writes},
		"small cache":            {spec: Spec{Rotational: &Rotational{Cache: Cache{Bytes: 8 << 10}}}, most: 4},
		"no cache":               {spec: Spec{Rotational: &Rotational{}}},
		"protected cache":        {spec: Spec{Flash: &Flash{Cache: protected}}},
		"protected controller":   {spec: Spec{Rotational: &Rotational{}, RAID: raid}},
		"unprotected controller": {spec: Spec{Rotational: &Rotational{}, RAID: &RAID{Level: 5, Drives: 3, Cache: volatile}}, most: writes},
		"set of drives":          {spec: Spec{Rotational: &Rotational{Cache: Cache{Bytes: 8 << 10}}, RAID: &RAID{Level: 5, Drives: 3}}, most: 12},
		"lies":                   {spec: Spec{Rotational: &Rotational{Cache: volatile}, Lies: true}, most: writes, afterFlush: writes},
		"lies about protection":  {spec: Spec{Flash: &Flash{Cache: protected}, Lies: true}, most: writes, afterFlush: writes},
	} {
		t.Run(name, func(t *testing.T) {
			u, image := written(t, c.spec, writes)
			if loss := cutWith(t, u, image, 1); loss.Unflushed != c.most {
				t.Errorf("without a flush %d writes could be lost, want %d", loss.Unflushed, c.most)
			}
			u, image = written(t, c.spec, writes)
			u.flushed(u.mark())
			if loss := cutWith(t, u, image, 1); loss.Unflushed != c.afterFlush || (loss.Bytes > 0) != (c.afterFlush > 0) {
				t.Errorf("after a flush %d writes could be lost, want %d; %d bytes were", loss.Unflushed, c.afterFlush, loss.Bytes)
			}
		})
	}
}

// A write that reached the tier survives, even where an older write below it is lost.
func TestKeptWritesAreNotUndone(t *testing.T) {
	lost := int64(0)
	for seed := range uint64(20) {
		u := &undoLog{limit: 1 << 20}
		image := make(memory, 4*sector)
		write := func(value byte, from, sectors int64) uint64 {
			number, err := u.overwrites(image, from*sector, sectors*sector)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = image.WriteAt(bytes.Repeat([]byte{value}, int(sectors*sector)), from*sector)
			return number
		}
		u.answer(write(1, 0, 3)) // to the slow medium
		u.keep(write(2, 1, 1))   // to the tier
		u.answer(write(3, 3, 1))
		loss, err := u.lose(image, rand.New(rand.NewPCG(seed, 1)))
		if err != nil || loss.Unflushed != 2 {
			t.Fatalf("%+v, %v", loss, err)
		}
		if image[sector] != 2 {
			t.Errorf("a write that the tier has became %d", image[sector])
		}
		lost += loss.Lost + loss.Torn
	}
	if lost == 0 {
		t.Error("twenty power cuts lost nothing of the slow medium's cache")
	}
}
