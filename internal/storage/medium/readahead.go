package medium

import "time"

// readAhead is the drive's read buffer. After a read the head stays on the track and goes
// on reading, until the limit or until the actuator has something else to do.
type readAhead struct {
	from, upto int64 // the buffered range
	// While streaming, the head passed upto at the time since and goes on to
	// limit; else limit is upto.
	streaming bool
	since     time.Duration
	limit     int64
}

// begin starts after a read of [from, to) that ended at a time.
func (a *readAhead) begin(from, to int64, at time.Duration, length int64) {
	if length == 0 {
		return
	}
	if a.from <= from && from <= a.limit {
		from = max(a.from, to-length)
	}
	*a = readAhead{from: from, upto: to, streaming: true, since: at, limit: to + length}
}

// passes is when the head passes a place that it will read.
func (a *readAhead) passes(g geometry, place int64) time.Duration {
	return a.since + g.transfer(a.upto, max(a.upto, place))
}

// reach is where the head is and since when: it rests at the limit.
func (a *readAhead) reach(g geometry, now time.Duration) (int64, time.Duration) {
	if end := a.passes(g, a.limit); end <= now {
		return a.limit, end
	}
	return min(a.limit, g.reached(g.until(a.upto)+(now-a.since).Seconds())), now
}

// reaches reports whether the stream comes by a range without stopping.
func (a *readAhead) reaches(from, to int64) bool {
	return a.streaming && from >= a.from && to <= a.limit
}

// holds reports whether a read is in memory now.
func (a *readAhead) holds(g geometry, now time.Duration, r Request) bool {
	upto := a.upto
	if a.streaming {
		upto, _ = a.reach(g, now)
	}
	return r.Offset >= a.from && r.end() <= upto
}

// extend moves the limit on when the host follows the stream; a head that has
// come to rest stays there.
func (a *readAhead) extend(g geometry, now time.Duration, to, length int64) {
	if !a.streaming {
		return
	}
	if at, _ := a.reach(g, now); at >= a.limit {
		return
	}
	a.limit = max(a.limit, to+length)
}

// stop freezes the memory: the head leaves.
func (a *readAhead) stop(g geometry, now time.Duration) {
	if a.streaming {
		a.upto, _ = a.reach(g, now)
		a.limit, a.streaming = a.upto, false
	}
}

// forget drops the buffer when a write overlaps it.
func (a *readAhead) forget(r Request) {
	if r.Offset < a.limit && r.end() > a.from {
		*a = readAhead{}
	}
}
