package resource

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// BlindSpots is where a bottleneck could hide because nothing of it was measured.
type BlindSpots struct {
	CPU     bool // the machine's
	Storage bool // its devices, servers and network
	// Machines are those that trials list and that no trial has a sample of.
	Machines []string
	// Links moved so much that they may be full, and nothing says how much they can; the one
	// that moved most comes first.
	Links []Link
	// Swapped reports that memory was full and swap in use, and nothing says how long work
	// waited for that.
	Swapped bool
	// Cores reports that the utilisation of the busiest core of a multi-core machine was
	// not measured, Pressure that the time spent waiting for CPU, memory or I/O was not.
	// Neither is a whole resource, so they leave open only the meaning of waiting.
	Cores, Pressure bool
}

// Link is an interface whose speed is not known.
type Link struct {
	Network Resource
	Rate    float64 // bytes/s in the busier direction, the median over trials
}

// Any reports whether there is such a place.
func (u BlindSpots) Any() bool {
	return u.CPU || u.Storage || u.Swapped || len(u.Machines) > 0 || len(u.Links) > 0
}

// LeftOpen is what the trials of a rung do not tell of the machines that they had.
func LeftOpen(e *trust.Evidence, passed []*result.Trial) (u BlindSpots) {
	seen, links, swapped := map[string]bool{}, map[string][]Link{}, 0
	for _, t := range passed {
		for _, h := range trial.MetricsOf(t).Hosts(t, e.Cores) {
			seen[h.Name] = seen[h.Name] || h.Sampled()
			for _, l := range linksOf(h) {
				links[l.Network.Name] = append(links[l.Network.Name], l)
			}
			u.Cores, u.Pressure = u.Cores || withoutCores(h), u.Pressure || h.Sampled() && len(h.Names(describe.PressureKind)) == 0
			if swaps(h) {
				swapped++
			}
		}
	}
	for name, sampled := range seen {
		if !sampled && name != "" {
			u.Machines = append(u.Machines, name)
		}
	}
	slices.Sort(u.Machines)
	u.Links = mayBeFull(links)
	u.Swapped = 2*swapped > len(passed)
	return u
}

// Beside adds the uncertainty that the measured resources leave.
func (u BlindSpots) Beside(resources []Resource) BlindSpots {
	u.CPU, u.Storage = true, true
	for _, r := range resources {
		u.CPU = u.CPU && r.Kind != CPU
		u.Storage = u.Storage && !r.OfStorage()
	}
	return u
}

// slowest is what a link of 100 Mbit/s, the slowest that is common, moves when it is full, in
// bytes/s: an interface that moves less is not taken to be full, whatever its speed.
const slowest = Saturated * 100e6 / 8

// inSoftware are how Linux calls interfaces that end on the machine itself, and so have no
// speed: what they move is limited by the CPU.
var inSoftware = []string{"lo", "veth", "docker", "br-", "virbr", "cni", "cali", "flannel", "cilium", "lxc", "tun", "tap", "vxlan", "dummy", "ifb"}

// linksOf are the interfaces of a machine whose speed is not known.
func linksOf(h trial.Host) (all []Link) {
	for _, name := range h.Names(describe.NetworkKind) {
		if _, known := h.Mean(describe.NetworkKind, name, "utilisation"); known || software(name) {
			continue
		}
		sent, _ := h.Mean(describe.NetworkKind, name, "send_bytes")
		received, _ := h.Mean(describe.NetworkKind, name, "receive_bytes")
		r := Resource{Kind: Network, Interface: name, Machine: h.Name}.named(h.Of(trial.Called("network " + name)))
		all = append(all, Link{r, max(sent, received)})
	}
	return all
}

// software reports whether an interface ends on the machine. A storage server's interfaces
// do if it has its own network namespace.
func software(name string) bool {
	begins := func(with string) bool { return strings.HasPrefix(name, with) }
	return strings.Contains(name, "/") || slices.ContainsFunc(inSoftware, begins)
}

// mayBeFull are those that moved enough, the most first.
func mayBeFull(links map[string][]Link) (all []Link) {
	for _, name := range stats.SortedKeys(links) {
		l, rates := links[name][0], make([]float64, len(links[name]))
		for i, one := range links[name] {
			rates[i] = one.Rate
		}
		if l.Rate = stats.MedianOf(rates); l.Rate >= slowest {
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(a, b Link) int { return cmp.Compare(b.Rate, a.Rate) })
	return all
}

// withoutCores reports whether a machine of several cores was measured as a whole alone.
func withoutCores(h trial.Host) bool {
	_, each := h.Mean(describe.CPUKind, "", "core_max")
	_, whole := h.Mean(describe.CPUKind, "", "utilisation")
	return whole && !each && h.Cores != 1
}

// memoryFull is the share of a machine's memory from which the next page has to come from
// somewhere.
const memoryFull = 0.95

// swaps reports whether a machine has swapped for want of memory without a measurement of
// how long work waited for it.
func swaps(h trial.Host) bool {
	_, known := h.Mean(describe.PressureKind, "memory", "some")
	used, _ := h.Mean(describe.MachineKind, "", "memory_utilisation")
	swapped, _ := h.Mean(describe.MachineKind, "", "swap_used")
	return !known && used >= memoryFull && swapped > 0
}
