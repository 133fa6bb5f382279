package trial

import (
	"math"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// Metrics holds the summed telemetry of a trial by kind, name and metric.
type Metrics map[string]map[string]map[string]result.ResourceSummary

// MetricsOf reads the telemetry of a trial; figures that cannot be true are left
// out.
func MetricsOf(t *result.Trial) Metrics {
	m := Metrics{}
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

// Names lists what has metrics of a kind.
func (m Metrics) Names(kind string) []string { return stats.SortedKeys(m[kind]) }

// Mean of a metric over the measured phase; ok is false where it was not sampled.
func (m Metrics) Mean(kind, name, metric string) (float64, bool) {
	r, ok := m[kind][name][metric]
	return stats.Finite(r.Mean), ok
}

// Unaccounted is the share of the machine's CPU that nothing of the trial
// accounts for; not known without the CPU of the instances.
func (m Metrics) Unaccounted(cores float64) (share float64, known bool) {
	busy, ok := m.Mean("cpu", "", "utilisation")
	used, known := m.accounted()
	if !ok || !known || cores <= 0 {
		return 0, false
	}
	return max(0, busy-used/cores), true
}

// UserBeyond is the share of the machine's CPU that was used by code outside
// the kernel and that nothing of the trial can account for, at least; 0 where it
// is not known.
func (m Metrics) UserBeyond(cores float64) float64 {
	user, known := m.Mean("cpu", "", "user")
	nice, _ := m.Mean("cpu", "", "nice")
	used, accounted := m.accounted()
	if !known || !accounted || cores <= 0 {
		return 0
	}
	return max(0, user+nice-used/cores)
}

// accounted is the CPU in cores of everything that belongs to the trial; not
// known without that of the instances.
func (m Metrics) accounted() (cores float64, known bool) {
	for _, kind := range []string{"instance", "driver", "node", "self"} {
		for _, name := range m.Names(kind) {
			used, ok := m.Mean(kind, name, "cpu")
			cores += used
			known = known || (ok && kind == "instance")
		}
	}
	return cores, known
}
