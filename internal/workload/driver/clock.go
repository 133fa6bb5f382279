package driver

import (
	"slices"
	"time"

	"plimsoll/internal/result"
)

// clock knows a job's phases.
type clock struct {
	start                         time.Time // common start, with a monotonic reading
	warmup, measure, finish, last time.Duration
	cuts                          []time.Duration // where a phase ends within a second, in order
	over                          time.Time       // when no unit begins any more
}

// newClock takes a common start that came from another process and so has no
// monotonic reading.
func newClock(job Job, now time.Time) clock {
	start := now
	if !job.Start.IsZero() {
		start = now.Add(job.Start.Sub(now))
	}
	c := clock{start: start, warmup: job.Ramp.D()}
	c.measure = c.warmup + job.Warmup.D()
	c.finish = c.measure + job.Measure.D()
	c.last = c.finish + job.Linger.D()
	c.over = c.start.Add(c.last)
	for _, boundary := range []time.Duration{c.warmup, c.measure, c.finish} {
		if boundary%time.Second != 0 && !slices.Contains(c.cuts, boundary) { // phases of no length cut only once
			c.cuts = append(c.cuts, boundary)
		}
	}
	return c
}

// end is when no unit begins any more: the end of the measured phase, unless
// users linger.
func (c *clock) end() time.Time { return c.over }

// measured is when the measured phase ends.
func (c *clock) measured() time.Time { return c.start.Add(c.finish) }

// phase says to which phase a moment belongs: none after the measured one.
func (c *clock) phase(since time.Duration) result.Phase {
	switch {
	case since < c.warmup:
		return result.Ramp
	case since < c.measure:
		return result.Warmup
	case since < c.finish:
		return result.Measure
	}
	return ""
}

// slot is a stretch of time that one record covers: a second, or the part of a
// second that belongs to one phase.
type slot struct {
	index  int // counts slots from the common start
	second int
	phase  result.Phase
}

// slot says to which slot a moment belongs. Phases that end within a second
// cut it in two, so slots run ahead of seconds by the cuts passed.
func (c *clock) slot(at time.Time) slot {
	since := max(0, at.Sub(c.start))
	s := slot{second: int(since / time.Second), phase: c.phase(since)}
	s.index = s.second
	for _, cut := range c.cuts {
		if cut <= since {
			s.index++
		}
	}
	return s
}
