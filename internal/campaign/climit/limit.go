// Package climit does work for many things, as many at once as the system that does it takes
// best: it finds out how many while it works.
//
// A Limit begins with a number and tries others, each until about as many pieces of work have
// ended as are under way. It keeps a larger one that ends more of them a second, and a smaller
// one that ends as many; what must be asked to wait (see Ended) ends a try at once. Of a system
// that takes k at once it stays near k, whether more than k wait, are refused or slow each other
// down. It knows no clock and starts nothing; Each does, with a limit.
package climit

import (
	"math"
	"time"
)

const (
	// firstStep is by which the limit grows while more end a second. With 2, work on a system
	// that was full already would take twice as long, and servers have a limit to start in.
	firstStep = 1.5
	leastStep = 1.125 // between numbers that are tried later, if they are large
	// fewest pieces of work must end, and leastSpan must go by, before a rate is believed.
	fewest    = 16
	leastSpan = time.Second
	// lessened is what a limit is multiplied with that is pushed back.
	lessened = 0.75
)

// Limit is how many pieces of work of one kind may be under way. It is not safe for
// concurrent use.
type Limit struct {
	most  int
	fixed bool

	now     int     // that holds
	base    int     // the best so far, which now is tried against; equal to it while that is measured
	rate    float64 // of base, in pieces of work a second; 0 is not measured yet
	step    float64 // to the next number that is tried
	down    bool    // that is smaller than base
	refused int     // the least that was pushed back of late; 0 is none
	again   bool    // the last number that was tried on this side was better

	settling int // pieces of work that were begun under another limit
	ended    int // since then
	since    time.Time
}

// New makes a limit of at first so many, never more than most and never less than one.
func New(first, most int) *Limit {
	first = max(1, first)
	return &Limit{most: max(first, most), now: first, base: first, step: firstStep}
}

// Fixed makes a limit that stays as it is.
func Fixed(n int) *Limit {
	l := New(n, n)
	l.fixed = true
	return l
}

// Now is how many may be under way.
func (l *Limit) Now() int { return l.now }

// Begin begins a series of work: what ended before it does not count.
func (l *Limit) Begin(at time.Time) {
	l.now, l.rate = l.base, 0
	l.count(at, 0)
}

// count begins to count once so many have ended.
func (l *Limit) count(at time.Time, settling int) {
	l.settling, l.ended, l.since = settling, 0, at
}

// Ended takes note that a piece of work has ended. underWay is how many were, with it; pushed
// is that somebody asked for less since the last one ended: refused work for now, or said that
// there was too much.
func (l *Limit) Ended(at time.Time, underWay int, pushed bool) {
	switch {
	case l.fixed:
	case pushed && (l.settling == 0 || l.now > l.base):
		l.lessen(at, underWay)
	case l.settling > 0:
		if l.settling--; l.settling == 0 {
			l.since = at
		}
	case underWay < l.now: // there is no more work
		l.count(at, underWay)
	default:
		if l.ended++; l.ended%l.now == 0 && l.ended >= fewest && at.Sub(l.since) >= leastSpan {
			l.judge(at, underWay)
		}
	}
}

// lessen gives up a larger number that is on trial, or else lowers the limit. Work that is under
// way may still be refused; these refusals do not count.
func (l *Limit) lessen(at time.Time, underWay int) {
	l.refused = l.now
	if l.now > l.base {
		l.back(at, underWay)
		return
	}
	l.base = max(1, int(lessened*float64(l.now)))
	l.rate, l.step, l.down, l.again = 0, math.Sqrt(l.step), false, false
	l.use(l.base, at, underWay)
}

// judge ends the measurement of a number.
func (l *Limit) judge(at time.Time, underWay int) {
	rate := float64(l.ended) / at.Sub(l.since).Seconds()
	switch {
	case l.rate == 0 || l.now == l.base:
		l.rate = rate
		l.try(at, underWay)
	case rate/l.rate >= math.Sqrt(float64(l.now)/float64(l.base)): // at least half of the possible gain, on a logarithmic scale
		if l.base, l.rate = l.now, rate; l.again {
			l.step = min(firstStep, l.step*l.step)
		}
		l.again = true
		l.try(at, underWay)
	default:
		l.back(at, underWay)
	}
}

// back returns to the best number, which is measured again, and turns to the other side.
func (l *Limit) back(at time.Time, underWay int) {
	l.step, l.down, l.again, l.rate = math.Sqrt(l.step), !l.down, false, 0
	l.use(l.base, at, underWay)
}

// try tries the next number.
func (l *Limit) try(at time.Time, underWay int) {
	next := l.next()
	if next == l.base { // there is none on this side
		l.down, l.again = !l.down, false
		next = l.next()
	}
	l.use(next, at, underWay)
}

// next is the next number on this side. The rates of small ones are told apart only where
// they are far from each other.
func (l *Limit) next() int {
	l.step = max(l.step, leastStep, 1+1/math.Sqrt(float64(l.base)))
	if l.down {
		return max(1, min(l.base-1, int(math.Ceil(float64(l.base)/l.step))))
	}
	n := min(l.most, max(l.base+1, int(math.Ceil(float64(l.base)*l.step))))
	if l.refused > l.base {
		if n = min(n, (l.base+l.refused)/2); n == l.base { // found; but it may change
			l.refused = 0
		}
	}
	return n
}

// use makes a number the limit.
func (l *Limit) use(n int, at time.Time, underWay int) {
	l.now = n
	l.count(at, max(0, underWay-1))
}
