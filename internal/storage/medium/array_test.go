package medium

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// plainDrive has no cache, so that every write reaches the actuator.
func plainDrive() Spec {
	d := testDrive()
	d.Cache, d.ReadAhead = Cache{}, 0
	return Spec{Rotational: &d}
}

func set(level, drives int) RAID { return RAID{Level: level, Drives: drives, Chunk: 64 << 10} }

func TestLayoutPutsEveryChunkSomewhereElse(t *testing.T) {
	for _, r := range []RAID{set(0, 4), set(5, 5), set(6, 6), set(10, 6)} {
		l := newLayout(r)
		for row := range int64(3 * r.Drives) {
			used := map[int]bool{}
			for column := range l.columns {
				for _, d := range l.drivesOf(row, column) {
					if used[d] || d < 0 || d >= r.Drives {
						t.Fatalf("RAID %d: row %d, column %d on drive %d", r.Level, row, column, d)
					}
					used[d] = true
				}
			}
			for _, d := range l.parityOf(row) {
				if used[d] {
					t.Fatalf("RAID %d: row %d has parity on drive %d with data", r.Level, row, d)
				}
				used[d] = true
			}
			if len(used) != r.Drives {
				t.Fatalf("RAID %d: row %d uses %d drives", r.Level, row, len(used))
			}
		}
	}
}

// The cost of a small write is the textbook's: 1, 2 (mirror), 4 (old data and parity read,
// both written), 6 (two parities).
func TestSmallWritePenalty(t *testing.T) {
	for _, c := range []struct {
		raid RAID
		want int64
	}{{set(0, 6), 1}, {set(10, 6), 2}, {set(5, 6), 4}, {set(6, 8), 6}} {
		a := newArray(c.raid, plainDrive(), testSize)
		const count = 300
		closedLoop(a, 1, count, random(Write, 4096, testSize/2, 7))
		if got := a.Stats().Accesses; got != c.want*count {
			t.Errorf("RAID %d: %d writes took %d accesses, want %d each", c.raid.Level, count, got, c.want)
		}
	}
}

func TestFullRowsNeedNoReads(t *testing.T) {
	a := newArray(set(5, 6), plainDrive(), testSize)
	const count = 200
	closedLoop(a, 1, count, sequential(Write, a.row()))
	if got := a.Stats().Accesses; got != 6*count {
		t.Errorf("%d full rows took %d accesses, want %d", count, got, 6*count)
	}
}

// With most of a row written it is cheaper to read the rest.
func TestReconstructWrite(t *testing.T) {
	a := newArray(set(5, 6), plainDrive(), testSize)
	closedLoop(a, 1, 1, func(int) Request { return Request{Op: Write, Offset: 0, Length: 4 * 64 << 10} })
	if got := a.Stats().Accesses; got != 1+5 {
		t.Errorf("four of five chunks took %d accesses, want one read and five writes", got)
	}
}

func TestDegraded(t *testing.T) {
	whole, lost := set(5, 6), set(5, 6)
	lost.Degraded = 1
	reads := func(r RAID) int64 {
		a := newArray(r, plainDrive(), testSize)
		closedLoop(a, 1, 6000, random(Read, 4096, testSize/2, 8))
		return a.Stats().Accesses
	}
	if got := reads(whole); got != 6000 {
		t.Errorf("6000 reads took %d accesses", got)
	}
	// A sixth of the chunks was on the lost drive: five reads instead of one.
	near(t, "degraded reads", float64(reads(lost)), 6000*(5.0/6+5.0/6), 0.03)

	mirror := set(10, 6)
	mirror.Degraded = 3
	a := newArray(mirror, plainDrive(), testSize)
	closedLoop(a, 4, 1000, random(Write, 4096, testSize/2, 8))
	if got := a.Stats().Accesses; got != 1000 {
		t.Errorf("1000 writes to half a mirror took %d accesses", got)
	}
}

func TestDrivesAddUp(t *testing.T) {
	perSecond := func(m Model, depth int) float64 {
		_, end := closedLoop(m, depth, 4000, random(Read, 4096, testSize/2, 9))
		return 4000 / end.Seconds()
	}
	one := perSecond(New(plainDrive(), testSize), 1)
	near(t, "RAID 0 of 8", perSecond(newArray(set(0, 8), plainDrive(), testSize), 8*8), 8*2*one, 0.3)
	streaming := func(m Model) float64 {
		_, end := closedLoop(m, 16, 2000, sequential(Read, 1<<20))
		return 2000 * (1 << 20) / end.Seconds()
	}
	withAhead := plainDrive()
	withAhead.Rotational.ReadAhead = 1 << 20
	near(t, "a stream over RAID 0 of 4", streaming(newArray(set(0, 4), withAhead, testSize)), 4*180e6, 0.2)
}

func TestControllerCache(t *testing.T) {
	r := set(5, 12)
	r.Cache = Cache{Bytes: 1 << 30, Protected: true}
	a := newArray(r, plainDrive(), testSize)
	times, _ := closedLoop(a, 1, 1000, random(Write, 4096, testSize/2, 10))
	if got := mean(times); got > 100*time.Microsecond {
		t.Errorf("a write into the controller's cache takes %s", got)
	}
	if got := flushTime(newArray(r, plainDrive(), testSize), 100, 4096); got != controllerTime {
		t.Errorf("a flush of a protected controller takes %s", got)
	}
	r.Cache.Protected = false
	if got := flushTime(newArray(r, plainDrive(), testSize), 100, 4096); got < 10*time.Millisecond {
		t.Errorf("a flush of a volatile controller takes %s", got)
	}
	// Small sequential writes leave the cache as full rows: hardly any reads.
	a = newArray(r, plainDrive(), testSize)
	closedLoop(a, 1, 50000, sequential(Write, 4096))
	rows := int64(50000 * 4096 / a.row())
	if got := a.Stats().Accesses; got > rows*13 {
		t.Errorf("%d rows took %d accesses", rows, got)
	}
}

// Whatever is asked in whatever order: every request is answered once, none
// before it was made, and at the end nothing is left.
func TestEveryRequestIsAnsweredOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 1 << 30
		m := New(anySpec(t), size)
		began, at := map[uint64]time.Duration{}, time.Duration(0)
		take := func(done []Completion) {
			for _, d := range done {
				if since, ok := began[d.ID]; !ok || d.At < since {
					t.Fatalf("request %d was answered at %s, made at %s (%v)", d.ID, d.At, since, ok)
				}
				delete(began, d.ID)
			}
		}
		count := rapid.IntRange(1, 200).Draw(t, "requests")
		for id := range uint64(count) {
			at += time.Duration(rapid.Int64Range(0, 20e6).Draw(t, "gap"))
			take(m.Advance(at))
			began[id] = at
			m.Submit(at, id, anyRequest(t, size))
		}
		for range 100000 {
			next, ok := m.Next()
			if !ok {
				break
			}
			at = max(at, next)
			take(m.Advance(at))
		}
		if len(began) > 0 {
			t.Fatalf("%d requests were not answered", len(began))
		}
	})
}

func anyRequest(t *rapid.T, size int64) Request {
	op := rapid.SampledFrom([]Op{Read, Write, Write, Flush}).Draw(t, "op")
	if op == Flush {
		return Request{Op: Flush}
	}
	length := rapid.Int64Range(1, 300).Draw(t, "length") * 4096
	return Request{Op: op, Offset: rapid.Int64Range(0, 64).Draw(t, "place") * (size / 128) / 4096 * 4096, Length: length}
}

func anySpec(t *rapid.T) Spec {
	cache := Cache{
		Bytes:     rapid.SampledFrom([]int64{0, 64 << 10, 1 << 20, 64 << 20}).Draw(t, "cache"),
		Protected: rapid.Bool().Draw(t, "protected"),
	}
	var s Spec
	if rapid.Bool().Draw(t, "flash") {
		f := testFlash()
		f.Cache = cache
		f.Cache.Bytes = max(f.Cache.Bytes, f.Page)
		f.FastBytes, f.SlowProgram = rapid.SampledFrom([]int64{0, 1 << 20}).Draw(t, "fast"), 5*time.Millisecond
		s.Flash = &f
	} else {
		d := testDrive()
		d.Cache, d.Queue = cache, rapid.SampledFrom([]int{1, 4, 32}).Draw(t, "queue")
		d.ReadAhead = rapid.SampledFrom([]int64{0, 1 << 20}).Draw(t, "ahead")
		s.Rotational = &d
	}
	s.Lies = rapid.Bool().Draw(t, "lies")
	if level := rapid.SampledFrom([]int{-1, 0, 5, 6, 10}).Draw(t, "level"); level >= 0 {
		r := set(level, rapid.SampledFrom([]int{4, 6, 8}).Draw(t, "drives"))
		r.Degraded = rapid.IntRange(0, map[int]int{5: 1, 6: 2, 10: r.Drives / 2}[level]).Draw(t, "degraded")
		r.Cache.Bytes = rapid.SampledFrom([]int64{0, 1 << 20, 64 << 20}).Draw(t, "controller")
		r.Cache.Protected = rapid.Bool().Draw(t, "vouches")
		s.RAID = &r
	}
	return s
}

func ExampleSpec_Text() {
	r := RAID{Level: 5, Drives: 12}
	d := testDrive()
	fmt.Println(Spec{Rotational: &d, RAID: &r}.Text())
	// Output: RAID 5 of 12 drives, each a drive of 7200 rpm, seeks of 500µs to 15ms
}
