package medium

import "math/bits"

// block is the unit, in bytes, in which a page cache tracks dirty data.
const block = 4 << 10

// pages are the dirty parts of a cache that is written back in units: pages of
// flash, or rows of a RAID set.
type pages struct {
	unit  int64
	byNum map[int64]*page
	order []*page // as they became dirty
	full  []*page
}

// page is one dirty unit.
type page struct {
	number int64
	age    uint64 // of its first write
	blocks []uint64
	dirty  int64 // bytes
	taken  bool
}

func newPages(unit int64) *pages {
	return &pages{unit: unit, byNum: map[int64]*page{}}
}

// add marks a range dirty and gives how many bytes were not so before.
func (p *pages) add(from, to int64, age uint64) (added int64) {
	for at := from; at < to; {
		number := at / p.unit
		end := min(to, (number+1)*p.unit)
		added += p.addTo(number, at-number*p.unit, end-number*p.unit, age)
		at = end
	}
	return added
}

func (p *pages) addTo(number, from, to int64, age uint64) int64 {
	x := p.byNum[number]
	if x == nil {
		x = &page{number: number, age: age, blocks: make([]uint64, (p.unit/block+63)/64)}
		p.byNum[number] = x
		p.order = append(p.order, x)
	}
	before := x.dirty
	x.mark(from/block, (to+block-1)/block)
	if before < p.unit && x.dirty >= p.unit {
		p.full = append(p.full, x)
	}
	return x.dirty - before
}

func (x *page) mark(from, to int64) {
	for i := from; i < to; i++ {
		x.blocks[i/64] |= 1 << (i % 64)
	}
	count := 0
	for _, word := range x.blocks {
		count += bits.OnesCount64(word)
	}
	x.dirty = int64(count) * block
}

func (x *page) has(i int64) bool { return x.blocks[i/64]&(1<<(i%64)) != 0 }

// covers reports whether a range is dirty, so that a read finds it here.
func (p *pages) covers(from, to int64) bool {
	for at := from / block; at*block < to; at++ {
		x := p.byNum[at*block/p.unit]
		if x == nil || !x.has(at-x.number*p.unit/block) {
			return false
		}
	}
	return true
}

// takeFull takes out the page that has been full for longest.
func (p *pages) takeFull() *page { return p.take(&p.full) }

// takeOldest takes out the page that has been dirty for longest.
func (p *pages) takeOldest() *page { return p.take(&p.order) }

func (p *pages) take(list *[]*page) *page {
	p.trim(list)
	if len(*list) == 0 {
		return nil
	}
	x := (*list)[0]
	*list = (*list)[1:]
	x.taken = true
	delete(p.byNum, x.number)
	return x
}

// trim drops pages that the other list gave away.
func (p *pages) trim(list *[]*page) {
	for len(*list) > 0 && (*list)[0].taken {
		*list = (*list)[1:]
	}
}

// oldest is the age of the page that has been dirty for longest.
func (p *pages) oldest() (age uint64, ok bool) {
	p.trim(&p.order)
	if len(p.order) == 0 {
		return 0, false
	}
	return p.order[0].age, true
}
