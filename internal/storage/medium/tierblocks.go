package medium

import (
	"container/list"
	"math/bits"
)

// mostGrains is how many grains a block of a tier may have: one bit each.
const mostGrains = 64

// blocks knows what of the slow medium is on the tier. Space is given out in
// blocks; what of a block is there is known by its grains (see block), so that
// nothing has to be read before a part of a block is written.
type blocks struct {
	size  int64 // bytes of a block
	slots int64 // blocks that fit on the tier
	used  int64 // slots that were ever given out
	free  []int64

	byNumber   map[int64]*cachedBlock
	clean      *list.List // the block that was used last is in front
	dirty      *list.List // the block that became dirty last is in front
	dirtyBytes int64
	seen       *history
}

// cachedBlock is a block with some of its data on the tier.
type cachedBlock struct {
	number       int64  // of the block on the slow medium
	slot         int64  // of the block on the tier
	valid, dirty uint64 // a bit for each grain
	writes       uint64 // how often it was written
	place        *list.Element
}

func newBlocks(size, capacity int64) *blocks {
	slots := max(1, capacity/size)
	return &blocks{
		size: size, slots: slots, byNumber: map[int64]*cachedBlock{},
		clean: list.New(), dirty: list.New(), seen: newHistory(2 * slots),
	}
}

// part is the range of a request within one block.
type part struct {
	number   int64
	from, to int64  // on the slow medium
	grains   uint64 // that it touches
}

// parts cuts a range at the blocks.
func (b *blocks) parts(from, to int64) []part {
	var all []part
	for at := from; at < to; {
		number := at / b.size
		base := number * b.size
		end := min(to, base+b.size)
		all = append(all, part{number: number, from: at, to: end, grains: grains(at-base, end-base)})
		at = end
	}
	return all
}

// grains has the bits of those that a range of a block touches.
func grains(from, to int64) uint64 {
	first, last := from/block, (to-1)/block
	return ^uint64(0) << first & (^uint64(0) >> (mostGrains - 1 - last))
}

// at translates a place on the slow medium to its place on the tier.
func (b *blocks) at(c *cachedBlock, place int64) int64 {
	return c.slot*b.size + place - c.number*b.size
}

// has reports whether a grain's place is on the tier.
func (b *blocks) has(place int64) (*cachedBlock, bool) {
	c := b.byNumber[place/b.size]
	return c, c != nil && c.valid&(1<<(place%b.size/block)) != 0
}

// claim finds a block or gives it a slot, if need be by evicting the least recently used
// clean block; nil when all blocks are dirty.
func (b *blocks) claim(number int64) *cachedBlock {
	if c := b.byNumber[number]; c != nil {
		return c
	}
	slot, ok := b.slot()
	if !ok {
		return nil
	}
	c := &cachedBlock{number: number, slot: slot}
	c.place = b.clean.PushFront(c)
	b.byNumber[number] = c
	return c
}

func (b *blocks) slot() (int64, bool) {
	if last := len(b.free) - 1; last >= 0 {
		slot := b.free[last]
		b.free = b.free[:last]
		return slot, true
	}
	if b.used < b.slots {
		b.used++
		return b.used - 1, true
	}
	oldest := b.clean.Back()
	if oldest == nil {
		return 0, false
	}
	c := oldest.Value.(*cachedBlock)
	b.clean.Remove(oldest)
	delete(b.byNumber, c.number)
	return c.slot, true
}

// touch notes that a block is in use.
func (b *blocks) touch(c *cachedBlock) {
	if c.dirty == 0 {
		b.clean.MoveToFront(c.place)
	}
}

// write marks grains as newer than the slow medium's.
func (b *blocks) write(c *cachedBlock, mask uint64) {
	if c.dirty == 0 {
		b.clean.Remove(c.place)
		c.place = b.dirty.PushFront(c)
	}
	b.dirtyBytes += b.fresh(c, mask)
	c.dirty |= mask
	c.valid |= mask
	c.writes++
}

// fresh is how many dirty bytes a write of grains adds; c may be nil.
func (b *blocks) fresh(c *cachedBlock, mask uint64) int64 {
	if c != nil {
		mask &^= c.dirty
	}
	return int64(bits.OnesCount64(mask)) * block
}

// wash marks a block as alike on both media.
func (b *blocks) wash(c *cachedBlock) {
	if c.dirty == 0 {
		return
	}
	b.dirtyBytes -= int64(bits.OnesCount64(c.dirty)) * block
	c.dirty = 0
	b.dirty.Remove(c.place)
	c.place = b.clean.PushFront(c)
}

// washAll marks everything as alike on both media.
func (b *blocks) washAll() {
	for b.dirty.Len() > 0 {
		b.wash(b.dirty.Back().Value.(*cachedBlock))
	}
}

// later has a block written back after the others that are dirty.
func (b *blocks) later(c *cachedBlock) { b.dirty.MoveToFront(c.place) }

// forget takes grains off the tier, dirty or not.
func (b *blocks) forget(c *cachedBlock, mask uint64) {
	b.dirtyBytes -= int64(bits.OnesCount64(c.dirty&mask)) * block
	wasDirty := c.dirty != 0
	c.dirty &^= mask
	c.valid &^= mask
	if wasDirty && c.dirty == 0 {
		b.dirty.Remove(c.place)
		c.place = b.clean.PushFront(c)
	}
	if c.valid == 0 {
		b.clean.Remove(c.place)
		delete(b.byNumber, c.number)
		b.free = append(b.free, c.slot)
	}
}

// discard removes a range of the slow medium from the tier.
func (b *blocks) discard(from, to int64) {
	from, to = (from+block-1)/block*block, to/block*block
	if from >= to {
		return
	}
	if (to-from)/b.size < int64(len(b.byNumber)) {
		for _, p := range b.parts(from, to) {
			if c := b.byNumber[p.number]; c != nil {
				b.forget(c, p.grains)
			}
		}
		return
	}
	for number, c := range b.byNumber {
		base := number * b.size
		if first, end := max(from, base), min(to, base+b.size); first < end {
			b.forget(c, grains(first-base, end-base))
		}
	}
}

// history remembers which blocks were read lately that are not on the tier.
type history struct {
	most     int64 // blocks that it remembers: twice as many as fit on the tier
	byNumber map[int64]*list.Element
	order    *list.List // the block that was read last is in front
}

func newHistory(most int64) *history {
	return &history{most: most, byNumber: map[int64]*list.Element{}, order: list.New()}
}

// again reports whether a block was read before, in an earlier visit: reads
// of one block that follow each other are one visit. It notes the visit
// otherwise.
func (h *history) again(number int64) bool {
	known := h.byNumber[number]
	switch {
	case known != nil && known == h.order.Front():
		return false
	case known != nil:
		h.order.Remove(known)
		delete(h.byNumber, number)
		return true
	}
	h.byNumber[number] = h.order.PushFront(number)
	if int64(h.order.Len()) > h.most {
		last := h.order.Back()
		h.order.Remove(last)
		delete(h.byNumber, last.Value.(int64))
	}
	return false
}
