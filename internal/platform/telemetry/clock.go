package telemetry

import (
	"context"
	"time"
)

// clock says when to take samples: at whole multiples of the interval from
// the common start. It follows the monotonic clock, so a step of the wall
// clock does not disturb it.
type clock struct {
	origin   time.Time // the common start on the monotonic clock
	interval time.Duration
	due      time.Duration // of the next sample, since origin
}

func newClock(start time.Time, interval time.Duration) *clock {
	now := time.Now()
	// Comparing wall clocks once gives the start a monotonic reading.
	c := &clock{origin: now.Add(start.Round(0).Sub(now.Round(0))), interval: interval}
	c.due = c.following(now)
	return c
}

// at is the time since the common start, negative before it.
func (c *clock) at(now time.Time) time.Duration { return now.Sub(c.origin) }

// late is how long after its due time a sample is taken.
func (c *clock) late(now time.Time) time.Duration { return c.at(now) - c.due }

// wait sleeps until the next sample is due, or reports false when ctx ends.
func (c *clock) wait(ctx context.Context) bool {
	return pause(ctx, time.Until(c.origin.Add(c.due)))
}

// pause waits for a while, or reports false when ctx ends.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// next sets the following due time and gives how many were missed, because
// the last sample took longer than the interval or the machine did not let
// the sampler run.
func (c *clock) next(now time.Time) int {
	before := c.due
	c.due = max(c.following(now), before+c.interval)
	return int((c.due-before)/c.interval) - 1
}

// following is the first multiple of the interval after now.
func (c *clock) following(now time.Time) time.Duration {
	at := c.at(now)
	whole := at.Truncate(c.interval)
	if whole <= at {
		whole += c.interval
	}
	return whole
}
