package telemetry

import (
	"cmp"
	"sync"

	"plimsoll/internal/describe"
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
		{describe.MachineKind, "disk_used", unitBytes, "space used of the file system that a node's kubelet keeps its data on"},
		{describe.MachineKind, "disk_utilisation", unitShare, "the same as a share of its size"},
		{describe.InstanceKind, "cpu_limit", unitCores, "CPU limit of its container, on Kubernetes"},
		{describe.InstanceKind, "cpu_utilisation", unitShare, "cpu as a share of that limit"},
		{describe.DriverKind, "cpu_limit", unitCores, "as of an instance"},
		{describe.DriverKind, "cpu_utilisation", unitShare, "as of an instance"},
	}
	// prometheusMetrics are those of package prometheus alone.
	prometheusMetrics = []Metric{
		{describe.MetricKind, "utilisation", unitShare, "value of a Prometheus query of the study as a share of the capacity that the study gives; the values themselves are under the query's name"},
	}
	// recordMetrics come from the records of drivers (result.Collect).
	recordMetrics = []Metric{
		{describe.InstanceKind, "units", unitPerSec, "units of work that ended, as counted by the driver"},
		{describe.DriverKind, "busy", unitCores, "CPU of the driver, as measured by itself"},
		{describe.DriverKind, "late", unitSeconds, "maximum lateness of a user waking up"},
		{describe.DriverKind, "late_mean", unitSeconds, "mean lateness of a user waking up"},
		{describe.DriverKind, "users", unitShare, "users connected"},
		{describe.DriverKind, "backlog", unitShare, "open loop: units of work intended and not yet begun"},
		{describe.OperationKind, "count", unitPerSec, "operations done; this and those below come from the records of the drivers"},
		{describe.OperationKind, "rolled_back", unitPerSec, "operations that the application rolled back"},
		{describe.OperationKind, "errors", unitPerSec, "operations that failed"},
		{describe.OperationKind, "mean", unitSeconds, "mean response time in that second; unknown if no operation ended"},
		{describe.OperationKind, "p50", unitSeconds, "its median"},
		{describe.OperationKind, "p95", unitSeconds, "its 95th percentile"},
		{describe.OperationKind, "p99", unitSeconds, "its 99th percentile"},
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
