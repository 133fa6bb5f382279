package telemetry

import (
	"cmp"
	"sync"
)

// Kinds of series that the sampler makes. result.Collect adds kind
// "operation" and some of kinds "driver" and "instance" from the records of
// the drivers.
const (
	kindMachine  = "machine"
	kindCPU      = "cpu"
	kindPressure = "pressure"
	kindDevice   = "device"
	kindNetwork  = "network"
	kindInstance = "instance"
	kindDriver   = "driver"
	kindNode     = "node"
	// kindContainer is a control group that the whole run is in.
	kindContainer = "container"
	kindSelf      = "self"
	kindGauge     = "gauge"
	kindDaemon    = "daemon"
	// KindMetric is what an existing Prometheus measures, under a name of the
	// study's.
	KindMetric = "metric"
)

// Units of values. A rate is over the time since the sample before.
const (
	unitShare   = "1"     // 0..1; also plain counts
	unitSeconds = "s"     //
	unitBytes   = "B"     //
	unitByteps  = "B/s"   //
	unitIOps    = "IO/s"  // requests a second
	unitPerSec  = "1/s"   //
	unitCores   = "cores" // CPU seconds a second
)

// Metric describes one quantity.
type Metric struct {
	Kind string // as in result.Series
	Name string // result.Series.Metric
	Unit string
	Text string // its meaning and its source
}

// Quantities that are measured elsewhere.
var (
	// kubeletMetrics are those that only the kubelet of a node knows (package kubelet).
	kubeletMetrics = []Metric{
		{kindMachine, "disk_used", unitBytes, "space used of the file system that a node's kubelet keeps its data on"},
		{kindMachine, "disk_utilisation", unitShare, "the same as a share of its size"},
		{kindInstance, "cpu_limit", unitCores, "CPU limit of its container, on Kubernetes"},
		{kindInstance, "cpu_utilisation", unitShare, "cpu as a share of that limit"},
		{kindDriver, "cpu_limit", unitCores, "as of an instance"},
		{kindDriver, "cpu_utilisation", unitShare, "as of an instance"},
	}
	// prometheusMetrics are those of package prometheus alone.
	prometheusMetrics = []Metric{
		{KindMetric, "utilisation", unitShare, "value of a Prometheus query of the study as a share of the capacity that the study gives; the values themselves are under the query's name"},
	}
	// recordMetrics come from the records of drivers (result.Collect).
	recordMetrics = []Metric{
		{kindInstance, "units", unitPerSec, "units of work that ended, as counted by the driver"},
		{kindDriver, "busy", unitCores, "CPU of the driver, as measured by itself"},
		{kindDriver, "late", unitSeconds, "maximum lateness of a user waking up"},
		{kindDriver, "late_mean", unitSeconds, "mean lateness of a user waking up"},
		{kindDriver, "users", unitShare, "users connected"},
		{kindDriver, "backlog", unitShare, "open loop: units of work intended and not yet begun"},
		{"operation", "count", unitPerSec, "operations done; this and those below come from the records of the drivers"},
		{"operation", "rolled_back", unitPerSec, "operations that the application rolled back"},
		{"operation", "errors", unitPerSec, "operations that failed"},
		{"operation", "mean", unitSeconds, "mean response time in that second; unknown if no operation ended"},
		{"operation", "p50", unitSeconds, "its median"},
		{"operation", "p95", unitSeconds, "its 95th percentile"},
		{"operation", "p99", unitSeconds, "its 99th percentile"},
	}
)

// quantity is a metric of a kind.
type quantity struct{ kind, metric string }

// units are the units of all quantities that Metrics lists.
var units = sync.OnceValue(func() map[quantity]string {
	all := map[quantity]string{}
	for _, m := range Metrics() {
		all[quantity{m.Kind, m.Name}] = m.Unit
	}
	return all
})

// Unit is the unit of a quantity that Metrics lists; for any other it is the unit of a
// share.
func Unit(kind, metric string) string {
	return cmp.Or(units()[quantity{kind, metric}], unitShare)
}

// Listed reports whether Metrics lists a quantity.
func Listed(kind, metric string) bool {
	_, ok := units()[quantity{kind, metric}]
	return ok
}
