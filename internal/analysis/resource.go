package analysis

import (
	"sort"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// resourcesOf gives what each measured resource did at a rung: the median
// over the repetitions, busiest first.
func resourcesOf(e *trust.Evidence, passed []*result.Trial) []Resource {
	byName := map[string][]Resource{}
	for _, t := range passed {
		for _, r := range trialResources(e, t) {
			byName[r.Name] = append(byName[r.Name], r)
		}
	}
	out := make([]Resource, 0, len(byName))
	for _, all := range byName {
		out = append(out, medianResource(all))
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Utilisation != out[j].Utilisation {
			return out[i].Utilisation > out[j].Utilisation
		}
		return out[i].Name < out[j].Name
	})
	return out
}

func medianResource(all []Resource) Resource {
	middle := func(of func(Resource) float64) float64 {
		values := make([]float64, len(all))
		for i, r := range all {
			values[i] = of(r)
		}
		return stats.Median(stats.FiniteOnly(values))
	}
	r := all[0]
	r.Utilisation = middle(func(r Resource) float64 { return r.Utilisation })
	r.Demand = middle(func(r Resource) float64 { return r.Demand })
	r.Queue = middle(func(r Resource) float64 { return r.Queue })
	r.Other = middle(func(r Resource) float64 { return r.Other })
	r.Throttled = middle(func(r Resource) float64 { return r.Throttled })
	r.Busy = middle(func(r Resource) float64 { return r.Busy })
	r.Await = middle(func(r Resource) float64 { return r.Await })
	return r
}

// trialResources reads the resources of one trial out of its telemetry.
func trialResources(e *trust.Evidence, t *result.Trial) []Resource {
	m, cores := trial.MetricsOf(t), e.Cores
	var out []Resource
	add := func(r Resource, ok bool) {
		if ok {
			r.Utilisation = clamp(stats.Finite(r.Utilisation), 0, 1)
			if r.Demand == 0 {
				r.Demand = demand(r, t)
			}
			out = append(out, r)
		}
	}
	add(machineCPU(e, t, m))
	add(machineMemory(m))
	for _, name := range m.Names("device") {
		add(device(m, name, deviceNamed(t.Devices, name), t))
	}
	for _, name := range m.Names("network") {
		add(network(m, name))
	}
	for _, name := range m.Names("node") {
		add(storageNode(m, name, cores))
	}
	add(driverCPU(t, cores))
	for _, r := range rolesOf(m, t, cores) {
		add(r, true)
	}
	return out
}

// demand is the resource's service demand in seconds per unit of work, by the
// utilisation law D = U*m/X (Denning and Buzen, "The Operational Analysis of
// Queueing Network Models", Computing Surveys 10(3), 1978). Memory is space,
// not time, and has none.
func demand(r Resource, t *result.Trial) float64 {
	if r.Kind == "memory" {
		return 0
	}
	return stats.Ratio(r.own()*max(r.Servers, 1), trial.UnitsPerSecond(t))
}

// machineCPU is the CPU of the whole machine, with what of it is a
// neighbour's.
func machineCPU(e *trust.Evidence, t *result.Trial, m trial.Metrics) (Resource, bool) {
	busy, ok := m.Mean("cpu", "", "utilisation")
	queue, _ := m.Mean("machine", "", "run_queue")
	r := Resource{Name: "CPU", Kind: "cpu", Utilisation: busy, Queue: queue, Servers: max(e.Cores, 1)}
	r.Other = min(e.Neighbours(t, m), busy)
	return r, ok
}

// own is the utilisation that is the trial's.
func (r Resource) own() float64 { return r.Utilisation - r.Other }

func machineMemory(m trial.Metrics) (Resource, bool) {
	used, ok := m.Mean("machine", "", "memory_utilisation")
	return Resource{Name: "memory", Kind: "memory", Utilisation: used}, ok
}

func network(m trial.Metrics, name string) (Resource, bool) {
	busy, ok := m.Mean("network", name, "utilisation")
	return Resource{Name: "network " + name, Kind: "network", Utilisation: busy, Servers: 1}, ok
}

// storageNode is a storage server, against its own CPU limit; or, where it has
// none, a process among others (a simulated medium is one) whose CPU is a part
// of the machine's.
func storageNode(m trial.Metrics, name string, cores float64) (Resource, bool) {
	r := Resource{Name: "CPU of " + name, Kind: "node"}
	if busy, ok := m.Mean("node", name, "cpu_utilisation"); ok {
		limit, _ := m.Mean("node", name, "cpu_limit")
		r.Utilisation, r.Servers = busy, limit
		r.Throttled, _ = m.Mean("node", name, "throttled_periods")
		return r, true
	}
	used, ok := m.Mean("node", name, "cpu")
	r.Kind, r.Utilisation, r.Servers = "process", stats.Ratio(used, cores), cores
	return r, ok && cores > 0
}

// driverCPU is what the load itself costs: the share of the machine that the
// drivers take, or of one core each where the machine is not known.
func driverCPU(t *result.Trial, cores float64) (Resource, bool) {
	used := 0.0
	for _, d := range t.Drivers {
		used += stats.Finite(d.CPUUser) + stats.Finite(d.CPUSystem)
	}
	servers := cores
	if servers == 0 {
		servers = float64(len(t.Drivers))
	}
	busy := stats.Ratio(used, trial.Seconds(t)*servers)
	return Resource{Name: "driver CPU", Kind: "driver", Utilisation: busy, Servers: servers}, len(t.Drivers) > 0 && trial.Seconds(t) > 0
}

func clamp(v, low, high float64) float64 { return max(low, min(high, v)) }

// plainName drops the bracket from a resource's name for running text.
func plainName(r Resource) string {
	name, _, _ := strings.Cut(r.Name, " (")
	return name
}
