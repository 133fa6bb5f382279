package result

import (
	"math"
	"time"
)

// Ceiling is what the users of a driver did, in its own process and without pauses, against a
// process on the same machine that answers them and keeps no contents. No store lets this
// driver do more there. Sums of drivers, which do it at the same time, have the same fields.
type Ceiling struct {
	Seconds float64 `json:"seconds"` // that were measured, after a second of warm-up
	Count   int64   `json:"count"`   // units of work done in them
	Bytes   int64   `json:"bytes,omitempty"`
	CPU     float64 `json:"cpu"` // s that the driver used for them, without what answers
}

// possible reports whether a driver can have measured it.
func (c *Ceiling) possible() bool {
	return c != nil && c.Seconds > 0 && !math.IsInf(c.Seconds, 1) && c.Count >= 0 && c.Bytes >= 0 && c.CPU >= 0 && !math.IsInf(c.CPU, 1)
}

// Ceiling sums the drivers' ceilings; nil if any driver has none.
func (t *Trial) Ceiling() *Ceiling {
	var sum Ceiling
	for _, d := range t.Drivers {
		if !d.Ceiling.possible() {
			return nil
		}
		sum.Seconds = max(sum.Seconds, d.Ceiling.Seconds)
		sum.Count += d.Ceiling.Count
		sum.Bytes += d.Ceiling.Bytes
		sum.CPU += d.Ceiling.CPU
	}
	if len(t.Drivers) == 0 {
		return nil
	}
	return &sum
}

// CeilingThroughput is the drivers' own, in the profile's unit; 0 where it was not measured.
func (t *Trial) CeilingThroughput() float64 {
	c := t.Ceiling()
	if c == nil {
		return 0
	}
	return t.Profile.Unit.Rate(c.Count, c.Bytes, time.Duration(c.Seconds*float64(time.Second)))
}
