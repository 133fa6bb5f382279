package result

import (
	"maps"
	"math"
	"slices"
	"time"
)

// did counts work by second, for other drivers' moments.
func (d *driverTotal) did(r Record) {
	addAt(&d.units, r.Second, float64(r.Count))
	addAt(&d.bytes, r.Second, float64(r.Bytes))
}

// finish counts a user who has done all of its fixed work.
func (d *driverTotal) finish(r Record, start time.Time) {
	d.finished++
	d.finishedSeconds += r.At.Sub(start).Seconds()
	if d.first == nil || r.At.Before(d.first.At) {
		d.first = &r
	}
}

// until is what the driver had done so many seconds after the common start.
func (d *driverTotal) until(at time.Time, since float64) (count, bytes float64) {
	if d.first != nil && d.first.At.Equal(at) {
		return float64(d.first.Finished.Count), float64(d.first.Finished.Bytes)
	}
	return upTo(d.units, since), upTo(d.bytes, since)
}

// upTo adds up values by second, the last one in part.
func upTo(values []float64, since float64) (sum float64) {
	for second, v := range values {
		sum += v * min(1, max(0, since-float64(second)))
	}
	return sum
}

// stonewall is what all drivers had done when the first user finished; nil where none
// did.
func (c *collector) stonewall() *Stonewall {
	s, count, bytes := &Stonewall{}, 0.0, 0.0
	names := slices.Sorted(maps.Keys(c.drivers))
	for _, name := range names {
		d := c.drivers[name]
		s.Users += d.finished
		s.UserSeconds += d.finishedSeconds
		if d.first != nil && (s.At.IsZero() || d.first.At.Before(s.At)) {
			s.At = d.first.At
		}
	}
	if s.Users == 0 {
		return nil
	}
	since := s.At.Sub(c.start).Seconds()
	for _, name := range names {
		n, b := c.drivers[name].until(s.At, since)
		count, bytes = count+n, bytes+b
	}
	waited := 0.0 // between the common start and the first unit
	if c.out.Began.After(c.start) {
		waited = c.out.Began.Sub(c.start).Seconds()
	}
	s.Seconds = since - waited
	s.UserSeconds -= float64(s.Users) * waited
	s.Count, s.Bytes = int64(math.Round(count)), int64(math.Round(bytes))
	return s
}
