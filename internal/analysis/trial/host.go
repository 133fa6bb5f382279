package trial

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Host is a machine of a trial and its measurements. The campaign's own machine has no name
// here, because it is the default.
type Host struct {
	result.Host
	Metrics
}

// Hosts are the machines of a trial: those that it lists, and any other that
// something was measured on; the campaign's own comes first. ownCores is how many
// cores that one has, 0 when not known.
func (m Metrics) Hosts(t *result.Trial, ownCores float64) []Host {
	listed := map[string]result.Host{}
	for _, h := range t.Machines {
		h.Name = unlessLocal(h.Name)
		if !stats.Plausible(h.Cores) {
			h.Cores = 0
		}
		listed[h.Name] = h
	}
	if own, is := listed[""]; is || len(t.Machines) == 0 {
		if ownCores > 0 {
			own.Cores = ownCores
		}
		listed[""] = own
	}
	names := stats.SortedKeys(listed)
	for name := range m.byMachine {
		if _, known := listed[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	hosts := make([]Host, len(names))
	for i, name := range names {
		h := listed[name]
		h.Name = name
		hosts[i] = Host{h, m.on(name)}
	}
	return hosts
}

func unlessLocal(machine string) string {
	if machine == result.LocalMachine {
		return ""
	}
	return machine
}

// Has reports whether something was measured on the machine, by what Series and
// ResourceSummary call it.
func (h Host) Has(machine string) bool { return unlessLocal(machine) == h.Name }

// Sampled reports whether something of the machine itself was measured, rather than of what
// ran there.
func (h Host) Sampled() bool {
	for _, kind := range []string{describe.CPUKind, describe.MachineKind, describe.DeviceKind, describe.NetworkKind, describe.NodeKind, describe.MetricKind} {
		if len(h.Names(kind)) > 0 {
			return true
		}
	}
	return false
}

// Called is how running text calls the machine: "node worker-2", "the machine".
func (h Host) Called() string {
	if h.Name == "" {
		return "the machine"
	}
	return "node " + h.Name
}

// Whole names what a machine has one of: "CPU of node worker-2 (storage)", and "CPU of the
// machine" on the campaign's own.
func (h Host) Whole(part string) Label {
	if h.Name == "" {
		return Called(part + " of the machine")
	}
	return h.Of(Called(part))
}

// Of names one of several parts of the machine: "disk sdb of node worker-2 (hdd)"; just
// "disk sdb (hdd)" on the campaign's own. What has no bracket gets the machine's roles.
func (h Host) Of(part Label) Label {
	if h.Name == "" {
		return part
	}
	return Label{
		Name:    part.Name + " of node " + h.Name,
		Bracket: cmp.Or(part.Bracket, strings.Join(h.Roles, ", ")),
	}
}

// DriversOn are the drivers that ran on a machine, as its kernel saw them; those
// that were seen nowhere are on the only machine that has drivers, or else on one
// without a name.
func DriversOn(t *result.Trial, h Host) (on []result.DriverSummary) {
	unseen := onlyDriverMachine(t)
	for _, d := range t.Drivers {
		home, seen := h.homes[d.Name]
		if !seen {
			home = unseen
		}
		if home == h.Name {
			on = append(on, d)
		}
	}
	return on
}

// DriversUsed is the CPU time of the drivers on a machine in seconds.
func DriversUsed(t *result.Trial, h Host) float64 { return cpuOf(DriversOn(t, h)) }

// LoadMade is the CPU time in seconds that the drivers on a machine used to make their load:
// all, or where they work on a volume by system calls of their own, that outside the kernel.
func LoadMade(t *result.Trial, h Host) (used float64) {
	if !t.Profile.OnVolume {
		return DriversUsed(t, h)
	}
	for _, d := range DriversOn(t, h) {
		used += stats.Finite(d.CPUUser)
	}
	return used
}

// cpuOf is the CPU time of drivers in seconds.
func cpuOf(drivers []result.DriverSummary) (used float64) {
	for _, d := range drivers {
		used += stats.Finite(d.CPUUser) + stats.Finite(d.CPUSystem)
	}
	return used
}

// DriverThreads are the cores that the users on a machine could use at once, where those
// are fewer than it has: a user does one thing after the other, and a driver has only so
// many threads. Users of a driver with fewer threads wait for each other. 0 says that they
// could use all, or that nobody knows.
func DriverThreads(t *result.Trial, h Host) (threads float64, waiting bool) {
	for _, d := range DriversOn(t, h) {
		if d.Threads <= 0 || d.Users <= 0 {
			return 0, false
		}
		threads += float64(min(d.Threads, d.Users))
		waiting = waiting || d.Users > d.Threads
	}
	if threads >= h.Cores {
		return 0, false
	}
	return threads, waiting
}

// onlyDriverMachine is the only machine that has drivers; without a name where there are
// several.
func onlyDriverMachine(t *result.Trial) string {
	var able []string
	for _, h := range t.Machines {
		if h.Is(result.DriverRole) {
			able = append(able, unlessLocal(h.Name))
		}
	}
	if len(able) == 1 {
		return able[0]
	}
	return ""
}

// Bounds of what the busy time of a device and its requests in flight may say together:
// more of these whenever it was busy than the queue of one drive is deep, twice over (32
// of SATA's native command queueing).
const (
	mostInFlight  = 64
	leastInFlight = 1
	hardlyBusy    = 0.5 // a device that is busy for longer may well have a long queue
)

// Contradict reports whether the share of the time in which a device was busy and the mean number
// of requests in flight cannot both be true of a steady load: requests are in flight only
// while it is busy (Little's law over its busy time).
func Contradict(busy, inFlight float64) bool {
	return busy < hardlyBusy && inFlight >= leastInFlight && inFlight > mostInFlight*busy
}
