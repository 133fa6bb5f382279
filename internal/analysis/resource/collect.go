package resource

import (
	"sort"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Collect gives what each measured resource did at a rung: the median
// over the repetitions, busiest first. For threads and waits that do not limit, the machine
// that they are on stands.
func Collect(e *trust.Evidence, passed []*result.Trial) []Resource {
	byName := map[string][]Resource{}
	for _, t := range passed {
		for _, r := range OfTrial(e, t) {
			byName[r.Name] = append(byName[r.Name], r)
		}
	}
	out := make([]Resource, 0, len(byName))
	for _, all := range byName {
		if r := medianResource(all); !r.Kind.OnlyLimiting() || r.Limits() {
			out = append(out, r)
		}
	}
	out = append(out, stepsOf(passed)...)
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
	r.Stolen = middle(func(r Resource) float64 { return r.Stolen })
	r.Strangers = middle(func(r Resource) float64 { return r.Strangers })
	r.Throttled = middle(func(r Resource) float64 { return r.Throttled })
	r.Periods = middle(func(r Resource) float64 { return r.Periods })
	r.Busy = middle(func(r Resource) float64 { return r.Busy })
	r.Await = middle(func(r Resource) float64 { return r.Await })
	return r
}

// OfTrial reads the resources of one trial out of its telemetry.
func OfTrial(e *trust.Evidence, t *result.Trial) []Resource {
	m := trial.MetricsOf(t)
	var out []Resource
	cores := 0.0
	for _, h := range m.Hosts(t, e.Cores) {
		for _, r := range hostResources(e, t, h) {
			out = append(out, sound(r, t))
		}
		if len(h.Names(describe.InstanceKind)) > 0 {
			cores += h.Cores
		}
	}
	for _, r := range append(driverQuotas(m), rolesOf(m, t, cores)...) {
		out = append(out, sound(r, t))
	}
	return out
}

// sound bounds a utilisation and sets the demand that follows from it.
func sound(r Resource, t *result.Trial) Resource {
	r.Utilisation = clamp(stats.Finite(r.Utilisation), 0, 1)
	if r.Demand == 0 {
		r.Demand = demand(r, t)
	}
	return r
}

// hostResources lists the resources of one machine.
func hostResources(e *trust.Evidence, t *result.Trial, h trial.Host) (all []Resource) {
	add := func(r Resource, ok bool) {
		if ok {
			r.Machine = h.Name
			if h.Name != "" {
				r.MachineRoles = h.Roles
			}
			all = append(all, r)
		}
	}
	add(machineCPU(e, t, h))
	add(fullCore(h))
	add(machineMemory(h))
	add(memoryWait(h))
	for _, name := range h.Names(describe.DeviceKind) {
		add(device(h, name, t))
	}
	for _, name := range h.Names(describe.NetworkKind) {
		add(network(h, name))
	}
	for _, name := range h.Names(describe.NodeKind) {
		add(storageNode(h, name))
	}
	for _, name := range h.Names(describe.MetricKind) {
		add(metric(h, name))
	}
	for _, name := range h.Names(describe.ContainerKind) {
		add(containerQuota(t, h, name))
		add(containerMemory(h, name))
	}
	add(driverCPU(t, h))
	add(driverThreads(t, h))
	return all
}

// demand is the resource's service demand in seconds per unit of work, by the
// utilisation law D = U*m/X (Denning and Buzen, "The Operational Analysis of
// Queueing Network Models", Computing Surveys 10(3), 1978). Memory is space,
// not time, and has none.
func demand(r Resource, t *result.Trial) float64 {
	if r.Kind.IsSpace() || r.Kind.IsWaiting() {
		return 0
	}
	return stats.Ratio(r.Used()*max(r.Servers, 1), trial.UnitsPerSecond(t))
}

// machineCPU is the CPU of a whole machine, with what of it is a neighbour's.
func machineCPU(e *trust.Evidence, t *result.Trial, h trial.Host) (Resource, bool) {
	busy, ok := h.Mean(describe.CPUKind, "", "utilisation")
	queue, _ := h.Mean(describe.MachineKind, "", "run_queue")
	r := Resource{Kind: CPU, Utilisation: busy, Queue: queue, Servers: max(h.Cores, 1)}.named(h.Whole("CPU"))
	r.Stolen = clamp(trial.Stolen(h), 0, busy)
	r.Other = min(e.Machines.Share(t, h), busy-r.Stolen)
	r.Strangers = min(e.Machines.Strangers(t, h), busy)
	return r, ok
}

func machineMemory(h trial.Host) (Resource, bool) {
	used, ok := h.Mean(describe.MachineKind, "", "memory_utilisation")
	return Resource{Kind: Memory, Utilisation: used}.named(h.Whole("memory")), ok
}

func network(h trial.Host, name string) (Resource, bool) {
	busy, ok := h.Mean(describe.NetworkKind, name, "utilisation")
	return Resource{Kind: Network, Interface: name, Utilisation: busy, Servers: 1}.named(h.Of(trial.Called("network " + name))), ok
}

// metric is a quantity whose capacity an existing Prometheus reports.
func metric(h trial.Host, name string) (Resource, bool) {
	busy, ok := h.Mean(describe.MetricKind, name, "utilisation")
	return Resource{Kind: Metric, Utilisation: busy, Servers: 1}.named(h.Of(trial.ReadLabel(name))), ok
}

// storageNode is a storage server, against its own CPU limit; or, where it has
// none, a process among others (a simulated medium is one) whose CPU is a part
// of the machine's.
func storageNode(h trial.Host, name string) (Resource, bool) {
	r := Resource{Kind: Node, Whose: trial.Called(name)}.named(trial.Called("CPU of " + name))
	if busy, ok := h.Mean(describe.NodeKind, name, "cpu_utilisation"); ok {
		limit, _ := h.Mean(describe.NodeKind, name, "cpu_limit")
		r.Utilisation, r.Servers = busy, limit
		r.Throttled, _ = h.Mean(describe.NodeKind, name, "throttled_periods")
		return r, true
	}
	used, ok := h.Mean(describe.NodeKind, name, "cpu")
	r.Kind, r.Utilisation, r.Servers = Process, stats.Ratio(used, h.Cores), h.Cores
	return r, ok && h.Cores > 0
}

// driverCPU is what the load itself costs on a machine: the share of it that the
// drivers take, or of one core each where the machine is not known.
func driverCPU(t *result.Trial, h trial.Host) (Resource, bool) {
	drivers := len(trial.DriversOn(t, h))
	servers := h.Cores
	if servers == 0 {
		servers = float64(drivers)
	}
	busy := stats.Ratio(trial.DriversUsed(t, h), trial.Seconds(t)*servers)
	return Resource{Kind: Driver, Whose: trial.Called("the driver"), Utilisation: busy, Servers: servers}.named(driverName(h)), drivers > 0 && trial.Seconds(t) > 0
}

// driverThreads are the threads that users can run on, where the machine has more cores: a
// single user is never faster than one of them.
func driverThreads(t *result.Trial, h trial.Host) (Resource, bool) {
	threads, waiting := trial.DriverThreads(t, h)
	r, name := Resource{Kind: UserThreads, Servers: threads}, "CPU of the users' threads"
	if waiting {
		r.Kind, name = DriverThreads, "CPU of the driver's threads"
	}
	r.Utilisation = stats.Ratio(trial.DriversUsed(t, h), trial.Seconds(t)*threads)
	return r.named(h.Of(trial.Called(name))), threads > 0 && trial.Seconds(t) > 0
}

func driverName(h trial.Host) trial.Label {
	if h.Name == "" {
		return trial.Called("driver CPU")
	}
	return trial.Called("driver CPU on node " + h.Name)
}

// driverQuotas are the CPU limits of drivers that have one.
func driverQuotas(m trial.Metrics) (all []Resource) {
	for _, name := range m.Names(describe.DriverKind) {
		if busy, ok := m.Mean(describe.DriverKind, name, "cpu_utilisation"); ok {
			r := Resource{Kind: DriverQuota, Utilisation: busy}.named(trial.Called("CPU limit of " + name))
			r.Servers, _ = m.Mean(describe.DriverKind, name, "cpu_limit")
			r.Throttled, _ = m.Mean(describe.DriverKind, name, "throttled_periods")
			all = append(all, r)
		}
	}
	return all
}

func clamp(v, low, high float64) float64 { return max(low, min(high, v)) }
