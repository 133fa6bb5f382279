package medium

import (
	"cmp"
	"slices"
	"time"
)

// batchBlocks is how many blocks are written back at once: a slow medium
// needs many to choose a short way between them.
const batchBlocks = 128

// batch is a number of dirty blocks on their way to the slow medium.
type batch struct {
	blocks []*cachedBlock
	writes []uint64 // of each block when the batch began
}

// wantsBatch reports whether there is something to write back now, or as
// soon as its rate allows.
func (t *tier) wantsBatch() bool {
	return t.batch == nil && !t.lost && t.blocks.dirtyBytes > 0 && (t.full || t.blocks.dirtyBytes >= t.spec.DirtyStart)
}

// writeBack begins a batch when it is time.
func (t *tier) writeBack() {
	if !t.wantsBatch() || t.now < t.resume && !t.full {
		return
	}
	t.full = false
	t.batch = t.oldest()
	reads, writes, bytes := t.batchRequests()
	if t.spec.WriteBack > 0 {
		t.resume = t.now + seconds(float64(bytes)/t.spec.WriteBack)
	}
	t.all(t.fast, reads, func() {
		t.all(t.slow, writes, func() {
			t.all(t.slow, []Request{{Op: Flush}}, func() { t.writtenBack(bytes) })
		})
	})
}

// oldest takes the blocks that have been dirty for longest, in the order of
// their places.
func (t *tier) oldest() *batch {
	b := &batch{}
	for e := t.blocks.dirty.Back(); e != nil && len(b.blocks) < batchBlocks; e = e.Prev() {
		b.blocks = append(b.blocks, e.Value.(*cachedBlock))
	}
	slices.SortFunc(b.blocks, func(x, y *cachedBlock) int { return cmp.Compare(x.number, y.number) })
	for _, c := range b.blocks {
		b.writes = append(b.writes, c.writes)
	}
	return b
}

// batchRequests are the reads from the tier and the writes to the slow medium;
// writes that follow each other are one, up to longestRun.
func (t *tier) batchRequests() (reads, writes []Request, bytes int64) {
	for _, c := range t.batch.blocks {
		base := c.number * t.blocks.size
		for _, r := range dirtyRuns(c.dirty) {
			from, length := base+r[0]*block, (r[1]-r[0])*block
			reads = append(reads, Request{Op: Read, Offset: t.blocks.at(c, from), Length: length})
			bytes += length
			if last := len(writes) - 1; last >= 0 && writes[last].end() == from && writes[last].Length < longestRun {
				writes[last].Length += length
			} else {
				writes = append(writes, Request{Op: Write, Offset: from, Length: length})
			}
		}
	}
	return reads, writes, bytes
}

// dirtyRuns lists the first and the end of each run of dirty grains.
func dirtyRuns(mask uint64) (runs [][2]int64) {
	for i := int64(0); i < mostGrains; i++ {
		if mask&(1<<i) == 0 {
			continue
		}
		from := i
		for i < mostGrains && mask&(1<<i) != 0 {
			i++
		}
		runs = append(runs, [2]int64{from, i})
	}
	return runs
}

// all hands requests to a side and goes on when the last is answered.
func (t *tier) all(s *side, requests []Request, then func()) {
	left := len(requests)
	for _, r := range requests {
		t.hand(s, pendingRequest{r: r, then: func() {
			if left--; left == 0 {
				then()
			}
		}})
	}
}

// writtenBack ends a batch: what was not written again meanwhile is clean.
func (t *tier) writtenBack(bytes int64) {
	if t.batch == nil {
		return // the tier was lost with nothing on it that was still wanted
	}
	t.stats.WrittenBack += bytes
	for i, c := range t.batch.blocks {
		switch {
		case c.dirty == 0: // it passed to the slow medium meanwhile, or was discarded
		case c.writes == t.batch.writes[i]:
			t.blocks.wash(c)
		default:
			t.blocks.later(c)
		}
	}
	t.batch = nil
}

// restart is power that went and came back: the contents of the tier are there
// and nothing is under way. Counting begins anew.
func (t *tier) restart(now time.Duration) {
	t.fast.drop(now)
	t.slow.drop(now)
	t.fast.model, t.slow.model = t.fresh()
	clear(t.left)
	t.out, t.batch, t.full = schedule{}, nil, false
	t.written, t.flushed, t.stats = 0, 0, Stats{}
}

// untimed notes a request that takes no time. Data that it leaves on the tier is written
// back at once.
func (t *tier) untimed(r Request) {
	if t == nil || t.lost || r.Op == Flush {
		return
	}
	for _, p := range t.blocks.parts(r.Offset, r.end()) {
		c := t.blocks.byNumber[p.number]
		if c == nil && (r.Op == Write && !t.spec.WriteThrough || r.Op == Read && t.admits(p.number)) {
			c = t.blocks.claim(p.number)
		}
		if c != nil {
			c.valid |= p.grains
			t.blocks.touch(c)
		}
	}
}

// settle is a tier that had the time to write everything back.
func (t *tier) settle() {
	if t != nil {
		t.blocks.washAll()
	}
}

// discard removes a range that is no longer in use from the tier.
func (t *tier) discard(from, to int64) {
	if t != nil {
		t.blocks.discard(from, to)
	}
}

// absorbs reports whether the write that was submitted last is safe from
// power cuts once it is answered.
func (t *tier) absorbs() bool { return t != nil && t.absorbed }

// lose takes the tier away. Without dirty blocks the slow medium goes on alone. With them
// the volume fails, since the slow medium's data is stale. This is bcache's default
// (stop_when_cache_set_failed: auto); dm-cache fails in write-back mode.
func (t *tier) lose(now time.Duration) (failed bool) {
	t.pass(now)
	t.lost = true
	if t.blocks.dirtyBytes > 0 {
		return true
	}
	t.batch = nil
	for _, b := range t.fast.drop(now) {
		if b.host != nil {
			if b.host.Op == Write {
				t.written++
			}
			t.hand(t.slow, pendingRequest{r: *b.host, then: b.then})
			continue
		}
		b.then()
	}
	t.fast.model, _ = t.fresh()
	return false
}

// restore brings the tier back: with its contents when nothing could be written
// meanwhile, else empty.
func (t *tier) restore(failed bool) {
	t.lost = false
	if !failed {
		t.blocks = newBlocks(t.spec.Block, t.spec.Size)
	}
}
