package medium

import "slices"

// write puts a write into the controller's cache, when there is room.
func (a *array) write(w waiting) {
	if len(a.stalled) > 0 || !a.fits(w.r) {
		a.stats.Stalls++
		a.stalled = append(a.stalled, w)
		return
	}
	a.accept(w)
}

func (a *array) fits(r Request) bool {
	return a.cached == 0 || a.cached+r.Length <= a.raid.Cache.Bytes
}

func (a *array) accept(w waiting) {
	a.age++
	a.cached += a.cache.add(w.r.Offset, w.r.end(), a.age)
	a.linked(w)
}

// linked answers a request from the controller's memory.
func (a *array) linked(w waiting) {
	a.link = max(a.now, a.link) + seconds(float64(w.r.Length)/controllerRate)
	a.out.put(a.link+controllerTime, w.id)
}

// flush is done at once when the controller vouches for its cache. Else its
// cache is drained, and then those of the drives.
func (a *array) flush(w waiting) {
	w.age = a.age
	switch {
	case a.raid.Cache.Bytes > 0 && a.raid.Cache.Protected:
		a.out.put(a.now+controllerTime, w.id)
	case a.flushed(w.age):
		a.flushDrives(w)
	default:
		a.flushes = append(a.flushes, w)
	}
}

func (a *array) flushDrives(w waiting) {
	var all []share
	for drive, failed := range a.failed {
		if !failed {
			all = append(all, share{drive: drive, r: Request{Op: Flush}})
		}
	}
	a.begin(&task{steps: [][]share{all}, host: w.id, owned: true, row: -1})
}

// flushed reports whether every write up to an age has left the cache.
func (a *array) flushed(age uint64) bool {
	if oldest, ok := a.cache.oldest(); ok && oldest <= age {
		return false
	}
	for _, onTheWay := range a.ages {
		if onTheWay <= age {
			return false
		}
	}
	return true
}

// writeBack sends rows from the cache to the drives, as many at once as keep
// every drive busy.
func (a *array) writeBack() {
	for a.writing < 2*len(a.drives) {
		p := a.choose()
		if p == nil {
			return
		}
		t := &task{steps: a.writeSteps(a.dirtyPieces(p)), row: p.number, bytes: p.dirty}
		a.ages[t] = p.age
		a.writing++
		a.writeRow(t)
	}
}

func (a *array) choose() *page {
	oldest, any := a.cache.oldest()
	if !any {
		return nil
	}
	if len(a.flushes) > 0 && oldest <= a.flushes[len(a.flushes)-1].age {
		return a.cache.takeOldest()
	}
	if p := a.cache.takeFull(); p != nil {
		return p
	}
	if len(a.stalled) > 0 || a.cached > a.raid.Cache.Bytes/2 {
		return a.cache.takeOldest()
	}
	return nil
}

// dirtyPieces lists what is dirty of a row.
func (a *array) dirtyPieces(p *page) []piece {
	var all []piece
	base := p.number * a.row()
	for i := int64(0); i*block < a.row(); i++ {
		if !p.has(i) {
			continue
		}
		end := i + 1
		for end*block < a.row() && p.has(end) {
			end++
		}
		all = append(all, a.pieces(base+i*block, base+end*block)...)
		i = end
	}
	return all
}

// writtenBack frees the room of a row and lets in who waits for it.
func (a *array) writtenBack(t *task) {
	a.writing--
	a.cached -= t.bytes
	delete(a.ages, t)
	for len(a.stalled) > 0 && a.fits(a.stalled[0].r) {
		a.accept(a.stalled[0])
		a.stalled = a.stalled[1:]
	}
	var ready []waiting
	a.flushes = slices.DeleteFunc(a.flushes, func(w waiting) bool {
		if !a.flushed(w.age) {
			return false
		}
		ready = append(ready, w)
		return true
	})
	for _, w := range ready {
		a.flushDrives(w)
	}
	a.writeBack()
}
