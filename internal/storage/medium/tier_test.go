package medium

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// testTier is a tier of a flash drive with so many bytes before another flash
// drive that is ten times as slow and has no moving parts, so that its times
// have closed forms.
func testTier(size int64) Tier {
	return Tier{Flash: testFlash(), Size: size, Block: 64 << 10, Visits: 2, DirtyStart: size / 10, DirtyLimit: size * 7 / 10}
}

func slowFlash() Flash {
	return Flash{
		Channels: 4, Page: 64 << 10, ReadLatency: time.Millisecond, WriteLatency: 100 * time.Microsecond,
		Program: 2 * time.Millisecond, Flush: 50 * time.Microsecond, ReadRate: 500e6, WriteRate: 500e6, Cache: Cache{Bytes: 1 << 20},
	}
}

func tieredFlash(spec Tier) *tier {
	slow := slowFlash()
	return New(Spec{Flash: &slow, Tier: &spec}, testSize).(*tier)
}

// warm fills the tier with the first bytes of the medium.
func warm(m *tier, size int64) {
	other := Request{Op: Read, Offset: testSize - m.spec.Block, Length: 4096}
	for pass := range m.spec.Visits {
		if pass > 0 {
			m.untimed(other) // what follows is another visit
		}
		for at := int64(0); at < size; at += m.spec.Block {
			m.untimed(Request{Op: Read, Offset: at, Length: m.spec.Block})
		}
	}
}

// Of uniformly random reads a share h = tier/working set is answered by the tier:
// the mean is h*fast + (1-h)*slow.
func TestTierAnswersItsShare(t *testing.T) {
	const size, count = 64 << 20, 20000
	fast := 100e-6 + 4096/1.8e9
	slow := 1e-3 + 4096/500e6
	for _, share := range []int64{1, 2, 4} {
		spec := testTier(size)
		spec.Visits = 1 // replaced at once, whatever is read: LRU keeps a share of 1/share
		m := tieredFlash(spec)
		warm(m, size)
		times, _ := closedLoop(m, 1, count, random(Read, 4096, size*share, 3))
		h := float64(m.stats.TierHits) / count
		near(t, "mean of reads", mean(times).Seconds(), h*fast+(1-h)*slow, 0.01)
		if share == 1 && h != 1 {
			t.Errorf("a working set that fits is answered to %.0f %%", 100*h)
		}
		if m.stats.TierHits+m.stats.TierMisses != count {
			t.Errorf("%d hits and %d misses of %d reads", m.stats.TierHits, m.stats.TierMisses, count)
		}
	}
}

// A tier that is warm and admits nothing new keeps exactly its share.
func TestTierHitRatio(t *testing.T) {
	const size, count = 64 << 20, 20000
	m := tieredFlash(testTier(size))
	warm(m, size)
	r := rand.New(rand.NewPCG(5, 1))
	next := func(int) Request { // every block outside is read once at most
		if r.Uint32()%2 == 0 {
			return Request{Op: Read, Offset: r.Int64N(size/4096) * 4096, Length: 4096}
		}
		return Request{Op: Read, Offset: size + r.Int64N((testSize-2*size)/65536)*65536, Length: 4096}
	}
	times, _ := closedLoop(m, 1, count, next)
	h := float64(m.stats.TierHits) / count
	near(t, "share of hits", h, 0.5, 0.03)
	near(t, "mean of reads", mean(times).Seconds(), h*(100e-6+4096/1.8e9)+(1-h)*(1e-3+4096/500e6), 0.01)
}

// A single large scan does not evict data that is read repeatedly.
func TestTierWithstandsScans(t *testing.T) {
	const size = 16 << 20
	m := tieredFlash(testTier(size))
	warm(m, size)
	closedLoop(m, 4, 4000, func(i int) Request { return Request{Op: Read, Offset: size + int64(i)*16384, Length: 16384} })
	before := m.stats.TierHits
	closedLoop(m, 1, 256, sequential(Read, 65536))
	if hits := m.stats.TierHits - before; hits != 256 {
		t.Errorf("after a scan the tier answers %d of 256 reads", hits)
	}
}

// While there is room, writes are as fast as the tier; once too much is dirty
// they are as fast as the slow medium: the cliff.
func TestTierWriteCliff(t *testing.T) {
	const size, length = 256 << 20, 128 << 10
	m := tieredFlash(testTier(size))
	limit := int(m.spec.DirtyLimit / length)
	times, _ := closedLoop(m, 8, limit*8/10, sequential(Write, length))
	sum, first := time.Duration(0), mean(times)
	for _, s := range times {
		sum += s
	}
	near(t, "writes before the cliff", length*float64(len(times))/(sum.Seconds()/8), 1.0e9, 0.05)
	if m.stats.Bypassed > 0 {
		t.Errorf("%d writes passed a tier by that has room", m.stats.Bypassed)
	}
	// Every byte goes to the slow medium in the end, which programs 4 pages of
	// 64 KiB in 2 ms.
	const count = 20000
	began := m.now
	at := int64(limit) * length
	end := continued(m, 8, count, func(i int) Request { return Request{Op: Write, Offset: at + int64(i)*length, Length: length} })
	rest := float64(count)*length - float64(m.spec.DirtyLimit)*0.2 // that still found room
	near(t, "writes past the cliff", rest/(end-began).Seconds(), 4*(64<<10)/2e-3, 0.15)
	if m.stats.Bypassed == 0 || m.blocks.dirtyBytes > m.spec.DirtyLimit {
		t.Errorf("%d writes passed the tier by; %d bytes are dirty, at most %d may be", m.stats.Bypassed, m.blocks.dirtyBytes, m.spec.DirtyLimit)
	}
	t.Logf("a write takes %s, past the cliff %s; %+v", first, (end-began)/(count/8), m.Stats())
}

// continued is closedLoop on a medium that has been in use.
func continued(m *tier, depth, count int, next func(int) Request) (end time.Duration) {
	const base = 1 << 40 // numbers of its own
	sent, done := 0, 0
	submit := func(now time.Duration) {
		m.Submit(now, uint64(base+sent), next(sent))
		sent++
	}
	for sent < depth {
		submit(m.now)
	}
	for done < count {
		at, _ := m.Next()
		for range m.Advance(at) {
			done++
			if end = at; sent < count {
				submit(at)
			}
		}
	}
	return end
}

// In the background no more is written back than the bound allows.
func TestTierWritesBackAtItsRate(t *testing.T) {
	spec := testTier(256 << 20)
	spec.WriteBack = 10e6
	m := tieredFlash(spec)
	closedLoop(m, 4, 1000, sequential(Write, 128<<10)) // 131 MB, up to 27 of which may stay
	before, began := m.stats.WrittenBack, m.now
	m.Advance(began + 5*time.Second)
	near(t, "written back in a second", float64(m.stats.WrittenBack-before)/5, 10e6, 0.2)
	for at, more := m.Next(); more; at, more = m.Next() {
		m.Advance(at)
	}
	if m.blocks.dirtyBytes >= spec.DirtyStart {
		t.Errorf("%d bytes stay dirty, write-back begins at %d", m.blocks.dirtyBytes, spec.DirtyStart)
	}
}

// A flush waits for the slow medium only where something was written there.
func TestTierFlush(t *testing.T) {
	back := tieredFlash(testTier(64 << 20))
	if got := flushTime(back, 100, 4096); got != testFlash().Flush {
		t.Errorf("a flush of data on the tier takes %s, want %s", got, testFlash().Flush)
	}
	spec := testTier(64 << 20)
	spec.WriteThrough = true
	if got := flushTime(tieredFlash(spec), 100, 4096); got < slowFlash().Program {
		t.Errorf("a flush of what was written through takes %s, a program %s", got, slowFlash().Program)
	}
	spec = testTier(64 << 20)
	spec.DirtyLimit = 0
	if got := flushTime(tieredFlash(spec), 100, 4096); got < slowFlash().Program {
		t.Errorf("a flush of what passed the tier by takes %s, a program %s", got, slowFlash().Program)
	}
}

// In write-through mode writes are no faster than the slow medium, and the tier's copies
// are updated.
func TestTierWritesThrough(t *testing.T) {
	spec := testTier(64 << 20)
	spec.WriteThrough = true
	m := tieredFlash(spec)
	warm(m, 64<<20)
	times, _ := closedLoop(m, 1, 50, sequential(Write, 4096))
	if got, want := mean(times), slowFlash().WriteLatency; got < want {
		t.Errorf("a write takes %s, of the slow medium %s", got, want)
	}
	if m.blocks.dirtyBytes > 0 || m.absorbs() {
		t.Errorf("%d bytes are dirty", m.blocks.dirtyBytes)
	}
	closedLoop(m, 1, 50, sequential(Read, 4096))
	if m.stats.TierHits != 50 {
		t.Errorf("the tier has %d of 50 blocks that were written", m.stats.TierHits)
	}
}

// A tier that is lost clean leaves the slow medium at its own speed, and answers
// what was under way; one that is lost dirty takes the volume with it.
func TestTierLost(t *testing.T) {
	m := tieredFlash(testTier(64 << 20))
	warm(m, 64<<20)
	for id := range uint64(8) {
		m.Submit(0, id, Request{Op: Read, Offset: int64(id) * 65536, Length: 4096})
	}
	if m.lose(time.Microsecond) {
		t.Fatal("a clean tier takes the volume with it")
	}
	answered := 0
	for at, more := m.Next(); more; at, more = m.Next() {
		for _, d := range m.Advance(at) {
			if answered++; d.At < time.Millisecond {
				t.Errorf("a read was answered after %s without its tier", d.At)
			}
		}
	}
	if answered != 8 {
		t.Errorf("%d of 8 reads were answered", answered)
	}
	m.restore(false)
	if len(m.blocks.byNumber) > 0 {
		t.Error("a tier that was away holds what may be old")
	}
	m.Submit(m.now, 100, Request{Op: Write, Offset: 0, Length: 4096})
	if !m.absorbs() || !m.lose(m.now) {
		t.Error("a tier with writes that the slow medium has not got is lost without consequences")
	}
	m.restart(m.now)
	m.restore(true)
	if m.blocks.dirtyBytes != 4096 {
		t.Errorf("the tier came back with %d dirty bytes, it went with 4096", m.blocks.dirtyBytes)
	}
}

// The tier keeps its contents when power goes and comes back.
func TestTierKeepsItsContentsWithoutPower(t *testing.T) {
	m := tieredFlash(testTier(64 << 20))
	closedLoop(m, 4, 100, random(Write, 4096, 32<<20, 9))
	dirty, held := m.blocks.dirtyBytes, len(m.blocks.byNumber)
	m.restart(m.now)
	if dirty == 0 || m.blocks.dirtyBytes != dirty || len(m.blocks.byNumber) != held {
		t.Errorf("%d blocks with %d dirty bytes before, %d with %d after", held, dirty, len(m.blocks.byNumber), m.blocks.dirtyBytes)
	}
}

// Every request is answered once, and never sooner than the media could.
func TestTierAnswersEachRequestOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := testTier(int64(rapid.IntRange(1, 40).Draw(t, "blocks")) << 16)
		spec.WriteThrough = rapid.Bool().Draw(t, "through")
		spec.Visits = rapid.IntRange(1, 2).Draw(t, "visits")
		spec.WriteBack = float64(rapid.IntRange(0, 1).Draw(t, "bounded")) * 5e6
		m, drive := tieredFlash(spec), testDrive()
		spins := rapid.Bool().Draw(t, "spins")
		if spins {
			m = New(Spec{Rotational: &drive, Tier: &spec}, testSize).(*tier)
		}
		asked, now := map[uint64]time.Duration{}, time.Duration(0)
		answer := func(all []Completion) {
			for _, d := range all {
				earliest, known := asked[d.ID]
				if !known || d.At+10 < earliest { // parts are rounded to nanoseconds
					t.Fatalf("request %d: known %v, answered at %s, not possible before %s", d.ID, known, d.At, earliest)
				}
				delete(asked, d.ID)
			}
		}
		for id := range uint64(rapid.IntRange(1, 80).Draw(t, "requests")) {
			now += time.Duration(rapid.IntRange(0, 5).Draw(t, "pause")) * time.Millisecond
			answer(m.Advance(now))
			r, earliest := drawRequest(t)
			if spins {
				earliest = 0 // the head may have passed by already
			}
			asked[id] = now + earliest
			m.Submit(now, id, r)
			checkBlocks(t, m.blocks)
			switch rapid.IntRange(0, 20).Draw(t, "event") {
			case 0:
				m.blocks.discard(r.Offset, r.end())
			case 1:
				if !m.lost && m.blocks.dirtyBytes == 0 {
					m.lose(now)
				} else if m.lost {
					m.restore(false)
				}
			}
			checkBlocks(t, m.blocks)
		}
		for at, more := m.Next(); more; at, more = m.Next() {
			answer(m.Advance(at))
		}
		checkBlocks(t, m.blocks)
		if len(asked) > 0 || len(m.left) > 0 {
			t.Fatalf("%d requests have no answer", len(asked))
		}
	})
}

// drawRequest returns a request and the shortest time in which testFlash, the
// faster of the two, could answer it.
func drawRequest(t *rapid.T) (Request, time.Duration) {
	r := Request{Op: Op(rapid.IntRange(0, 2).Draw(t, "op"))}
	if r.Op == Flush {
		return r, 0
	}
	r.Offset = int64(rapid.IntRange(0, 1000).Draw(t, "place")) * 4096
	r.Length = int64(rapid.IntRange(1, 60).Draw(t, "grains")) * 4096
	return r, testFlash().WriteLatency + seconds(float64(r.Length)/testFlash().ReadRate) // from its cache at best
}

// checkBlocks compares the sums with their parts.
func checkBlocks(t *rapid.T, b *blocks) {
	dirty, slots := int64(0), map[int64]bool{}
	for number, c := range b.byNumber {
		dirty += b.fresh(&cachedBlock{}, c.dirty)
		if c.number != number || c.dirty&^c.valid != 0 || c.valid == 0 || slots[c.slot] || c.slot >= b.slots {
			t.Fatalf("block %d: %+v", number, c)
		}
		slots[c.slot] = true
	}
	if dirty != b.dirtyBytes || b.clean.Len()+b.dirty.Len() != len(b.byNumber) || len(slots)+len(b.free) != int(b.used) {
		t.Fatalf("%d dirty bytes, counted %d; %d clean and %d dirty blocks of %d", dirty, b.dirtyBytes, b.clean.Len(), b.dirty.Len(), len(b.byNumber))
	}
}
