package analysis

import (
	"math"
	"sort"
	"strings"
	"time"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// resourcesOf gives what each measured resource did at a rung: the median
// over the repetitions, busiest first.
func (s *subject) resourcesOf(passed []*result.Trial) []Resource {
	byName := map[string][]Resource{}
	for _, t := range passed {
		for _, r := range s.trialResources(t) {
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
func (s *subject) trialResources(t *result.Trial) []Resource {
	m, cores := metricsOf(t), s.cores
	var out []Resource
	add := func(r Resource, ok bool) {
		if ok {
			r.Utilisation = clamp(stats.Finite(r.Utilisation), 0, 1)
			r.Demand = demand(r, t)
			out = append(out, r)
		}
	}
	add(s.machineCPU(t, m))
	add(machineMemory(m))
	for _, name := range m.names("device") {
		add(device(m, name, deviceNamed(t.Devices, name), t))
	}
	for _, name := range m.names("network") {
		add(network(m, name))
	}
	for _, name := range m.names("node") {
		add(storageNode(m, name, cores))
	}
	add(driverCPU(t, cores))
	add(instanceQuota(m, t))
	return out
}

// demand is the resource's service demand in seconds per order, by the
// utilisation law D = U*m/X (Denning and Buzen, "The Operational Analysis of
// Queueing Network Models", Computing Surveys 10(3), 1978). Memory is space,
// not time, and has none.
func demand(r Resource, t *result.Trial) float64 {
	if r.Kind == "memory" {
		return 0
	}
	return stats.Ratio(r.own()*max(r.Servers, 1), ordersPerSecond(t))
}

// metrics holds the summed telemetry of a trial by kind, name and metric.
type metrics map[string]map[string]map[string]result.ResourceSummary

func metricsOf(t *result.Trial) metrics {
	m := metrics{}
	for _, r := range t.Resources {
		if !stats.Plausible(math.Abs(r.Mean)) || !stats.Plausible(math.Abs(r.Max)) {
			continue // not known is not 0
		}
		if m[r.Kind] == nil {
			m[r.Kind] = map[string]map[string]result.ResourceSummary{}
		}
		if m[r.Kind][r.Name] == nil {
			m[r.Kind][r.Name] = map[string]result.ResourceSummary{}
		}
		m[r.Kind][r.Name][r.Metric] = r
	}
	return m
}

func (m metrics) names(kind string) []string { return stats.SortedKeys(m[kind]) }

func (m metrics) mean(kind, name, metric string) (float64, bool) {
	r, ok := m[kind][name][metric]
	return stats.Finite(r.Mean), ok
}

// machineCPU is the CPU of the whole machine, with what of it is a
// neighbour's.
func (s *subject) machineCPU(t *result.Trial, m metrics) (Resource, bool) {
	busy, ok := m.mean("cpu", "", "utilisation")
	queue, _ := m.mean("machine", "", "run_queue")
	r := Resource{Name: "CPU", Kind: "cpu", Utilisation: busy, Queue: queue, Servers: max(s.cores, 1)}
	if other, known := m.unaccounted(s.cores); known && other >= s.foreign(t, m, other) {
		r.Other = min(other, busy)
	}
	return r, ok
}

// unaccounted is the share of the machine's CPU that nothing of the trial
// accounts for; not known without the CPU of the instances.
func (m metrics) unaccounted(cores float64) (share float64, known bool) {
	busy, ok := m.mean("cpu", "", "utilisation")
	used, known := m.accounted()
	if !ok || !known || cores <= 0 {
		return 0, false
	}
	return max(0, busy-used/cores), true
}

// Shares of the machine's CPU from which what nothing accounts for is taken to
// be a neighbour's: in general, and where it may be the kernel's work for the
// storage, which has no process of its own.
const (
	foreignBefore = 0.25
	foreignAlone  = 0.6
)

// foreign is the share that applies to a trial. The kernel is to blame for less
// than foreignAlone only where it does work for the storage, where that work is
// not in user code, and where it was not there before the load began.
func (s *subject) foreign(t *result.Trial, m metrics, other float64) float64 {
	if other < foreignBefore || !kernelWorks(t, m) || m.userBeyond(s.cores) >= foreignBefore {
		return foreignBefore
	}
	if before, known := s.busyBefore(t); known && before >= other/2 {
		return foreignBefore
	}
	return foreignAlone
}

// kernelWorks says that the storage has threads of the kernel to work for it on
// this machine: those of loop devices, or of the network to its servers. A local
// file system works in the processes that write.
func kernelWorks(t *result.Trial, m metrics) bool {
	if len(m.names("node")) > 0 {
		return true
	}
	for _, d := range t.Devices {
		if d.Owner != "" || strings.HasPrefix(d.Name, "loop") {
			return true
		}
	}
	return false
}

// userBeyond is the share of the machine's CPU that was used by code outside
// the kernel and that nothing of the trial can account for, at least; 0 where it
// is not known.
func (m metrics) userBeyond(cores float64) float64 {
	user, known := m.mean("cpu", "", "user")
	nice, _ := m.mean("cpu", "", "nice")
	used, accounted := m.accounted()
	if !known || !accounted || cores <= 0 {
		return 0
	}
	return max(0, user+nice-used/cores)
}

// busyBefore is the machine's utilisation in the last samples before the
// common start, when instances are ready and idle.
func (s *subject) busyBefore(t *result.Trial) (share float64, known bool) {
	if s.run.Dir == "" {
		return 0, false
	}
	type answer struct {
		share float64
		known bool
	}
	if a, ok := s.before.Load(t.ID); ok {
		return a.(answer).share, a.(answer).known
	}
	share, known = s.readBusyBefore(t)
	s.before.Store(t.ID, answer{share, known})
	return share, known
}

func (s *subject) readBusyBefore(t *result.Trial) (share float64, known bool) {
	all, err := s.run.Series(t.ID, "cpu")
	if err != nil {
		return 0, false
	}
	for _, series := range all {
		if series.Metric == "utilisation" && series.Kind == "cpu" {
			before := stats.FiniteOnly(series.Between(math.MinInt64, startSlack.Milliseconds()))
			return stats.Mean(before), len(before) > 0
		}
	}
	return 0, false
}

// startSlack is how much after the common start a sample may be taken and
// still tell of the time before.
const startSlack = 100 * time.Millisecond

// accounted is the CPU in cores of everything that belongs to the trial; not
// known without that of the instances.
func (m metrics) accounted() (cores float64, known bool) {
	for _, kind := range []string{"instance", "driver", "node", "self"} {
		for _, name := range m.names(kind) {
			used, ok := m.mean(kind, name, "cpu")
			cores += used
			known = known || (ok && kind == "instance")
		}
	}
	return cores, known
}

// own is the utilisation that is the trial's.
func (r Resource) own() float64 { return r.Utilisation - r.Other }

func machineMemory(m metrics) (Resource, bool) {
	used, ok := m.mean("machine", "", "memory_utilisation")
	return Resource{Name: "memory", Kind: "memory", Utilisation: used}, ok
}

func network(m metrics, name string) (Resource, bool) {
	busy, ok := m.mean("network", name, "utilisation")
	return Resource{Name: "network " + name, Kind: "network", Utilisation: busy, Servers: 1}, ok
}

// storageNode is a storage server, against its own CPU limit; or, where it has
// none, a process among others (a simulated medium is one) whose CPU is a part
// of the machine's.
func storageNode(m metrics, name string, cores float64) (Resource, bool) {
	r := Resource{Name: "CPU of " + name, Kind: "node"}
	if busy, ok := m.mean("node", name, "cpu_utilisation"); ok {
		limit, _ := m.mean("node", name, "cpu_limit")
		r.Utilisation, r.Servers = busy, limit
		r.Throttled, _ = m.mean("node", name, "throttled_periods")
		return r, true
	}
	used, ok := m.mean("node", name, "cpu")
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
	busy := stats.Ratio(used, measured(t)*servers)
	return Resource{Name: "driver CPU", Kind: "driver", Utilisation: busy, Servers: servers}, len(t.Drivers) > 0 && measured(t) > 0
}

// instanceQuota is the instance that comes closest to its own CPU limit.
func instanceQuota(m metrics, t *result.Trial) (Resource, bool) {
	if !t.Engine.Limited || !stats.Plausible(t.Engine.CPU) || t.Engine.CPU == 0 {
		return Resource{}, false
	}
	busiest, throttled := 0.0, 0.0
	for _, name := range m.names("instance") {
		used, _ := m.mean("instance", name, "cpu")
		held, _ := m.mean("instance", name, "throttled_periods")
		busiest, throttled = max(busiest, used), max(throttled, held)
	}
	r := Resource{Name: "CPU limit of an instance", Kind: "quota", Utilisation: stats.Ratio(busiest, t.Engine.CPU), Servers: t.Engine.CPU, Throttled: throttled}
	return r, busiest > 0
}

func clamp(v, low, high float64) float64 { return max(low, min(high, v)) }

// plainName drops the bracket from a resource's name for running text.
func plainName(r Resource) string {
	name, _, _ := strings.Cut(r.Name, " (")
	return name
}
