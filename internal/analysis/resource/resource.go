// Package resource tells from the telemetry of trials what each resource did at a rung: how
// busy it was, what a unit of work demands of it, and whether it limits. What a kind of
// resource means is in one table. It takes trials and gives numbers, no sentences.
package resource

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// Resource is how one resource fared at a rung.
type Resource struct {
	Name string `json:"name"` // "CPU", "CPU of node worker-2 (storage)", "disk loop3 (hdd)", "driver CPU"
	// Kind is cpu, device, network, memory, node, quota, driver-quota, container (a CPU
	// quota over the whole run), driver-threads, user-threads, gauge, stage (of a way that data
	// take), metric (what an existing Prometheus tells), core (the busiest of a machine) or
	// memory-wait; driver, process and role are parts of cpu.
	Kind Kind   `json:"kind"`
	Role string `json:"role,omitempty"` // of servers, for a quota, a gauge and a role
	// Machine is the one that it belongs to, and MachineRoles what that is there for;
	// empty for the campaign's own, and for what belongs to no single one.
	Machine      string   `json:"machine,omitempty"`
	MachineRoles []string `json:"machine_roles,omitempty"`
	Utilisation  float64  `json:"utilisation"` // 0..1
	// Demand is seconds of the resource per unit of work, D = U*m/X (Denning and
	// Buzen, "The Operational Analysis of Queueing Network Models", 1978).
	Demand  float64 `json:"demand"`
	Queue   float64 `json:"queue,omitempty"`   // mean requests waiting or in service
	Servers float64 `json:"servers,omitempty"` // cores, actuators, workers
	// Other is the part of Utilisation that is not the trial's: of a CPU what nothing of the
	// trial accounts for, by neighbours, of a device or network what does not come with the
	// load, at least.
	Other float64 `json:"other,omitempty"`
	// Stolen is the part of a CPU's Utilisation in which the hypervisor ran other guests: what
	// was to run had to wait.
	Stolen float64 `json:"stolen,omitempty"`
	// Throttled is the share of the periods of its CPU limit in which the limit
	// held it back.
	Throttled float64 `json:"throttled,omitempty"`
	// Periods is how many of them there were in which it had work, where the limit is
	// over the whole run.
	Periods float64 `json:"periods,omitempty"`
	// Await is the mean time of a device's request in seconds, waiting included.
	Await float64 `json:"await,omitempty"`
	// Busy is the share of time in which a device had any request under way, or in which all
	// that was there to run waited.
	Busy float64 `json:"busy,omitempty"`
	// ByRate reports that Utilisation is of the bytes/s that a device moves at most, which is
	// nearer than the requests that it serves at once.
	ByRate bool `json:"by_rate,omitempty"`
	// AtRate is describe.Reads or describe.Writes where a device reads or writes about as many
	// bytes/s as it can, whether or not Utilisation is of that.
	AtRate string `json:"-"`
	// Assumed says on what Servers rests where nobody knows it.
	Assumed string `json:"assumed,omitempty"`
	// Uncertain reports that Utilisation is only the most that it can be: the
	// requests' times do not bear out the assumption about Servers.
	Uncertain bool `json:"uncertain,omitempty"`
	// Evidence says in a sentence what the requests' times tell of Servers.
	Evidence string `json:"evidence,omitempty"`

	// Step is what a stage of a way that data take did; missing of all other resources.
	Step *Step `json:"step,omitempty"`

	// Device is what the kernel calls a device.
	Device string `json:"device,omitempty"`
	// Interface is what the kernel calls a network.
	Interface string `json:"-"`

	// Strangers is the part of Utilisation that others are known to have used, at least, whether
	// or not it is enough to be Other; of a CPU with Stolen.
	Strangers float64 `json:"-"`

	// Label is Name in parts, and Whose is who takes a part of a CPU: "php", "db (postgres)".
	Label trial.Label `json:"-"`
	Whose trial.Label `json:"-"`
	// Width is what Evidence says, as numbers.
	Width Width `json:"-"`
	// HoldsBack reports that it holds throughput back; only the JSON in a page has it.
	HoldsBack bool `json:"holds_back,omitempty"`
}

// named gives the resource its name.
func (r Resource) named(l trial.Label) Resource {
	r.Name, r.Label = l.String(), l
	return r
}

// Plain is the name without its bracket, for running text.
func (r Resource) Plain() string {
	if r.Label.Name == "" {
		return r.Name
	}
	return r.Label.Name
}

// Own is the trial's own utilisation. It includes time when the hypervisor ran other
// guests, because the trial wanted the CPU then.
func (r Resource) Own() float64 { return r.Utilisation - r.Other }

// Used is the utilisation that the trial had.
func (r Resource) Used() float64 { return max(0, r.Own()-r.Stolen) }

// OfStorage reports whether storage that limits shows in the resource: the network of a client is
// not the storage's.
func (r Resource) OfStorage() bool {
	return r.Kind.OfStorage() && (r.Kind != Network || result.Host{Roles: r.MachineRoles}.Is(result.StorageRole))
}

// Parallel is how many requests the resource serves at once, at least 1.
func (r Resource) Parallel() int { return int(math.Round(min(max(r.Servers, 1), trial.MostThings))) }

// Drives reports whether the resource belongs to the load generator alone.
func (r Resource) Drives() bool { return kinds[r.Kind].load || r.Only(result.DriverRole) }

// Only reports whether its machine is there for one role.
func (r Resource) Only(role string) bool {
	return r.Machine != "" && result.Host{Roles: r.MachineRoles}.Only(role)
}

func (r Resource) sameRoles(other Resource) bool {
	return slices.Equal(r.MachineRoles, other.MachineRoles)
}

// IsStation reports whether a unit of work queues for the resource by itself: a limit and
// what a gauge counts are occupied while it queues for others, and what a metric of
// an existing Prometheus stands for is not known.
func (r Resource) IsStation() bool { return kinds[r.Kind].station && !r.Uncertain }

// Stage is where on the way from the users to the media the resource belongs.
func (r Resource) Stage() Stage {
	switch stage := kinds[r.Kind].stage; {
	case r.Drives():
		return DriverStage
	case stage != "":
		return stage
	case r.Only(result.StorageRole):
		return StorageStage
	}
	return MachineStage
}

// Remedy is what would show that the resource limits.
func (r Resource) Remedy() Remedy {
	switch remedy := kinds[r.Kind].remedy; {
	case kinds[r.Kind].threads:
		return remedy
	case r.Drives():
		return MoreDrivers
	case remedy == LessCPU && r.Only(result.StorageRole):
		return MoreStorageCPU
	default:
		return remedy
	}
}

// Gain is what so many times as much of the resource does: more CPU is more
// servers, a faster medium is a shorter demand; and so is more of a part of a
// core.
func (r Resource) Gain(factor int) (speed float64, servers int) {
	if kinds[r.Kind].sized || r.Kind == Node && r.Servers < 1 {
		return float64(factor), 1
	}
	return 1, factor
}

// Sort of share that Utilisation is.
type Sort int

// Sorts of shares.
const (
	OfTime     Sort = iota // that the resource is busy
	OfRate                 // of the rate that a device moves at most
	OfParallel             // of the requests that a device serves at once
	OfLimit                // of a storage server's CPU limit
	OfQuota                // of a limit that is said in the name
	OfWaiting              // of the time, in which something waited
)

// Share says what Utilisation is a share of. The kernel calls a
// device busy while one request is in flight, however many it could serve.
func (r Resource) Share() Sort {
	switch {
	case r.ByRate:
		return OfRate
	case r.Kind == Device && r.Servers > 1:
		return OfParallel
	case r.Kind == Node:
		return OfLimit
	case r.Kind.IsQuota():
		return OfQuota
	case r.Kind.IsWaiting():
		return OfWaiting
	}
	return OfTime
}
