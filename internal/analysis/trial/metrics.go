package trial

import (
	"math"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Metrics holds the summed telemetry of a trial. What each machine has one of, as a
// CPU, is asked of a Host.
type Metrics struct {
	summed summaries // whatever machine it was measured on
	// byMachine holds the same by machine name. The campaign's machine has the empty name,
	// and so do figures from driver records.
	byMachine map[string]summaries
	// homes are the machines of drivers that were seen on one with a name.
	homes map[string]string
	// servers reports that the trial started some.
	servers bool
}

// summaries is telemetry by kind, name and metric.
type summaries map[string]map[string]map[string]*result.ResourceSummary

func (s summaries) add(r *result.ResourceSummary) {
	names := s[r.Kind]
	if names == nil {
		names = map[string]map[string]*result.ResourceSummary{}
		s[r.Kind] = names
	}
	metrics := names[r.Name]
	if metrics == nil {
		metrics = map[string]*result.ResourceSummary{}
		names[r.Name] = metrics
	}
	metrics[r.Metric] = r
}

// MetricsOf reads the telemetry of a trial; figures that cannot be true are left
// out.
func MetricsOf(t *result.Trial) Metrics {
	m := Metrics{byMachine: map[string]summaries{}, homes: map[string]string{}}
	m.servers = t.Variant.Engine.Name != "" || len(t.Variant.Stack) > 0
	for i := range t.Resources {
		r := &t.Resources[i]
		if _, has := m.homes[r.Name]; r.Kind == describe.DriverKind && r.Machine != "" && !has {
			m.homes[r.Name] = unlessLocal(r.Machine)
		}
		if !known(r) {
			continue
		}
		machine := unlessLocal(r.Machine)
		if m.byMachine[machine] == nil {
			m.byMachine[machine] = summaries{}
		}
		m.byMachine[machine].add(r)
	}
	m.summed = m.ofAll(t)
	return m
}

// ofAll is what was measured on whatever machine: of a single one, what was measured on that.
func (m Metrics) ofAll(t *result.Trial) summaries {
	all := summaries{}
	for _, only := range m.byMachine {
		if len(m.byMachine) == 1 {
			return only
		}
	}
	for i := range t.Resources {
		if r := &t.Resources[i]; known(r) {
			all.add(r)
		}
	}
	return all
}

// known reports whether a figure can be true. One that is not known is not 0.
func known(r *result.ResourceSummary) bool {
	return stats.Plausible(math.Abs(r.Mean)) && stats.Plausible(math.Abs(r.Max))
}

// on gives what was measured on one machine.
func (m Metrics) on(machine string) Metrics {
	return Metrics{summed: m.byMachine[machine], homes: m.homes, servers: m.servers}
}

// Summary of a metric over the measured phase; ok is false where it was not
// sampled.
func (m Metrics) Summary(kind, name, metric string) (r result.ResourceSummary, ok bool) {
	if found := m.summed[kind][name][metric]; found != nil {
		return *found, true
	}
	return r, false
}

// Names lists what has metrics of a kind.
func (m Metrics) Names(kind string) []string { return stats.SortedKeys(m.summed[kind]) }

// Mean of a metric over the measured phase; ok is false where it was not sampled.
func (m Metrics) Mean(kind, name, metric string) (float64, bool) {
	if found := m.summed[kind][name][metric]; found != nil {
		return stats.Finite(found.Mean), true
	}
	return 0, false
}

// Unaccounted is the share of the machine's CPU that nothing of the trial
// accounts for, and that the hypervisor did not give to other guests; not known without the
// CPU of the instances, or of the drivers where there are no servers.
func (m Metrics) Unaccounted(cores float64) (share float64, known bool) {
	busy, ok := m.Mean(describe.CPUKind, "", "utilisation")
	used, known := m.accounted("cpu")
	if !ok || !known || cores <= 0 {
		return 0, false
	}
	stolen, _ := m.Mean(describe.CPUKind, "", "steal")
	return max(0, busy-max(0, stolen)-used/cores), true
}

// Stolen is the share of the machine's CPU in which the hypervisor ran other guests, 0 when none
// is known of.
func Stolen(h Host) float64 {
	stolen, _ := h.Mean(describe.CPUKind, "", "steal")
	return max(0, stolen)
}

// UserBeyond is the share of the machine's CPU that was used by code outside
// the kernel and that nothing of the trial can account for, at least; 0 where it
// is not known.
func (m Metrics) UserBeyond(cores float64) float64 {
	user, known := m.Mean(describe.CPUKind, "", "user")
	nice, _ := m.Mean(describe.CPUKind, "", "nice")
	used, accounted := m.accounted("cpu_user")
	if !known || !accounted || cores <= 0 {
		return 0
	}
	return max(0, user+nice-used/cores)
}

// accounted is the CPU in cores of everything that belongs to the trial, by a metric: all of it or
// what was outside the kernel, which is all of it at most where that was not sampled. It is
// unknown without the CPU of the trial's servers or, if it has none, of its drivers.
func (m Metrics) accounted(metric string) (cores float64, known bool) {
	decisive := describe.DriverKind
	if m.servers {
		decisive = describe.InstanceKind
	}
	for _, kind := range []string{describe.InstanceKind, describe.DriverKind, describe.NodeKind, describe.SelfKind} {
		for _, name := range m.Names(kind) {
			used, ok := m.Mean(kind, name, metric)
			if !ok {
				used, ok = m.Mean(kind, name, "cpu")
			}
			cores += used
			known = known || (ok && kind == decisive)
		}
	}
	return cores, known
}
