package medium

import "slices"

// intake is the common part of all media's write caches: a write is acknowledged while
// there is room and waits otherwise, and a flush waits until every earlier write has left
// the cache. Each medium keeps its own record of dirty data and where it goes.
type intake struct {
	room  Cache
	dirty interface {
		add(from, to int64, age uint64) int64
	}
	accepted func(queuedRequest) // answers a write that is in the cache

	cached  int64           // bytes in the cache, with those being written
	stalled []queuedRequest // writes that wait for room
	flushes []queuedRequest
	age     uint64 // of the last write
}

func (c *intake) fits(r Request) bool { return c.cached == 0 || c.cached+r.Length <= c.room.Bytes }

// enter takes a write into the cache, or lets it wait for room.
func (c *intake) enter(w queuedRequest, stats *Stats) {
	if len(c.stalled) > 0 || !c.fits(w.r) {
		stats.Stalls++
		c.stalled = append(c.stalled, w)
		return
	}
	c.accept(w)
}

func (c *intake) accept(w queuedRequest) {
	c.age++
	c.cached += c.dirty.add(w.r.Offset, w.r.end(), c.age)
	c.accepted(w)
}

// release gives room back, which stalled writes take in their order.
func (c *intake) release(bytes int64) {
	c.cached -= bytes
	for len(c.stalled) > 0 && c.fits(c.stalled[0].r) {
		c.accept(c.stalled[0])
		c.stalled = c.stalled[1:]
	}
}

// drained takes out the flushes that wait no longer; flushed reports whether every write
// up to an age is where a flush wants it.
func (c *intake) drained(flushed func(age uint64) bool) (done []queuedRequest) {
	c.flushes = slices.DeleteFunc(c.flushes, func(w queuedRequest) bool {
		if !flushed(w.age) {
			return false
		}
		done = append(done, w)
		return true
	})
	return done
}

// crowded reports whether the cache has to make room: writes wait, or half of it is taken.
func (c *intake) crowded() bool { return len(c.stalled) > 0 || c.cached > c.room.Bytes/2 }

// toWrite takes out the next page to write: one that a flush waits for, else a full one,
// else the oldest of a crowded cache; nil for none.
func (c *intake) toWrite(p *pages) *page {
	oldest, any := p.oldest()
	if !any {
		return nil
	}
	if len(c.flushes) > 0 && oldest <= c.flushes[len(c.flushes)-1].age {
		return p.takeOldest()
	}
	if full := p.takeFull(); full != nil {
		return full
	}
	if c.crowded() {
		return p.takeOldest()
	}
	return nil
}
