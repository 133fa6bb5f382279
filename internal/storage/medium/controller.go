package medium

// linked answers a request from the controller's memory.
func (a *array) linked(w queuedRequest) {
	a.link = max(a.now, a.link) + seconds(float64(w.r.Length)/controllerRate)
	a.out.put(a.link+controllerTime, w.id)
}

// flush is done at once when the controller vouches for its cache. Otherwise it drains its
// own cache, and then the drives' caches.
func (a *array) flush(w queuedRequest) {
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

func (a *array) flushDrives(w queuedRequest) {
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
		p := a.toWrite(a.cache)
		if p == nil {
			return
		}
		t := &task{steps: a.writeSteps(a.dirtyPieces(p)), row: p.number, bytes: p.dirty}
		a.ages[t] = p.age
		a.writing++
		a.writeRow(t)
	}
}

// dirtyPieces lists the dirty pieces of a row.
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
	delete(a.ages, t)
	a.release(t.bytes)
	for _, w := range a.drained(a.flushed) {
		a.flushDrives(w)
	}
	a.writeBack()
}
