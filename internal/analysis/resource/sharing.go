// This file finds what of the devices and networks of a ladder something outside the trials
// uses. It takes what resources did at each rung, and gives them with what of it is others'.

package resource

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/neighbour"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// grown is how many times the units of work of the smallest rung another must do for what grows
// with them to be seen.
const grown = 2

// matters is the share of a resource from which what users cannot have used of it is told from
// chance.
const sharedMatters = 0.1

// Rung is one of a ladder: what its resources did, in how many units of work a second.
type Rung struct {
	Resources      []Resource
	UnitsPerSecond float64
	Passed         []*result.Trial
}

// WithoutOthers finds what something else uses, and gives the resources of each rung with that in Other
// and Strangers, and out of the demands.
//
// A unit of work demands D of a resource, so a rung that does X of them a second uses D*X, and D
// is at most the least of U/X over the rungs (utilisation law). What the smallest rung uses
// beyond that does not come with the load. It is someone else's only where the device's requests
// and bytes say the same, and where the trials cannot have made it in another way, such as by
// commits that are made one by one at the smallest rung and together at larger ones: it was
// there before the load began or, where that was not sampled, users thought for too long to keep
// the resource as busy.
func WithoutOthers(e *trust.Evidence, measured []Rung) [][]Resource {
	ladder, out := slices.Clone(measured), make([][]Resource, len(measured))
	for i := range ladder {
		ladder[i].Resources = slices.Clone(ladder[i].Resources)
		out[i] = ladder[i].Resources
	}
	first := firstOf(ladder)
	if first == nil || !slices.ContainsFunc(first.Resources, mayBeShared) {
		return out
	}
	m := machinesOf(e, ladder)
	for i := range first.Resources {
		if r := &first.Resources[i]; mayBeShared(*r) {
			setOther(ladder, r.Name, m.usedByOthers(ladder, first, *r))
		}
	}
	return out
}

// machines are those of each trial of a ladder, read once, because a ladder may have a hundred
// devices.
type machines struct {
	sampled *trust.Evidence
	of      map[*result.Trial][]trial.Host
}

func machinesOf(e *trust.Evidence, ladder []Rung) machines {
	m := machines{e, map[*result.Trial][]trial.Host{}}
	for _, at := range ladder {
		for i, t := range e.WholeOf(at.Passed) {
			m.of[at.Passed[i]] = trial.MetricsOf(t).Hosts(t, e.Cores)
		}
	}
	return m
}

// mayBeShared reports whether whose use it is can be seen by how it grows with the load.
func mayBeShared(r Resource) bool {
	return (r.Kind == Device || r.Kind == Network) && !r.Uncertain && r.Utilisation >= neighbour.LeastUnaccounted
}

// firstOf is the smallest rung, where some other does enough more than it; nil where none does.
func firstOf(ladder []Rung) (first *Rung) {
	most := 0.0
	for i := range ladder {
		if ladder[i].UnitsPerSecond <= 0 {
			continue
		}
		if first == nil {
			first = &ladder[i]
		}
		most = max(most, ladder[i].UnitsPerSecond)
	}
	if first == nil || most < grown*first.UnitsPerSecond {
		return nil
	}
	return first
}

// usedByOthers is what something else uses of a resource at the smallest rung, at least; 0 where
// that is not shown, or not enough to speak of.
func (m machines) usedByOthers(ladder []Rung, first *Rung, r Resource) float64 {
	use := func(at Rung) (float64, bool) {
		if found := named(at.Resources, r.Name); found != nil {
			return found.Utilisation, true
		}
		return 0, false
	}
	others := r.Utilisation * fixedShare(ladder, use)
	if r.Kind == Device {
		traffic, recorded := m.trafficFixed(ladder, r)
		if !recorded {
			return 0
		}
		others = min(others, r.Utilisation*traffic, r.Utilisation*(1-m.ownBytes(first.Passed, r)))
	}
	before, known := m.usedBefore(first.Passed, r)
	switch {
	case known:
		others = min(others, before)
	case r.Utilisation-usersAtWork(first.Passed) < sharedMatters:
		return 0
	}
	if others < neighbour.LeastUnaccounted {
		return 0
	}
	return others
}

// fixedShare is the share of a quantity at the smallest rung that does not grow with the units of
// work, at least; 0 where a rung does not know it.
func fixedShare(ladder []Rung, of func(Rung) (float64, bool)) float64 {
	first, least, x := 0.0, math.Inf(1), 0.0
	for _, at := range ladder {
		if at.UnitsPerSecond <= 0 {
			continue
		}
		v, known := of(at)
		if !known || v <= 0 {
			return 0
		}
		if first == 0 {
			first, x = v, at.UnitsPerSecond
		}
		least = min(least, v/at.UnitsPerSecond)
	}
	return max(0, 1-stats.Ratio(x*least, first))
}

// trafficFixed is fixedShare of a device's requests and bytes, the smaller one; recorded is false
// where neither was.
func (m machines) trafficFixed(ladder []Rung, r Resource) (share float64, recorded bool) {
	share = 1
	for _, metrics := range [][]string{{"reads", "writes"}, {"read_bytes", "write_bytes"}} {
		of := func(at Rung) (float64, bool) {
			v := m.overTrials(at.Passed, r, func(h trial.Host) float64 { return sumOf(h, describe.DeviceKind, r.Device, metrics) })
			return v, v > 0
		}
		if _, known := of(*firstOf(ladder)); known {
			share, recorded = min(share, fixedShare(ladder, of)), true
		}
	}
	return share, recorded
}

// ownBytes is the share of a device's bytes that processes of the trials caused to be read and
// written on its machine, at most all of them; 0 where that was not recorded.
func (m machines) ownBytes(passed []*result.Trial, r Resource) float64 {
	bytes := []string{"read_bytes", "write_bytes"}
	return m.overTrials(passed, r, func(h trial.Host) float64 {
		own := 0.0
		for _, kind := range []string{describe.InstanceKind, describe.DriverKind, describe.NodeKind, describe.SelfKind} {
			for _, name := range h.Names(kind) {
				own += sumOf(h, kind, name, bytes)
			}
		}
		return min(1, stats.Ratio(own, sumOf(h, describe.DeviceKind, r.Device, bytes)))
	})
}

func sumOf(h trial.Host, kind, name string, metrics []string) (sum float64) {
	for _, metric := range metrics {
		v, _ := h.Mean(kind, name, metric)
		sum += v
	}
	return sum
}

// overTrials is the median of a figure of a resource's machine.
func (m machines) overTrials(passed []*result.Trial, r Resource, of func(trial.Host) float64) float64 {
	var all []float64
	for _, t := range passed {
		for _, h := range m.of[t] {
			if h.Name == r.Machine {
				all = append(all, of(h))
			}
		}
	}
	return stats.MedianOf(all)
}

// usedBefore is the median of a resource's utilisation before the load; not known where a trial
// does not say.
func (m machines) usedBefore(passed []*result.Trial, r Resource) (share float64, known bool) {
	kind, name := describe.DeviceKind, r.Device
	if r.Kind == Network {
		kind, name = describe.NetworkKind, r.Interface
	}
	var all []float64
	for _, t := range passed {
		for _, h := range m.of[t] {
			if v, sampled := m.sampled.Machines.UsedBefore(t, h, kind, name); sampled && h.Name == r.Machine {
				all = append(all, v)
			}
		}
	}
	return stats.MedianOf(all), len(all) > 0 && len(all) == len(passed)
}

// usersAtWork is the share of the time in which some user of closed trials waited for work, at
// most: each of N thinks for X*Z/N of it, and all of them at once at least as often as if they
// did so independently. It is 1 where users do not think, or offer work at a rate.
func usersAtWork(passed []*result.Trial) float64 {
	most := 0.0
	for _, t := range passed {
		users := float64(t.Variant.Load.Users * t.Profile.Together() * t.Ran())
		thinking := stats.Ratio(trial.UnitsPerSecond(t)*t.Variant.Load.ThinkTime.D().Seconds(), users)
		if t.Scheduled() || thinking <= 0 {
			return 1
		}
		most = max(most, 1-math.Pow(min(1, thinking), users))
	}
	return most
}

// setOther gives a resource at each rung what others use of it.
func setOther(ladder []Rung, name string, others float64) {
	if others <= 0 {
		return
	}
	for _, at := range ladder {
		if r := named(at.Resources, name); r != nil {
			before := r.Used()
			r.Other = min(others, r.Utilisation)
			r.Strangers = r.Other
			r.Demand *= stats.Ratio(r.Used(), before) // D = U*m/X
		}
	}
}

func named(resources []Resource, name string) *Resource {
	for i := range resources {
		if resources[i].Name == name {
			return &resources[i]
		}
	}
	return nil
}
