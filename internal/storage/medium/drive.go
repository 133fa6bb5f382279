package medium

import (
	"math"
	"slices"
	"time"
)

// patience is how long a request may be passed over by nearer ones.
const patience = 2 * time.Second

// longestRun bounds a single write, so that reads get their turn.
const longestRun = 1 << 20

// drive is a rotating drive with one actuator. Reads wait in a queue, and the nearest is
// served first. Writes complete as soon as they are in the cache, if there is one. They
// reach the medium when no read waits, when half the cache is full, or when a flush asks
// for it.
type drive struct {
	spec Rotational
	g    geometry

	now    time.Duration
	head   int64
	headAt time.Duration // when the head got to where it is
	job    *job
	queue  []queuedRequest // the actuator's requests, in order of arrival
	cache  extents
	intake
	ahead    readAhead
	linkFree time.Duration
	out      schedule
	stats    Stats
}

// queuedRequest is a request that is not served yet.
type queuedRequest struct {
	id    uint64
	r     Request
	since time.Duration
	age   uint64 // of a flush: the last write before it
}

// job is the actuator's current job.
type job struct {
	end      time.Duration
	from, to int64
	op       Op
	id       uint64 // of the request, unless it writes from the cache
	cached   bool
}

func newDrive(spec Rotational, size int64) *drive {
	d := &drive{spec: spec, g: newGeometry(spec, size)}
	d.intake = intake{room: spec.Cache, dirty: &d.cache, accepted: d.link}
	return d
}

func (d *drive) Stats() Stats { return d.stats }

func (d *drive) Next() (time.Duration, bool) {
	at, ok := d.out.next()
	if d.job == nil {
		return at, ok
	}
	return earlier(d.job.end, true, at, ok)
}

func (d *drive) Advance(now time.Duration) []Completion {
	d.pass(now)
	return d.out.due(now)
}

// pass lets the actuator work until now.
func (d *drive) pass(now time.Duration) {
	for d.job != nil && d.job.end <= now {
		d.now = d.job.end
		d.finish(*d.job)
		d.start()
	}
	d.now = max(d.now, now)
}

func (d *drive) Submit(now time.Duration, id uint64, r Request) {
	d.pass(now)
	d.stats.count(r)
	w := queuedRequest{id: id, r: r, since: now}
	switch r.Op {
	case Read:
		d.read(w)
	case Write:
		d.write(w)
	case Flush:
		d.flush(w)
	}
	d.start()
}

func (d *drive) read(w queuedRequest) {
	if d.cache.covers(w.r.Offset, w.r.end()) || d.ahead.holds(d.g, d.now, w.r) {
		d.stats.CacheHits++
		d.ahead.extend(d.g, d.now, w.r.end(), d.spec.ReadAhead)
		d.link(w)
		return
	}
	d.queue = append(d.queue, w)
}

// write goes to the cache, or where there is none to the actuator.
func (d *drive) write(w queuedRequest) {
	d.ahead.forget(w.r)
	if d.spec.Cache.Bytes == 0 {
		d.queue = append(d.queue, w)
		return
	}
	d.enter(w, &d.stats)
}

// link moves bytes between the host and the drive's memory, one request after
// the other.
func (d *drive) link(w queuedRequest) {
	d.linkFree = max(d.now, d.linkFree) + seconds(float64(w.r.Length)/d.spec.Interface)
	d.out.put(d.linkFree+d.spec.Overhead, w.id)
}

func (d *drive) flush(w queuedRequest) {
	w.age = d.age
	if d.spec.Cache.Protected || d.flushed(w.age) {
		d.out.put(d.now+d.spec.Overhead, w.id)
		return
	}
	d.flushes = append(d.flushes, w)
}

// flushed reports whether every write up to an age is on the medium.
func (d *drive) flushed(age uint64) bool {
	inFlight := d.job != nil && d.job.cached
	return !inFlight && !d.cache.oldest(age)
}

// finish ends a job: its request is done, the cache has room again, and the
// drive goes on reading.
func (d *drive) finish(j job) {
	d.job = nil
	d.head, d.headAt = j.to, j.end
	if j.cached {
		d.release(j.to - j.from)
	} else {
		d.out.put(j.end, j.id)
	}
	if j.op == Read {
		d.ahead.begin(j.from, j.to, j.end, d.spec.ReadAhead)
	}
	for _, f := range d.drained(d.flushed) {
		d.out.put(j.end+d.spec.Overhead, f.id)
	}
}

// start gives the actuator its next job, if it is free and there is one.
func (d *drive) start() {
	if d.job != nil {
		return
	}
	index, fromCache, ok := d.choose()
	if !ok {
		return
	}
	j := d.take(index, fromCache)
	j.end = d.reachEnd(j)
	d.stats.Busy += j.end - d.now
	d.job = &j
}

// reachEnd moves the head through a job: with the stream that is under way, or
// away from it.
func (d *drive) reachEnd(j job) time.Duration {
	if j.op == Read && d.ahead.reaches(j.from, j.to) {
		d.stats.CacheHits++
		return max(d.now, d.ahead.passes(d.g, j.to))
	}
	d.position()
	a := d.access(j.from)
	d.ahead.stop(d.g, d.now)
	transfer := d.g.transfer(j.from, j.to)
	d.stats.Accesses++
	d.stats.Seek += a.seek
	d.stats.Rotation += a.rotation
	d.stats.Transfer += transfer
	return a.begin + transfer
}

func (d *drive) take(index int, fromCache bool) job {
	if fromCache {
		from, to := d.cache.takeRun(index, longestRun)
		return job{from: from, to: to, op: Write, cached: true}
	}
	w := d.queue[index]
	d.queue = slices.Delete(d.queue, index, index+1)
	return job{from: w.r.Offset, to: w.r.end(), op: w.r.Op, id: w.id}
}

// position brings the head up to date: it moved on while it read ahead.
func (d *drive) position() {
	if d.ahead.streaming {
		d.head, d.headAt = d.ahead.reach(d.g, d.now)
	}
}

// access is the head's way to a place: when the transfer begins, and the time spent until
// then.
type access struct {
	begin          time.Duration
	seek, rotation time.Duration
}

func (d *drive) access(to int64) access {
	if to == d.head && d.headAt == d.now {
		return access{begin: d.now} // the stream goes on
	}
	seek := d.g.seek(d.head, to)
	arrived := d.now + d.spec.Overhead + seek
	rotation := d.g.rotation(arrived, to)
	return access{begin: arrived + rotation, seek: seek, rotation: rotation}
}

// choose finds the request that can begin soonest among the requests that the drive looks
// at and, when it is time to write, the cache's contents near the head.
func (d *drive) choose() (index int, fromCache, ok bool) {
	if len(d.queue) > 0 && d.now-d.queue[0].since > patience {
		return 0, false, true
	}
	d.position()
	best := time.Duration(math.MaxInt64)
	for i, w := range d.visible() {
		if begin := d.begin(w); begin < best {
			best, index, ok = begin, i, true
		}
	}
	if len(d.queue) > 0 && !d.mustWrite() {
		return index, false, ok
	}
	for _, i := range d.nearby() {
		if a := d.access(d.cache[i].from); a.begin < best {
			best, index, fromCache, ok = a.begin, i, true, true
		}
	}
	return index, fromCache, ok
}

// visible are the waiting requests that the drive looks at: none of them when
// a flush has waited too long.
func (d *drive) visible() []queuedRequest {
	if len(d.flushes) > 0 && len(d.cache) > 0 && d.now-d.flushes[0].since > patience {
		return nil
	}
	return d.queue[:min(len(d.queue), max(1, d.spec.Queue))]
}

func (d *drive) begin(w queuedRequest) time.Duration {
	if w.r.Op == Read && d.ahead.reaches(w.r.Offset, w.r.end()) {
		return max(d.now, d.ahead.passes(d.g, w.r.Offset))
	}
	return d.access(w.r.Offset).begin
}

// mustWrite reports whether writing may hold up reads.
func (d *drive) mustWrite() bool {
	return len(d.flushes) > 0 || d.crowded()
}

// nearby lists cached extents on either side of the head: all that the drive
// looks at. While a flush waits, only those that it waits for.
func (d *drive) nearby() []int {
	limit := uint64(math.MaxUint64)
	if len(d.flushes) > 0 {
		limit = d.flushes[len(d.flushes)-1].age
	}
	want := max(1, d.spec.Queue)
	var found []int
	middle := d.cache.first(d.head)
	for i := middle; i < len(d.cache) && len(found) < (want+1)/2; i++ {
		if d.cache[i].age <= limit {
			found = append(found, i)
		}
	}
	for i := middle - 1; i >= 0 && len(found) < want; i-- {
		if d.cache[i].age <= limit {
			found = append(found, i)
		}
	}
	if len(found) == 0 && middle < len(d.cache) {
		found = append(found, middle)
	}
	return found
}
