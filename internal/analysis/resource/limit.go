package resource

import "cmp"

// Saturated is the mean utilisation from which a resource is taken to limit.
// A single server answers ten times slower at 90 % than when idle (M/M/1,
// R = S/(1-U); Kleinrock, "Queueing Systems", 1975); servers in parallel can be
// driven further, which only makes the threshold cautious.
const Saturated = 0.9

// heldBack is the share of the periods of a CPU limit from which the limit is
// taken to bound, though on average it is not used up: time that is left over
// in one period is lost, and who waits for several such servers waits for the
// slowest (kernel documentation, scheduler/sched-bwc). Kubernetes' usual alert
// on throttling goes off at a quarter.
const heldBack = 0.5

// waitsForOne is the share of the time that requests spend in a server from which
// waiting to be let in is a limit. Users who never pause keep as many workers
// busy as there are users, which delays nobody while there are as many workers.
const waitsForOne = 0.1

// Limits reports whether the resource holds throughput back.
func (r Resource) Limits() bool {
	if r.Kind.IsOccupied() {
		return r.turnsAway()
	}
	if r.Step != nil {
		return r.Step.Named
	}
	if r.Kind.IsWaiting() {
		return r.waitsLong()
	}
	return !r.Uncertain && (r.Own() >= Saturated || r.Throttles())
}

// LosesToGuests says of a CPU that a part of it that matters went to other guests of the
// hypervisor.
func (r Resource) LosesToGuests() bool { return r.Kind == CPU && r.Stolen >= matters*r.Utilisation }

// Throttles reports whether it does so by its CPU limit, though on average it is not
// used up.
func (r Resource) Throttles() bool { return r.Own() < Saturated && r.Throttled >= heldBack }

// turnsAway reports whether requests wait although the machine may have room: everything
// that a server has for them is occupied.
func (r Resource) turnsAway() bool {
	if r.Utilisation < Saturated {
		return false
	}
	return r.Queue == 0 || r.Waiting() >= waitsForOne*r.Utilisation*r.Servers // the queue may not be known
}

// Waiting is how many requests wait for one of what a gauge counts.
func (r Resource) Waiting() float64 { return max(0, r.Queue-r.Utilisation*r.Servers) }

// Busiest is the bottleneck candidate: the resource with the highest utilisation or, if
// none is saturated, the one whose CPU limit throttles it most. Throughput is bounded by
// the largest demand per server, 1/max(D/m), and at one throughput that is the resource
// with the highest utilisation. Memory does not count, being space and not time, nor does
// the CPU of drivers, processes and roles, which is part of the machine's. The utilisation
// of an uncertain device is unknown.
//
// Workers are busy, too, while they wait for any of these. They are the bottleneck only if
// nothing that they could wait for is: a core that one thread saturates, or memory. A stage
// that limits a pipeline says more than the resource that it saturates, unless it is the
// storage that it waits for.
func Busiest(resources []Resource) *Resource {
	var top, full, core, wait *Resource
	for i := range resources {
		r := &resources[i]
		switch {
		case r.Kind.IsSpace() || r.Uncertain || r.Kind.IsStage() || (r.Kind.PartOfCPU() && Has(resources, CPU)):
		case r.Kind == Core:
			core = larger(core, r)
		case r.Kind.IsWaiting():
			wait = larger(wait, r)
		case r.Kind.IsOccupied():
			if r.turnsAway() && (full == nil || r.Utilisation > full.Utilisation) {
				full = r
			}
		case top == nil || r.exceeds(*top):
			top = r
		}
	}
	step := LimitingStep(resources)
	if step != nil && (top == nil || !top.Limits() || !top.OfStorage()) {
		return step
	}
	if top != nil && top.Limits() {
		return top
	}
	return cmp.Or(core, wait, full, top)
}

// larger is the one that limits and is used more; nil where neither does.
func larger(most, r *Resource) *Resource {
	if !r.Limits() || most != nil && most.Utilisation >= r.Utilisation {
		return most
	}
	return r
}

func (r Resource) exceeds(other Resource) bool {
	if r.Own() >= Saturated || other.Own() >= Saturated || max(r.Throttled, other.Throttled) < heldBack {
		return r.Own() > other.Own()
	}
	return r.Throttled > other.Throttled
}

// Limiting is the one that limits; nil where none does.
func Limiting(resources []Resource) *Resource {
	if top := Busiest(resources); top != nil && top.Limits() {
		return top
	}
	return nil
}

// LimitToo lists the saturated resources other than the busiest one.
func LimitToo(resources []Resource, top *Resource) (all []Resource) {
	for _, o := range resources {
		if o.Name == top.Name || !o.Limits() || o.Kind.IsSpace() || o.Kind.IsOccupied() || o.Kind.OnlyLimiting() || o.Kind.PartOfCPU() {
			continue
		}
		all = append(all, o)
	}
	return all
}

// CPUOf is the CPU of the machine of a resource; nil where it was not measured.
func CPUOf(resources []Resource, of Resource) *Resource {
	for i := range resources {
		if r := &resources[i]; r.Kind == CPU && r.Machine == of.Machine {
			return r
		}
	}
	return nil
}

// Has reports whether one of a kind was measured.
func Has(resources []Resource, kind Kind) bool { return First(resources, kind) != nil }

// First is the first of a kind; nil where there is none.
func First(resources []Resource, kind Kind) *Resource {
	for i := range resources {
		if resources[i].Kind == kind {
			return &resources[i]
		}
	}
	return nil
}

// FirstUncertain is a device that is busy only by assumption; nil where there is none.
func FirstUncertain(resources []Resource) *Resource {
	for i := range resources {
		if resources[i].Uncertain {
			return &resources[i]
		}
	}
	return nil
}

// FirstAssumed is the first device whose parallelism (how many requests it serves at once)
// is only assumed; nil if there is none that matters.
func FirstAssumed(resources []Resource) *Resource {
	for i := range resources {
		if d := &resources[i]; d.Assumed != "" && d.Busy >= 0.1 {
			return d
		}
	}
	return nil
}

// Shared is the busiest resource that something which is not the trial's helped to
// saturate; nil where there is none. The resources are sorted by utilisation.
func Shared(resources []Resource) *Resource {
	for i := range resources {
		if r := &resources[i]; r.Utilisation >= Saturated && r.Other > 0 {
			return r
		}
	}
	return nil
}

// Sharers are the roles that share the machine's CPU, the largest first; none
// where there is but one. The resources are sorted by utilisation.
func Sharers(resources []Resource) (roles []Resource) {
	for _, part := range resources {
		if part.Kind == Role {
			roles = append(roles, part)
		}
	}
	if len(roles) < 2 {
		return nil
	}
	return roles
}

// Beside lists the parts of a busy CPU that drivers and processes use, if they use enough
// to matter.
func Beside(resources []Resource, cpu Resource) (parts []Resource) {
	for _, part := range resources {
		if part.Kind.PartOfCPU() && part.Kind != Role && part.Machine == cpu.Machine && part.Utilisation >= matters*cpu.Utilisation {
			parts = append(parts, part)
		}
	}
	return parts
}

// SharersThatMatter are the roles that take enough of a busy CPU. How much of
// one of several machines they take is not known.
func SharersThatMatter(resources []Resource, cpu Resource) (parts []Resource) {
	if cpu.Kind != CPU || cpu.Machine != "" {
		return nil
	}
	for _, part := range Sharers(resources) {
		if part.Utilisation >= matters*cpu.Utilisation {
			parts = append(parts, part)
		}
	}
	return parts
}

// matters is the share of a busy CPU from which a part of it is named.
const matters = 0.1

// ChangedWith are the names of those that change with one: all disks of a pool get the
// faster medium, and all its servers the CPU; as do all machines of the same roles.
func ChangedWith(resources []Resource, top Resource) (names []string) {
	for _, r := range resources {
		if r.Name == top.Name || r.Kind == top.Kind && (r.Kind.Alike() || r.Machine != "" && r.sameRoles(top)) {
			names = append(names, r.Name)
		}
	}
	return names
}

// CoresUsed adds up the machines, without what others used of them.
func CoresUsed(resources []Resource) (cores float64) {
	for _, r := range resources {
		if r.Kind == CPU {
			cores += r.Used() * r.Servers
		}
	}
	return cores
}
