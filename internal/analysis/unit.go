package analysis

import (
	"encoding/json"
	"strings"
	"time"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// unit is how throughput is counted: work done per period.
type unit struct {
	name   string
	period time.Duration
	// scale divides bytes; 0 counts orders instead.
	scale float64
}

// workloadUnits are the units of the workloads whose field has one of its
// own; others report orders per second.
var workloadUnits = map[string]string{
	"dvdstore": "OPM",
	"oltp":     "TPS",
	"video":    "MB/s",
	"files":    "MB/s",
	"tpcds":    "queries/h",
	"social":   "ops/s",
}

// unitOf finds the unit: what the caller asks for, else what the workload's
// parameters name, else the workload's usual one.
func unitOf(asked string, w study.Workload) unit {
	for _, name := range []string{asked, parameterText(w.Parameters, "unit"), workloadUnits[w.Name]} {
		if name != "" {
			return parseUnit(name)
		}
	}
	return parseUnit("orders/s")
}

// parseUnit tells the period and what is counted from the unit's name.
func parseUnit(name string) unit {
	u := unit{name: name, period: time.Second}
	switch {
	case name == "OPM", strings.HasSuffix(name, "/min"):
		u.period = time.Minute
	case strings.HasSuffix(name, "/h"):
		u.period = time.Hour
	}
	for prefix, scale := range map[string]float64{"kB/": 1e3, "MB/": 1e6, "GB/": 1e9, "MiB/": 1 << 20} {
		if strings.HasPrefix(name, prefix) {
			u.scale = scale
		}
	}
	return u
}

// throughput of a trial in the unit, over its measured phase; committed work
// only.
func (u unit) throughput(t *result.Trial) float64 {
	seconds := measured(t)
	if seconds <= 0 {
		return 0
	}
	order := t.Operations["order"]
	work := float64(order.Count)
	if u.scale > 0 {
		work = float64(order.Bytes) / u.scale
	}
	return stats.Finite(work / seconds * u.period.Seconds())
}

// perSecond turns a throughput in the unit into orders per second. Where the
// unit counts bytes it needs the trial, so resources use ordersPerSecond.
func ordersPerSecond(t *result.Trial) float64 {
	return stats.Ratio(float64(t.Operations["order"].Count), measured(t))
}

// measured is the length of the measured phase in seconds, 0 when unknown.
func measured(t *result.Trial) float64 {
	if t.MeasureStart.IsZero() || !t.MeasureEnd.After(t.MeasureStart) {
		return 0
	}
	return t.MeasureEnd.Sub(t.MeasureStart).Seconds()
}

// parameterText reads one text parameter of a workload, whatever its type:
// a run read back from disk has maps where the study had structs.
func parameterText(parameters any, key string) string {
	if parameters == nil {
		return ""
	}
	data, err := json.Marshal(parameters)
	if err != nil {
		return ""
	}
	var fields map[string]any
	if json.Unmarshal(data, &fields) != nil {
		return ""
	}
	text, _ := fields[key].(string)
	return text
}
