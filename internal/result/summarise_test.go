package result

import (
	"testing"
	"time"

	"plimsoll/internal/describe"
)

// A name that sessions waited for late in the phase was waited for by nobody before.
func TestNamedWaitsAreOverAllLists(t *testing.T) {
	start := time.UnixMilli(1_700_000_000_000)
	series := func(kind, name, metric string, times []int64, values ...float64) Series {
		return Series{Kind: kind, Name: name, Metric: metric, Start: start.UnixMilli(), Times: times, Values: values}
	}
	all := Summarise([]Series{
		series(describe.TimeKind, "db-000", describe.SessionsMetric, []int64{1000, 2000, 3000, 4000}, 8, 8, 8, 8),
		series(describe.WaitKind, "db-000/WAL flush", "device_wait", []int64{4000}, 6),
		series(describe.WaitKind, "db-001/WAL flush", "device_wait", []int64{4000}, 6),
	}, start, start.Add(4*time.Second))
	for name, want := range map[string]float64{"db-000": 8, "db-000/WAL flush": 1.5, "db-001/WAL flush": 6} {
		for _, r := range all {
			if r.Name == name && r.Mean != want {
				t.Errorf("%s: %v, want %v", name, r.Mean, want)
			}
		}
	}
	if len(all) != 3 {
		t.Errorf("%d summaries", len(all))
	}
}
