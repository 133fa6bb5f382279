package medium

import "time"

// Tier is a faster medium that caches a slower one.
//
// Data that is read repeatedly is copied to it, and replaces the least recently used blocks
// (LRU). A block is admitted on its second read within the remembered history, so that a
// single large scan does not empty the cache. This is the rule of 2Q (Johnson and Shasha,
// "2Q: a low overhead high performance buffer management replacement algorithm", VLDB 1994)
// and, in outline, of dm-cache's policy smq. Only the range that was read is copied, not
// its whole block, as in bcache.
//
// In write-back mode every write goes to the tier while at most DirtyLimit of it is newer
// than the slow medium; beyond that writes go to the slow medium, as with bcache
// (CUTOFF_WRITEBACK). Write-back begins at DirtyStart: the oldest dirty blocks first, in
// batches, each in the order of its places, and flushed before it counts as clean, as
// dm-writecache does. In write-through mode a write is done when the slow medium has it.
// The tier's copy of the range, if any, is updated, and nothing else is admitted.
//
// The tier keeps its contents without power.
type Tier struct {
	Flash        Flash `json:"flash"`
	Size         int64 `json:"size"`  // bytes
	Block        int64 `json:"block"` // bytes; at most 64 times 4 KiB
	WriteThrough bool  `json:"write_through,omitempty"`
	// Visits is how often a block is read before it is admitted: 1 or 2.
	Visits int `json:"visits"`
	// DirtyStart and DirtyLimit are in bytes.
	DirtyStart int64 `json:"dirty_start"`
	DirtyLimit int64 `json:"dirty_limit"`
	// WriteBack bounds how fast it is written back, in bytes a second, while
	// there is room for more; 0 is no bound.
	WriteBack float64 `json:"write_back,omitempty"`
}

// Mode is the word of the field.
func (t Tier) Mode() string {
	if t.WriteThrough {
		return "write-through"
	}
	return "write-back"
}

// tier is the model of a tiered medium.
type tier struct {
	spec       Tier
	fresh      func() (fast, slow Model)
	fast, slow *side
	blocks     *blocks

	now  time.Duration
	next uint64
	left map[uint64]int // requests to a side that a host's request waits for
	out  schedule

	written, flushed uint64 // writes of hosts to the slow medium; how many of them it has flushed
	absorbed         bool   // the last write went to the tier alone
	lost             bool   // the tier is away

	batch  *batch        // that is being written back
	resume time.Duration // when the next may begin
	full   bool          // writes pass the tier by

	stats Stats
}

func newTier(spec Tier, fresh func() (fast, slow Model)) *tier {
	fast, slow := fresh()
	return &tier{
		spec: spec, fresh: fresh, fast: newSide(fast), slow: newSide(slow),
		blocks: newBlocks(spec.Block, spec.Size), left: map[uint64]int{},
	}
}

// Stats counts the host's requests, and the work of both media for them.
func (t *tier) Stats() Stats {
	s := t.stats
	s.Dirty = t.blocks.dirtyBytes
	for _, side := range []*side{t.fast, t.slow} {
		m := side.model.Stats()
		s.CacheHits += m.CacheHits
		s.Stalls += m.Stalls
		s.addWork(m)
	}
	return s
}

func (t *tier) Next() (time.Duration, bool) {
	at, ok := t.out.next()
	_, next, some := t.event()
	return earlier(at, ok, next, some)
}

// event is what happens next in the tier: the answer of a side, or, without a
// side, that more may be written back.
func (t *tier) event() (first *side, at time.Duration, ok bool) {
	if t.wantsBatch() && t.resume > t.now {
		at, ok = t.resume, true
	}
	for _, s := range []*side{t.fast, t.slow} {
		if next, some := s.model.Next(); some && (!ok || next < at) {
			first, at, ok = s, next, true
		}
	}
	return first, at, ok
}

func (t *tier) Advance(now time.Duration) []Completion {
	t.pass(now)
	return t.out.due(now)
}

// pass lets both media work until now, in the order of events.
func (t *tier) pass(now time.Duration) {
	for {
		s, at, ok := t.event()
		if !ok || at > now {
			break
		}
		t.now = max(t.now, at)
		if s != nil {
			for _, d := range s.model.Advance(at) {
				s.end(d)()
			}
		}
		t.writeBack()
	}
	t.now = max(t.now, now)
}

func (t *tier) Submit(now time.Duration, id uint64, r Request) {
	t.pass(now)
	t.stats.count(r)
	t.left[id]++ // until all parts are handed over
	switch r.Op {
	case Read:
		t.read(id, r)
	case Write:
		t.write(id, r)
	case Flush:
		t.flush(id)
	}
	t.partDone(id)
	t.writeBack()
}

// hand passes a request to a side.
func (t *tier) hand(s *side, b pendingRequest) {
	t.next++
	s.submit(t.now, t.next, b)
}

// forHost gives a part of a host's request to a side.
func (t *tier) forHost(id uint64, s *side, b pendingRequest) {
	t.left[id]++
	then := b.then
	b.then = func() {
		if then != nil {
			then()
		}
		t.partDone(id)
	}
	t.hand(s, b)
}

func (t *tier) partDone(id uint64) {
	if t.left[id]--; t.left[id] == 0 {
		delete(t.left, id)
		t.out.put(t.now, id)
	}
}

// read reads the cached parts from the tier, and the rest from the slow medium.
func (t *tier) read(id uint64, r Request) {
	hit := true
	for _, run := range t.runs(r) {
		host := Request{Op: Read, Offset: run.from, Length: run.to - run.from}
		if run.on == nil {
			hit = false
			t.forHost(id, t.slow, pendingRequest{r: host, then: t.promotion(run.from, run.to)})
			continue
		}
		t.blocks.touch(run.on)
		at := Request{Op: Read, Offset: t.blocks.at(run.on, run.from), Length: host.Length}
		t.forHost(id, t.fast, pendingRequest{r: at, host: &host})
	}
	if hit {
		t.stats.TierHits++
	} else {
		t.stats.TierMisses++
	}
}

// run is a range that is on the tier, in one block, or that is not.
type run struct {
	from, to int64
	on       *cachedBlock
}

func (t *tier) runs(r Request) []run {
	var all []run
	for at := r.Offset; at < r.end(); {
		end := min(r.end(), (at/block+1)*block)
		on, ok := t.blocks.has(at)
		if !ok || t.lost {
			on = nil
		}
		if last := len(all) - 1; last >= 0 && all[last].on == on {
			all[last].to = end
		} else {
			all = append(all, run{from: at, to: end, on: on})
		}
		at = end
	}
	return all
}

// promotion notes that a range is read from the slow medium. It returns the action for when
// the data has arrived: copying the blocks that were read before to the tier.
func (t *tier) promotion(from, to int64) func() {
	if t.lost {
		return nil
	}
	var admitted []part
	for _, p := range t.blocks.parts(from, to) {
		if t.admits(p.number) {
			admitted = append(admitted, p)
		}
	}
	if admitted == nil {
		return nil
	}
	return func() {
		for _, p := range admitted {
			t.promote(p)
		}
	}
}

// admits reports whether data read from a block is copied to the tier.
func (t *tier) admits(number int64) bool {
	return t.blocks.byNumber[number] != nil || t.spec.Visits <= 1 || t.blocks.seen.again(number)
}

// promote copies what was read of a block to the tier, unless that is full of
// dirty blocks.
func (t *tier) promote(p part) {
	if t.lost {
		return
	}
	c := t.blocks.claim(p.number)
	if c == nil {
		return
	}
	c.valid |= p.grains
	t.blocks.touch(c)
	t.stats.Promoted += p.to - p.from
	t.hand(t.fast, pendingRequest{r: t.onTier(c, p), then: func() {}})
}

// onTier is the write of a part to the tier.
func (t *tier) onTier(c *cachedBlock, p part) Request {
	return Request{Op: Write, Offset: t.blocks.at(c, p.from), Length: p.to - p.from}
}

func (t *tier) write(id uint64, r Request) {
	t.absorbed = false
	switch {
	case t.lost:
		t.writeSlow(id, r.Offset, r.end())
	case t.spec.WriteThrough:
		t.writeThrough(id, r)
	default:
		t.absorb(id, r)
	}
}

func (t *tier) writeSlow(id uint64, from, to int64) {
	t.written++
	t.forHost(id, t.slow, pendingRequest{r: Request{Op: Write, Offset: from, Length: to - from}})
}

func (t *tier) writeThrough(id uint64, r Request) {
	t.writeSlow(id, r.Offset, r.end())
	for _, p := range t.blocks.parts(r.Offset, r.end()) {
		if c := t.blocks.byNumber[p.number]; c != nil {
			c.valid |= p.grains
			t.blocks.touch(c)
			t.forHost(id, t.fast, pendingRequest{r: t.onTier(c, p)})
		}
	}
}

// absorb writes to the tier; what may not become dirty there goes to the slow
// medium.
func (t *tier) absorb(id uint64, r Request) {
	t.absorbed = t.spec.Flash.Cache.Protected
	var past []part
	for _, p := range t.blocks.parts(r.Offset, r.end()) {
		if c := t.room(p); c != nil {
			t.blocks.write(c, p.grains)
			host := Request{Op: Write, Offset: p.from, Length: p.to - p.from}
			t.forHost(id, t.fast, pendingRequest{r: t.onTier(c, p), host: &host})
			continue
		}
		if c := t.blocks.byNumber[p.number]; c != nil {
			t.blocks.forget(c, p.grains)
		}
		if last := len(past) - 1; last >= 0 && past[last].to == p.from {
			past[last].to = p.to
		} else {
			past = append(past, p)
		}
	}
	for _, p := range past {
		t.writeSlow(id, p.from, p.to)
	}
	if past != nil {
		t.stats.Bypassed++
		t.absorbed, t.full = false, true
	}
}

// room is the block that takes a write, or nil when too much is dirty.
func (t *tier) room(p part) *cachedBlock {
	if t.blocks.dirtyBytes+t.blocks.fresh(t.blocks.byNumber[p.number], p.grains) > t.spec.DirtyLimit {
		return nil
	}
	return t.blocks.claim(p.number)
}

// flush is done when everything written is durable: on the tier, or on the slow
// medium where it was written there.
func (t *tier) flush(id uint64) {
	if !t.lost {
		t.forHost(id, t.fast, pendingRequest{r: Request{Op: Flush}})
	}
	if written := t.written; written > t.flushed {
		t.forHost(id, t.slow, pendingRequest{r: Request{Op: Flush}, then: func() { t.flushed = max(t.flushed, written) }})
	}
}
