package diagnose

import (
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/describe"
)

// attribute divides the growth of the response time since the largest rung that met the
// objectives, or since the smallest where that is too little to show a cause; the whole response
// time where neither shows one, or where the smallest does not meet them.
func (d *Diagnosis) attribute(rungs []rung.Rung, line loadline.LoadLine, r *rung.Rung) {
	steps := rung.Profiles(rungs)
	first := rung.First(rungs)
	switch {
	case first == nil || r.Time == nil:
		return
	case first.Instances < r.Instances:
		since := first.Instances
		if line.Rung > 0 && line.Rung < r.Instances {
			since = line.Rung
			d.Time = timeprofile.Attribute(steps, since, r.Instances)
		}
		if d.Time.Open() {
			wider := timeprofile.Attribute(steps, first.Instances, r.Instances)
			if d.Time == nil || wider != nil && wider.Causes >= d.Time.Causes {
				d.Time = wider
			}
		}
		if (d.Time == nil || d.Time.Causes == 0) && !d.keptEasily(line, r) {
			if whole := timeprofile.Compose(steps, since, r.Instances); whole != nil && whole.Causes > 0 {
				d.Time = whole
			}
		}
	case line.Next == r.Instances:
		d.Time = timeprofile.Attribute(steps, 0, r.Instances)
	}
	if d.Time != nil && d.Time.Causes > 0 {
		d.waitedFor = resourceOf(r, d.Time.Growth[0])
	}
	if d.Time != nil && d.Time.Causes > 1 {
		d.beside = resourceOf(r, d.Time.Growth[1])
	}
}

// resourceOf is what the time of a component is spent at; nil where that was not measured, or is
// no resource.
func resourceOf(r *rung.Rung, g timeprofile.Growth) *resource.Resource {
	for i := range r.Resources {
		if of := &r.Resources[i]; isOf(*of, g) { // the first is the busiest
			return of
		}
	}
	return nil
}

func isOf(r resource.Resource, g timeprofile.Growth) bool {
	switch g.Component {
	case describe.DeviceWait:
		return r.Kind == resource.Device && (g.Resource == "" || r.Name == g.Resource)
	case describe.CPUWait:
		return r.Kind == resource.CPU && r.Machine == g.Machine
	case describe.MemoryWait:
		return r.Kind == resource.MemoryWait
	case describe.QuotaWait:
		switch g.Role {
		case timeprofile.Storage:
			return r.Kind == resource.Node
		case timeprofile.Driver:
			return r.Kind == resource.DriverQuota
		}
		return r.Kind == resource.Quota && r.Role == g.Role
	}
	return false
}

// oftenBusy is the share of time from which requests at a device are taken to be waited for, where
// that is not known from who waits: a device that is mostly idle can have many requests in flight
// while caches are written back.
const oftenBusy = 0.5

// carries reports whether the time profile carries a cause.
func (d Diagnosis) carries() bool {
	switch {
	case d.Time == nil || d.Time.Causes == 0:
		return false
	case d.Time.Counted:
		return true
	}
	return d.waitedFor != nil && d.waitedFor.Busy >= oftenBusy && d.waitedFor.Other == 0
}

// decides reports whether a cause of a kind may rest on the time profile.
func (d Diagnosis) decides(k Kind) bool {
	switch k {
	case Saturated, Stolen, Spent:
		return d.carries() && (d.Time.Counted || k == Spent)
	}
	return false
}

// byTime is the kind of what the response time is spent on; that a resource is used up is evidence
// for it.
func (d Diagnosis) byTime() Kind {
	r := d.waitedFor
	switch {
	case r == nil || d.Time.Causes > 1:
		return Spent
	case r.Utilisation >= resource.Saturated && r.Other > 0 && !r.Limits():
		return Neighbour
	case r.Limits() && r.LosesToGuests():
		return Stolen
	case r.Limits():
		return Saturated
	}
	return Spent
}

// setTime adds to a cause what the time profile says of it.
func (d Diagnosis) setTime(c *Cause) {
	if !d.decides(d.Kind) {
		return
	}
	first := d.Time.Growth[0]
	c.Component, c.Share, c.Role, c.Wait = first.Component, first.Share.Value, first.Role, LongestWait(first)
	if first.Role == timeprofile.Driver {
		c.Kind = Driver
	}
	if d.Time.Causes > 1 {
		second := d.Time.Growth[1]
		c.WithComponent, c.WithShare = second.Component, second.Share.Value
		if d.beside != nil {
			c.With = d.beside.Name
		}
	}
}

// Explained reports whether waiting that was counted makes up most of the growth of the response
// time, although no part of it is shown to be what limits.
func (d Diagnosis) Explained() bool {
	if d.Time == nil || !d.Time.Counted || d.Time.Causes > 0 {
		return false
	}
	waiting := 0.0
	for _, g := range d.Time.Growth {
		if g.Component != describe.Running {
			waiting += g.Share.Value
		}
	}
	return waiting >= mostOf
}

// LongestWait is the named wait that makes up most of a component's growth; empty for none.
func LongestWait(g timeprofile.Growth) string {
	if len(g.Waits) > 0 && g.Waits[0].Seconds.Value >= mostOf*g.Seconds {
		return g.Waits[0].Name
	}
	return ""
}

// WaitedFor is the resource of a cause by its place in Time.Growth; nil for none.
func (d Diagnosis) WaitedFor(place int) *resource.Resource {
	switch place {
	case 0:
		return d.waitedFor
	case 1:
		return d.beside
	}
	return nil
}
