package result

import (
	"math"

	"plimsoll/internal/describe"
)

// driverTotal adds one driver's own records up.
type driverTotal struct {
	DriverSummary
	ended   bool
	seconds int     // measured ones
	slept   float64 // how late users woke, summed over all wakes

	busy, late, lateMean, users, backlog []float64

	// Of fixed work: what was done by second, what had been when the first user
	// finished, and how many did and when, summed up since the common start.
	units, bytes    []float64
	first           *Record
	finished        int
	finishedSeconds float64
}

func (d *driverTotal) add(r Record) {
	busy := r.CPUUser + r.CPUSystem
	setAt(&d.busy, r.Second, busy)
	setAt(&d.late, r.Second, r.LateMax)
	setAt(&d.lateMean, r.Second, r.LateMean)
	setAt(&d.users, r.Second, float64(r.Users))
	setAt(&d.backlog, r.Second, float64(r.Backlog))
	if r.Phase != Measure {
		return
	}
	d.seconds++
	d.CPUUser += r.CPUUser
	d.CPUSystem += r.CPUSystem
	d.RSSMax = max(d.RSSMax, r.RSS)
	d.Threads, d.Users = max(d.Threads, r.Threads), max(d.Users, r.Users)
	d.LateMax = max(d.LateMax, r.LateMax)
	d.LateMean += r.LateMean // a sum until summary
	d.slept += r.LateMean * float64(r.Wakes)
	d.Wakes += r.Wakes
	d.BusyMax = max(d.BusyMax, busy)
}

func (d *driverTotal) summary() DriverSummary {
	s := d.DriverSummary
	switch {
	case d.Wakes > 0:
		s.LateMean = d.slept / float64(d.Wakes)
	case d.seconds > 0: // a record of an earlier version
		s.LateMean /= float64(d.seconds)
	}
	return s
}

func (d *driverTotal) series(c clock) []Series {
	nan := math.NaN()
	return []Series{
		c.series(describe.DriverKind, d.Name, "busy", "cores", d.busy, nan),
		c.series(describe.DriverKind, d.Name, "late", "s", d.late, nan),
		c.series(describe.DriverKind, d.Name, "late_mean", "s", d.lateMean, nan),
		c.series(describe.DriverKind, d.Name, "users", "1", d.users, nan),
		c.series(describe.DriverKind, d.Name, "backlog", "1", d.backlog, nan),
	}
}
