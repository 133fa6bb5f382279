package driver

import (
	"time"

	"plimsoll/internal/study"
)

// bursts say when users begin units of work: On of every Every, the first burst Offset
// after the origin, and before it as if bursts had come for ever. Zero is always.
type bursts struct {
	study.Bursts
	origin time.Time
}

// newBursts begin when the ramp is over.
func newBursts(j Job, c clock) bursts {
	b := bursts{origin: c.start.Add(c.warmup)}
	if j.Bursts != nil {
		b.Bursts = *j.Bursts
	}
	return b
}

// always reports whether there are no bursts.
func (b bursts) always() bool { return b.Every == 0 }

// into is how long before a moment the last burst began.
func (b bursts) into(at time.Time) time.Duration {
	into := (at.Sub(b.origin) - b.Offset.D()) % b.Every.D()
	if into < 0 {
		into += b.Every.D()
	}
	return into
}

// on reports whether a moment is within a burst.
func (b bursts) on(at time.Time) bool { return b.always() || b.into(at) < b.On.D() }

// next is the first moment from one on that is within a burst.
func (b bursts) next(at time.Time) time.Time {
	if b.on(at) {
		return at
	}
	return at.Add(b.Every.D() - b.into(at))
}

// passed is how much of bursts there was from the origin to a moment after it.
func (b bursts) passed(at time.Time) time.Duration {
	since := at.Sub(b.origin)
	if b.always() || since <= 0 {
		return since
	}
	return b.upTo(at) - b.upTo(b.origin)
}

// upTo is how much of bursts there was up to a moment, from some whole number of periods
// before the origin on.
func (b bursts) upTo(at time.Time) time.Duration {
	into := b.into(at)
	whole := (at.Sub(b.origin) - b.Offset.D() - into) / b.Every.D()
	return whole*b.On.D() + min(into, b.On.D())
}

// after returns the moment at which bursts have lasted so long in all since the origin. If
// that is the end of a burst, it returns the start of the next one.
func (b bursts) after(passed time.Duration) time.Time {
	if b.always() || passed < 0 {
		return b.origin.Add(passed)
	}
	passed += b.upTo(b.origin)
	whole, rest := passed/b.On.D(), passed%b.On.D()
	if rest < 0 {
		whole, rest = whole-1, rest+b.On.D()
	}
	return b.origin.Add(b.Offset.D() + whole*b.Every.D() + rest)
}
