package analysistest

import (
	"math"
	"time"

	"pgregory.net/rapid"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
)

// hostile draws numbers that a hand-edited file may hold.
func hostile(r *rapid.T, name string) float64 {
	special := []float64{0, -1, 1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e300}
	if rapid.Bool().Draw(r, name+" is special") {
		return rapid.SampledFrom(special).Draw(r, name)
	}
	return rapid.Float64Range(0, 1e6).Draw(r, name)
}

func hostileTrial(r *rapid.T, i int) *result.Trial {
	name := rapid.SampledFrom([]string{"a", "b", ""}).Draw(r, "variant")
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	t := &result.Trial{
		ID: name + "/" + string(rune('a'+i)), Rung: rapid.IntRange(-2, 200).Draw(r, "rung"), Repetition: rapid.IntRange(-1, 3).Draw(r, "repetition"),
		Variant: study.Variant{Name: name, Factors: map[string]string{"storage": name}, Application: study.Application{Load: study.Load{Users: rapid.IntRange(-3, 100).Draw(r, "users"), ThinkTime: unit.Duration(rapid.Int64Range(-1, 1e10).Draw(r, "think"))}}},
		Status:  rapid.SampledFrom([]result.Status{result.Passed, result.Failed, "odd"}).Draw(r, "status"),
		Start:   start, MeasureStart: start, MeasureEnd: start.Add(time.Duration(rapid.Int64Range(-1, 600).Draw(r, "length")) * time.Second),
		Part:    result.Part{Profile: rapid.SampledFrom([]describe.Profile{Orders(), {}, {Unit: describe.Unit{Name: "byte", Plural: "bytes", Throughput: "MB/s", Seconds: 1, Bytes: true}, Operations: []string{"login"}}}).Draw(r, "profile"), Servers: []result.Server{{Role: "db", CPU: hostile(r, "cpu limit"), Limited: rapid.Bool().Draw(r, "limited")}}, Drivers: []result.DriverSummary{{CPUUser: hostile(r, "user"), LateMean: hostile(r, "late"), BusyMax: hostile(r, "busy")}}},
		Devices: []describe.Device{{Name: "loop0", Actuators: rapid.IntRange(-1, 30).Draw(r, "actuators")}},
	}
	t.Storages = result.OnlyStorage(t.Variant, describe.Storage{Media: "m", Simulated: rapid.Bool().Draw(r, "simulated")})
	if rapid.Bool().Draw(r, "operations") {
		t.Operations = map[string]result.OperationSummary{}
		for _, name := range []string{"order", "login"} {
			t.Operations[name] = result.OperationSummary{
				Count: rapid.Int64().Draw(r, "count"), RolledBack: rapid.Int64().Draw(r, "rolled back"), Bytes: rapid.Int64().Draw(r, "bytes"),
				Mean: hostile(r, "mean"), P50: hostile(r, "p50"), P95: hostile(r, "p95"), P99: hostile(r, "p99"), P999: hostile(r, "p999"), Max: hostile(r, "max"),
				Histogram: rapid.SampledFrom([]string{"", "HISTFAAAABx4nJNpmSzMwMDAxQABzFCaEUoz", "AAAA", Alike(10, 0.1).Histogram}).Draw(r, "histogram"),
			}
		}
	}
	for _, s := range [][3]string{{"cpu", "", "utilisation"}, {"cpu", "", "busy"}, {"cpu", "", "steal"}, {"device", "loop0", "utilisation"}, {"device", "loop0", "queue"}, {"network", "eth0", "utilisation"}, {"node", "p1", "cpu_utilisation"}, {"node", "p1", "cpu_limit"}, {"node", "p2", "cpu"}, {"instance", "db-0", "cpu"}, {"machine", "", "clock_offset"}, {"machine", "", "memory_utilisation"}} {
		if rapid.Bool().Draw(r, s[0]+s[2]) {
			v := hostile(r, s[2])
			t.Resources = append(t.Resources, result.ResourceSummary{Kind: s[0], Name: s[1], Metric: s[2], Mean: v, P95: v, Max: v})
		}
	}
	for n := range rapid.IntRange(0, 3).Draw(r, "instances") {
		t.Instances = append(t.Instances, result.InstanceSummary{Instance: n, Count: rapid.Int64().Draw(r, "count of an instance")})
	}
	return t
}

// HostileRun draws a run whose files were edited or damaged.
func HostileRun(r *rapid.T) *result.Run {
	run := &result.Run{ID: "hostile"}
	if rapid.Bool().Draw(r, "machine") {
		run.Machine = &result.Machine{Cores: rapid.IntRange(-1, 8).Draw(r, "cores"), MemoryBytes: rapid.Int64().Draw(r, "memory")}
	}
	if rapid.Bool().Draw(r, "plan") {
		s := &study.Study{Application: study.Application{Workload: study.Workload{Name: rapid.SampledFrom([]string{"dvdstore", "video", ""}).Draw(r, "workload"), Parameters: func() {}}}}
		for _, m := range []string{"mean", "p95", "errors", study.Undone, "nonsense"} {
			s.Objectives = append(s.Objectives, study.Objective{Metric: m, Limit: hostile(r, "limit"), Text: m})
		}
		s.Prices = &study.Prices{Years: hostile(r, "years"), Items: []study.PriceItem{{
			Name: "x", Quantity: hostile(r, "quantity"), Price: hostile(r, "price"), PerYear: rapid.Bool().Draw(r, "per year"), Capacity: unit.Bytes(rapid.Int64().Draw(r, "capacity")),
			Protection: rapid.SampledFrom([]string{"", "replica 3", "nonsense"}).Draw(r, "protection"), Reserve: study.Percentage(hostile(r, "reserve")),
		}}}
		run.Plan = &plan.Plan{Study: s, Variants: []study.Variant{{Name: "c"}}}
	}
	for i := range rapid.IntRange(0, 12).Draw(r, "trials") {
		run.Trials = append(run.Trials, hostileTrial(r, i))
	}
	return run
}
