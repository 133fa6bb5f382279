package medium

import (
	"slices"
	"time"
)

// controllerTime is the controller's time to put a write into its cache or to find a read
// there.
const controllerTime = 20 * time.Microsecond

// controllerRate is how fast it does so, in bytes a second (PCIe 3, 8 lanes).
const controllerRate = 6e9

// array is a RAID set: every request becomes requests to its drives, in up to
// two steps (parity has to be read before it can be written). Writes to one
// row wait for each other. A controller with a cache acknowledges writes at
// once and writes rows back when they are full, when half the cache is taken,
// or when a flush asks for it.
type array struct {
	layout
	raid   RAID
	drives []Model
	failed []bool
	queued []int // requests at each drive

	now    time.Duration
	next   uint64
	steps  map[uint64]*task  // by the number that a drive knows its request by
	owners map[uint64]int    // the drive of each such request
	left   map[uint64]int    // tasks that a host's request still waits for
	locked map[int64][]*task // rows being written, and who waits for them

	cache *pages
	intake
	writing int              // rows on their way from the cache
	ages    map[*task]uint64 // of rows on their way
	link    time.Duration

	out   schedule
	stats Stats
}

// task is a series of steps; the requests of a step go to the drives together.
type task struct {
	steps [][]share
	left  int // requests of the step under way
	host  uint64
	owned bool  // it belongs to a host's request
	row   int64 // that it writes; -1 for none
	bytes int64 // that it takes from the cache
}

func memberSpec(s Spec) Spec {
	s.RAID, s.Lies = nil, false
	return s
}

func newArray(r RAID, member Spec, size int64) *array {
	l := newLayout(r)
	a := &array{
		layout: l, raid: r, failed: make([]bool, r.Drives), queued: make([]int, r.Drives),
		steps: map[uint64]*task{}, owners: map[uint64]int{}, left: map[uint64]int{}, locked: map[int64][]*task{},
		cache: newPages(l.row()), ages: map[*task]uint64{},
	}
	a.intake = intake{room: r.Cache, dirty: a.cache, accepted: a.linked}
	for range r.Drives {
		a.drives = append(a.drives, New(member, size/l.columns+l.chunk))
	}
	for i := range r.Degraded { // of a mirror one half each
		a.failed[i*map[bool]int{true: 2, false: 1}[r.Level == 10]] = true
	}
	return a
}

func (a *array) Stats() Stats {
	s := a.stats
	for _, d := range a.drives {
		s.addWork(d.Stats())
	}
	return s
}

func (a *array) Next() (time.Duration, bool) {
	at, ok := a.out.next()
	for _, d := range a.drives {
		t, some := d.Next()
		at, ok = earlier(at, ok, t, some)
	}
	return at, ok
}

func (a *array) Advance(now time.Duration) []Completion {
	a.pass(now)
	return a.out.due(now)
}

// pass lets the drives work until now, in the order of events.
func (a *array) pass(now time.Duration) {
	for {
		at, ok, first := time.Duration(0), false, 0
		for i, d := range a.drives {
			if t, some := d.Next(); some && (!ok || t < at) {
				at, ok, first = t, true, i
			}
		}
		if !ok || at > now {
			break
		}
		a.now = max(a.now, at)
		for _, done := range a.drives[first].Advance(at) {
			a.answered(done.ID)
		}
	}
	a.now = max(a.now, now)
}

func (a *array) Submit(now time.Duration, id uint64, r Request) {
	a.pass(now)
	a.stats.count(r)
	w := queuedRequest{id: id, r: r, since: now}
	switch {
	case r.Op == Read:
		a.read(w)
	case r.Op == Flush:
		a.flush(w)
	case a.raid.Cache.Bytes == 0:
		a.writeThrough(w)
	default:
		a.enter(w, &a.stats)
	}
	a.writeBack()
}

func (a *array) read(w queuedRequest) {
	if a.raid.Cache.Bytes > 0 && a.cache.covers(w.r.Offset, w.r.end()) {
		a.stats.CacheHits++
		a.linked(w)
		return
	}
	var all []share
	for _, p := range a.pieces(w.r.Offset, w.r.end()) {
		all = append(all, a.readPiece(p)...)
	}
	a.begin(&task{steps: [][]share{merge(all)}, host: w.id, owned: true, row: -1})
}

// readPiece reads from the drive that has the piece, or from all that it can
// be computed from.
func (a *array) readPiece(p piece) []share {
	if drive, ok := a.leastQueued(a.drivesOf(p.row, p.column), p.row); ok {
		return []share{a.at(drive, Read, p.row, p.from, p.to)}
	}
	var all []share
	for _, drive := range a.sources(p.row) {
		all = append(all, a.at(drive, Read, p.row, p.from, p.to))
	}
	return all
}

// sources are as many living drives of a row as there are columns, data before parity: a
// lost column is computed from them.
func (a *array) sources(row int64) []int {
	var alive []int
	for column := range a.columns {
		alive = append(alive, a.alive(a.drivesOf(row, column))...)
	}
	alive = append(alive, a.alive(a.parityOf(row))...)
	return alive[:min(len(alive), int(a.columns))]
}

func (a *array) alive(drives []int) []int {
	return slices.DeleteFunc(slices.Clone(drives), func(d int) bool { return a.failed[d] })
}

// leastQueued picks the half of a mirror with less to do; of two alike, rows
// take turns.
func (a *array) leastQueued(drives []int, row int64) (int, bool) {
	alive := a.alive(drives)
	if len(alive) == 0 {
		return 0, false
	}
	best := alive[int(row)%len(alive)]
	for _, d := range alive {
		if a.queued[d] < a.queued[best] {
			best = d
		}
	}
	return best, true
}

// writeThrough writes to the drives; the request is done when all rows are.
func (a *array) writeThrough(w queuedRequest) {
	pieces := a.pieces(w.r.Offset, w.r.end())
	for len(pieces) > 0 {
		n := 1
		for n < len(pieces) && pieces[n].row == pieces[0].row {
			n++
		}
		a.writeRow(&task{steps: a.writeSteps(pieces[:n]), host: w.id, owned: true, row: pieces[0].row})
		pieces = pieces[n:]
	}
}

// writeRow begins when no other task writes the row.
func (a *array) writeRow(t *task) {
	if t.owned {
		a.left[t.host]++
	}
	if waiting, locked := a.locked[t.row]; locked {
		a.locked[t.row] = append(waiting, t)
		return
	}
	a.locked[t.row] = nil
	a.step(t)
}

// begin starts a task that needs no row for itself.
func (a *array) begin(t *task) {
	if t.owned {
		a.left[t.host]++
	}
	a.step(t)
}

// step sends the next requests of a task to the drives, or ends it.
func (a *array) step(t *task) {
	for len(t.steps) > 0 && len(t.steps[0]) == 0 {
		t.steps = t.steps[1:]
	}
	if len(t.steps) == 0 {
		a.end(t)
		return
	}
	shares := t.steps[0]
	t.steps, t.left = t.steps[1:], len(shares)
	for _, s := range shares {
		a.next++
		a.steps[a.next], a.owners[a.next] = t, s.drive
		a.queued[s.drive]++
		a.drives[s.drive].Submit(a.now, a.next, s.r)
	}
}

// answered takes one answer of a drive.
func (a *array) answered(id uint64) {
	t := a.steps[id]
	a.queued[a.owners[id]]--
	delete(a.steps, id)
	delete(a.owners, id)
	if t.left--; t.left == 0 {
		a.step(t)
	}
}

func (a *array) end(t *task) {
	if t.row >= 0 {
		a.unlock(t.row)
	}
	if t.owned {
		if a.left[t.host]--; a.left[t.host] == 0 {
			delete(a.left, t.host)
			a.out.put(a.now, t.host)
		}
		return
	}
	a.writtenBack(t)
}

func (a *array) unlock(row int64) {
	waiting := a.locked[row]
	if len(waiting) == 0 {
		delete(a.locked, row)
		return
	}
	a.locked[row] = waiting[1:]
	a.step(waiting[0])
}
