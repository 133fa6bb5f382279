package medium

import (
	"slices"
	"time"
)

// flash is a solid-state drive: channels in parallel behind a cache. A page's number gives
// its channel. A dirty page is programmed on any idle channel when it is full, when half
// the cache is taken, or when a flush asks for it. A read waits for its channel to finish,
// and goes before programs that have not begun.
type flash struct {
	spec Flash

	now      time.Duration
	channels []channel
	busy     schedule // ends of the channels' work; id is the channel
	cache    *pages
	intake
	reading map[uint64]*pageRead

	readLink, writeLink time.Duration // when the links are free

	fast     float64 // bytes left before the cliff
	regained time.Duration
	working  int // channels that are busy

	out   schedule
	stats Stats
}

// channel serves one page at a time.
type channel struct {
	busy  bool
	read  uint64 // request whose page is being read
	prog  *page  // page that is being programmed
	reads []uint64
}

// pageRead is a read with some pages still to come.
type pageRead struct {
	left  int
	bytes int64 // of each page, on average
}

func newFlash(spec Flash) *flash {
	f := &flash{
		spec: spec, channels: make([]channel, spec.Channels), cache: newPages(spec.Page),
		reading: map[uint64]*pageRead{}, fast: float64(spec.FastBytes),
	}
	f.intake = intake{room: spec.Cache, dirty: f.cache, accepted: f.written}
	return f
}

func (f *flash) Stats() Stats { return f.stats }

func (f *flash) Next() (time.Duration, bool) {
	a, haveA := f.busy.next()
	b, haveB := f.out.next()
	return earlier(a, haveA, b, haveB)
}

func (f *flash) Advance(now time.Duration) []Completion {
	f.pass(now)
	return f.out.due(now)
}

func (f *flash) pass(now time.Duration) {
	for at, ok := f.busy.next(); ok && at <= now; at, ok = f.busy.next() {
		f.regain(at)
		f.now = at
		f.finish(int(f.busy.take().id))
		f.program()
	}
	f.regain(now)
	f.now = max(f.now, now)
}

// regain lets idle channels clear the fast area.
func (f *flash) regain(now time.Duration) {
	if f.spec.FastBytes > 0 && now > f.regained {
		idle := float64(len(f.channels)-f.working) * float64(now-f.regained) / float64(f.spec.SlowProgram)
		f.fast = min(float64(f.spec.FastBytes), f.fast+idle*float64(f.spec.Page))
	}
	f.regained = max(f.regained, now)
}

func (f *flash) Submit(now time.Duration, id uint64, r Request) {
	f.pass(now)
	f.stats.count(r)
	w := queuedRequest{id: id, r: r, since: now}
	switch r.Op {
	case Read:
		f.read(w)
	case Write:
		f.enter(w, &f.stats)
	case Flush:
		f.flush(w)
	}
	f.program()
}

func (f *flash) read(w queuedRequest) {
	if f.cache.covers(w.r.Offset, w.r.end()) {
		f.stats.CacheHits++
		f.out.put(f.link(&f.readLink, w.r.Length, f.spec.ReadRate)+f.spec.WriteLatency, w.id)
		return
	}
	first, last := w.r.Offset/f.spec.Page, (w.r.end()-1)/f.spec.Page
	f.reading[w.id] = &pageRead{left: int(last - first + 1), bytes: w.r.Length / (last - first + 1)}
	for number := first; number <= last; number++ {
		f.readPage(int(spread(number)%uint64(len(f.channels))), w.id)
	}
}

// spread keeps strides of the host from meeting on one channel (the finaliser
// of MurmurHash3, public domain).
func spread(number int64) uint64 {
	x := uint64(number)
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func (f *flash) readPage(number int, id uint64) {
	c := &f.channels[number]
	if c.busy {
		c.reads = append(c.reads, id)
		return
	}
	c.read, c.prog = id, nil
	f.occupy(number, f.spec.ReadLatency)
}

func (f *flash) occupy(number int, span time.Duration) {
	f.channels[number].busy = true
	f.working++
	f.stats.Accesses++
	f.stats.Busy += span
	f.busy.put(f.now+span, uint64(number))
}

// link moves bytes over a link, one request after the other, and gives when it
// is done.
func (f *flash) link(free *time.Duration, length int64, rate float64) time.Duration {
	*free = max(f.now, *free) + seconds(float64(length)/rate)
	return *free
}

// written answers a write whose bytes are in the cache.
func (f *flash) written(w queuedRequest) {
	f.out.put(f.link(&f.writeLink, w.r.Length, f.spec.WriteRate)+f.spec.WriteLatency, w.id)
}

func (f *flash) flush(w queuedRequest) {
	w.age = f.age
	if f.spec.Cache.Protected || f.flushed(w.age) {
		f.out.put(f.now+f.spec.Flush, w.id)
		return
	}
	f.flushes = append(f.flushes, w)
}

// flushed reports whether every write up to an age is in flash.
func (f *flash) flushed(age uint64) bool {
	if oldest, ok := f.cache.oldest(); ok && oldest <= age {
		return false
	}
	return !slices.ContainsFunc(f.channels, func(c channel) bool { return c.busy && c.prog != nil && c.prog.age <= age })
}

// finish ends a channel's work and gives it its next read.
func (f *flash) finish(number int) {
	c := &f.channels[number]
	c.busy = false
	f.working--
	if c.prog != nil {
		f.programmed(c.prog)
	} else {
		f.arrived(c.read)
	}
	if len(c.reads) > 0 {
		id := c.reads[0]
		c.reads = c.reads[1:]
		f.readPage(number, id)
	}
}

// arrived moves a page that was read to the host.
func (f *flash) arrived(id uint64) {
	r := f.reading[id]
	r.left--
	at := f.link(&f.readLink, r.bytes, f.spec.ReadRate)
	if r.left == 0 {
		delete(f.reading, id)
		f.out.put(at, id)
	}
}

func (f *flash) programmed(p *page) {
	f.release(p.dirty)
	for _, w := range f.drained(f.flushed) {
		f.out.put(f.now+f.spec.Flush, w.id)
	}
}

// program gives idle channels the pages that are to be written.
func (f *flash) program() {
	for number := 0; f.working < len(f.channels) && number < len(f.channels); number++ {
		c := &f.channels[number]
		if c.busy {
			continue
		}
		p := f.toWrite(f.cache)
		if p == nil {
			return
		}
		c.prog = p
		f.occupy(number, f.programTime())
	}
}

// programTime is longer past the cliff.
func (f *flash) programTime() time.Duration {
	if f.spec.FastBytes == 0 {
		return f.spec.Program
	}
	if f.fast < float64(f.spec.Page) {
		return f.spec.SlowProgram
	}
	f.fast -= float64(f.spec.Page)
	return f.spec.Program
}
