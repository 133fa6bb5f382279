package analysis

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/grade"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/say/limit"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
	"plimsoll/test/quick"
)

// addErrors has units of work fail for a reason.
func addErrors(t *result.Trial, class string, n int64) {
	whole := t.Operations["order"]
	whole.Errors = map[string]int64{class: n}
	t.Operations["order"] = whole
}

// ownRate has the drivers reach so many times the throughput by themselves.
func ownRate(times float64) func(*result.Trial) {
	return func(t *result.Trial) {
		t.Drivers[0].Ceiling = &result.Ceiling{Seconds: 2, Count: int64(times * 2 * float64(t.Whole().Count) / t.MeasureEnd.Sub(t.MeasureStart).Seconds()), CPU: 1}
	}
}

func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		kind   string
		change func(*result.Trial)
		grade  string
	}{
		{"", func(*result.Trial) {}, "A"},
		{"telemetry", func(t *result.Trial) { t.Resources = nil }, "F"},
		{"length", func(t *result.Trial) {
			t.MeasureEnd = t.MeasureStart.Add(5 * time.Second)
			t.Operations["order"], t.Variant.Load.Users = orders(1000, 0.1), 80
		}, "B"},
		{"count", func(t *result.Trial) { t.Operations["order"] = orders(150, 0.1) }, "A"}, // they are as evenly spread as they took,
		{"", func(t *result.Trial) { t.Operations["order"], t.Profile.Listed = orders(150, 0.1), true }, "A"},
		{"loop", func(t *result.Trial) { t.Variant.Load.Users = 100 }, "E"},
		{"", func(t *result.Trial) { // 14.4 at work, and up to 3.6 who wait on after their bursts
			t.Operations["order"], t.Variant.Load.Users = orders(1134, 1.5), 24
			t.Variant.Load.Bursts = &study.Bursts{Every: unit.Duration(10 * time.Second), On: unit.Duration(6 * time.Second)}
		}, "A"},
		{"loop", func(t *result.Trial) {
			t.Operations["order"], t.Variant.Load.Users = orders(1400, 1.5), 24
			t.Variant.Load.Bursts = &study.Bursts{Every: unit.Duration(10 * time.Second), On: unit.Duration(6 * time.Second)}
		}, "C"},
		{"driver-saturated", func(t *result.Trial) { t.Drivers = []result.DriverSummary{{CPUUser: 0.6 * 8 * 120}} }, "A"}, // work rarely waits for one of 8 cores that are 60 % busy
		{"driver-saturated", func(t *result.Trial) {
			t.Drivers = []result.DriverSummary{{CPUUser: 0.95 * 120, Threads: 1, Users: 8}}
		}, "E"},
		{"", func(t *result.Trial) { // a user who computes waits for nobody
			t.Drivers = []result.DriverSummary{{CPUUser: 0.95 * 120, Threads: 9, Users: 1}}
		}, "A"},
		{"", func(t *result.Trial) { // the kernel's part is the storage's
			t.Drivers, t.Profile.OnVolume = []result.DriverSummary{{CPUUser: 0.1 * 8 * 120, CPUSystem: 0.6 * 8 * 120}}, true
		}, "A"},
		{"driver-saturated", func(t *result.Trial) {
			t.Drivers, t.Profile.OnVolume = []result.DriverSummary{{CPUUser: 0.6 * 8 * 120}}, true
		}, "A"},
		{"driver-late", func(t *result.Trial) { t.Drivers = []result.DriverSummary{{LateMean: 0.1}} }, "C"},
		{"driver-late", func(t *result.Trial) {
			t.Drivers, t.OpenLoop = []result.DriverSummary{{LateMean: 0.1}}, true
		}, "D"},
		{"driver-ceiling", ownRate(1.02), "F"},
		{"driver-ceiling", ownRate(1.07), "E"},
		{"driver-ceiling", ownRate(1.2), "E"},
		{"", ownRate(1.3), "A"},
		{"", func(t *result.Trial) { // of one of two drivers nobody knows
			ownRate(1.02)(t)
			t.Drivers = append(t.Drivers, result.DriverSummary{Name: "driver-1"})
		}, "A"},
		{"steal", func(t *result.Trial) { analysistest.Sampled(t, "cpu", "", "steal", 0.05) }, "B"},
		{"thermal", func(t *result.Trial) { analysistest.Sampled(t, "machine", "", "thermal_throttles", 0.2) }, "F"},
		{"clock", func(t *result.Trial) { analysistest.Sampled(t, "machine", "", "clock_offset", -1) }, "A"},
		{"background", func(t *result.Trial) {
			analysistest.Sampled(t, "cpu", "", "utilisation", 0.99)
			analysistest.Sampled(t, "instance", "db-000", "cpu", 1)
		}, "E"},
		{"limits", func(t *result.Trial) { t.Servers = []result.Server{{CPU: 2}} }, "D"},
		{"throttled", func(t *result.Trial) { analysistest.Sampled(t, "instance", "db-000", "throttled", 0.5) }, "A"},
		{"out-of-memory", func(t *result.Trial) { analysistest.Sampled(t, "instance", "db-000", "oom_kills", 1./120) }, "F"},
		{"out-of-memory", func(t *result.Trial) { analysistest.Sampled(t, "container", "/docker/4f2", "oom_kills", 1./120) }, "F"},
		{"", func(t *result.Trial) { analysistest.Sampled(t, "instance", "db-000", "oom_kills", 0) }, "A"},
		{"cache", func(t *result.Trial) { t.Servers = []result.Server{{Memory: 1 << 30, Limited: true}} }, "D"},
		{"exhausted", func(t *result.Trial) { addErrors(t, "out-of-space", 1) }, "F"},
		{"", func(t *result.Trial) { addErrors(t, "deadlock", 1) }, "A"},
		{"errors", failedOrders(0.003), "A"},
		{"errors", failedOrders(0.03), "A"},
		{"errors", failedOrders(0.2), "C"},
		{"errors", failedOrders(0.6), "F"},
		{"durability", func(t *result.Trial) { t.Storage().Durable = false }, "A"},
		{"storage", func(t *result.Trial) { t.Doubts = []string{"the simulated medium answered late"} }, "F"}, // nothing tells by how much,
		// The users waited for 120 s.
		{"storage", func(t *result.Trial) { t.Behind = []result.MediaDelay{{Text: "the medium was late", Seconds: 6}} }, "A"},
		{"storage", func(t *result.Trial) { t.Behind = []result.MediaDelay{{Text: "the medium was late", Seconds: 0.6}} }, "A"},
		{"audit", func(t *result.Trial) { t.Audit = &result.AuditSummary{Text: "one order is missing"} }, "F"},
		{"audit", func(t *result.Trial) { t.Audit = &result.AuditSummary{Uncounted: "it is gone", Text: "not counted"} }, "F"},
	} {
		name := c.kind
		if name == "" {
			name = "none"
		}
		t.Run(name, func(t *testing.T) {
			// 8 users with a think time of 300 ms who wait 100 ms make 20 orders a second.
			alike := sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
				analysistest.Healthy(t)
				c.change(t)
			}}
			of := func(objectives []study.Objective) *Analysis {
				run := madeUp(objectives, alike, alike, alike)
				if c.kind == "cache" {
					run.Plan.Datasets = []plan.Dataset{{Bytes: 500 << 20, Variants: []string{"a"}}}
				}
				return analyse(t, run)
			}
			a := of(nil) // the answer is the throughput
			found := map[string]bool{}
			var highest bound.Bound
			for _, w := range a.Warnings {
				found[string(w.Kind)] = true
				t.Log(w.Severity, w.Text, w.Bound)
				if w.Trial == a.Trials[0].ID && w.Bound != nil {
					highest = bound.Sum(highest, bound.Bound{TooHigh: w.Bound.TooHigh, Open: w.Bound.Open, Random: w.Bound.Random})
				}
			}
			if c.kind != "" && !found[c.kind] || c.kind == "" && len(found) > 0 {
				t.Errorf("warnings %v", found)
			}
			ofTrial := c.grade
			if c.kind == "steal" { // response times are off by more than the throughput of users who think
				ofTrial = "C"
			}
			if a.Grade != c.grade || a.Trials[0].Grade != ofTrial || a.Variants[0].Rungs[0].Grade != c.grade {
				t.Errorf("grades %s %s %s, want %s", a.Grade, a.Trials[0].Grade, a.Variants[0].Rungs[0].Grade, c.grade)
			}
			// "At least 1" cannot be too low.
			if line := of(meanBelow(1)); line.Variants[0].LoadLine.Open && line.Grade > max("A", highest.Grade()) || line.Bound.TooLow != 0 {
				t.Errorf("an open line: grade %s, %+v", line.Grade, line.Bound)
			}
		})
	}
}

// cacheDoubted reports whether data of 500 MiB are doubted for a cache in a trial.
func cacheDoubted(t *testing.T, change func(*result.Trial)) bool {
	t.Helper()
	s := sample{"a", 1, 1200, 0.1, false, func(x *result.Trial) {
		analysistest.Healthy(x)
		x.Servers = []result.Server{{Memory: 1 << 30, Limited: true}}
		change(x)
	}}
	run := madeUp(meanBelow(1), s, s)
	run.Plan.Datasets = []plan.Dataset{{Bytes: 500 << 20, Variants: []string{"a"}}}
	return len(ofWarnings(analyse(t, run), "cache")) > 0
}

// Data read once after all caches were emptied comes from the storage, however much memory
// there is.
func TestEmptiedCachesHoldNothing(t *testing.T) {
	for _, c := range []struct{ once, emptied, doubted bool }{{true, true, false}, {true, false, true}, {false, true, true}} {
		if got := cacheDoubted(t, func(t *result.Trial) { t.Profile.ReadsOnce, t.Emptied = c.once, c.emptied }); got != c.doubted {
			t.Errorf("read once: %v, caches emptied: %v: doubted %v, want %v", c.once, c.emptied, got, c.doubted)
		}
	}
}

// Data read once, and read in full by the devices, came from no cache.
func TestDevicesThatReadItAllShowNoCache(t *testing.T) {
	for share, doubted := range map[float64]bool{1: false, 0.5: true} {
		got := cacheDoubted(t, func(t *result.Trial) {
			t.Profile.ReadsOnce = true
			t.Devices = []describe.Device{{Name: "a"}, {Name: "b"}}
			for _, d := range t.Devices {
				analysistest.Sampled(t, "device", d.Name, "read_bytes", share*(250<<20)/trial.Seconds(t))
			}
		})
		if got != doubted {
			t.Errorf("%g of the data read by devices: doubted %v", share, got)
		}
	}
}

// Where the storage is memory itself, no cache stands in front of anything slower.
func TestStorageInMemoryHasNoCache(t *testing.T) {
	for durable, doubted := range map[bool]bool{true: true, false: false} {
		if got := cacheDoubted(t, func(t *result.Trial) { t.Storage().Durable = durable }); got != doubted {
			t.Errorf("durable: %v: doubted %v", durable, got)
		}
	}
}

// Data that the server moves past the memory of its machine come from the storage; what
// stands in front of it keeps none.
func TestNoMemoryHoldsWhatServersReadDirectly(t *testing.T) {
	for direct, doubted := range map[bool]bool{true: false, false: true} {
		got := cacheDoubted(t, func(t *result.Trial) {
			t.Servers = []result.Server{{Memory: 1 << 30, Limited: true, Direct: direct}, {Memory: 1 << 26, Limited: true, Stateless: true}}
		})
		if got != doubted {
			t.Errorf("direct: %v: doubted %v", direct, got)
		}
	}
}

// failedOrders makes a share of a trial's orders fail.
func failedOrders(share float64) func(*result.Trial) {
	return func(t *result.Trial) {
		o := t.Operations["order"]
		failed := int64(share * float64(o.Count))
		o.Count -= failed
		o.Errors = map[string]int64{"timeout": failed}
		t.Operations["order"] = o
	}
}

// The throughput of one repetition is never an A, nor that of two: nobody knows by how much they would
// differ the next time.
func TestTrialAloneIsDoubted(t *testing.T) {
	alone := sample{"a", 1, 1200, 0.1, false, analysistest.Healthy}
	var last float64
	for n := 3; n > 0; n-- {
		a := analyse(t, madeUp(nil, slices.Repeat([]sample{alone}, n)...))
		if a.Bound.Size() < last || (a.Grade == "A") != (n == 3) || len(ofWarnings(a, "repetition")) != map[int]int{1: 1}[n] {
			t.Errorf("%d of a kind: grade %s, %+v, %+v", n, a.Grade, a.Bound, a.Warnings)
		}
		last = a.Bound.Size()
	}
}

// An objective on errors that broke is named, with what went wrong, and the
// advice is not to raise the load. One that was kept raises no doubt.
func TestBrokenErrorsObjectiveIsNamed(t *testing.T) {
	objectives := append(meanBelow(1), study.Objective{Operation: "order", Metric: "errors", Limit: 0.01, Text: "errors <= 1%"})
	measured := func(share float64) func(int, *result.Trial) {
		return func(_ int, t *result.Trial) {
			failedOrders(share)(t)
			machineUnderTest{}.device(t, 0.2)
		}
	}
	run := madeUp(objectives, append(times3("a", 4, measured(0.002)), times3("a", 8, measured(0.2))...)...)
	a := analyse(t, run)
	r := a.Variants[0].Rungs[1]
	if o := r.Objectives[1]; o.Kept || math.Abs(o.Value-0.2) > 1e-9 || len(r.ErrorClasses) != 1 || r.ErrorClasses["timeout"] == 0 {
		t.Errorf("%+v, %v", o, r.ErrorClasses)
	}
	v := &a.Variants[0]
	if want := limit.ErrorsAt(v, &r, "instance"); v.Topology.Limit != want {
		t.Errorf("the topology says %q, not %q", v.Topology.Limit, want)
	}
	f, _ := bottleneck(t, run)
	if f.Cause.Kind != diagnose.Failing || f.Rung != 8 || f.Change != nil || experimentOf(t, run, a).Kind != experiment.FindErrors {
		t.Errorf("at %d: %+v, %+v", f.Rung, f.Cause, f.Change)
	}
	if w := ofWarnings(a, "errors"); len(w) != 3 || w[0].Trial != "a/8/1" {
		t.Errorf("%+v", w)
	}
}

func TestOutlierRepetitionsAreFound(t *testing.T) {
	a := analyse(t, madeUp(nil, sample{"a", 1, 1000, 0.1, false, nil}, sample{"a", 1, 1010, 0.1, false, nil}, sample{"a", 1, 1005, 0.1, false, nil}, sample{"a", 1, 600, 0.1, false, nil}))
	var outliers []string
	for _, w := range a.Warnings {
		if w.Kind == "outlier" {
			outliers = append(outliers, w.Trial)
		}
	}
	if len(outliers) != 1 || outliers[0] != "a/1/4" {
		t.Errorf("outliers %v", outliers)
	}
}

func TestVerdictBelowTheMinimumGradeIsRefused(t *testing.T) {
	healthy := sample{"a", 1, 1200, 0.1, false, analysistest.Healthy}
	if _, err := Analyse(madeUp(meanBelow(1), healthy), Options{MinGrade: "c"}); err != nil {
		t.Errorf("grade C refused at C: %v", err)
	}
	one := sample{"a", 1, 1200, 0.1, false, nil}
	run := madeUp(meanBelow(1), one, one) // no telemetry
	a, err := Analyse(run, Options{MinGrade: "A"})
	var refused *grade.RefusedError
	if !errors.As(err, &refused) || refused.Grade != "F" || a == nil {
		t.Fatalf("%v", err)
	}
	without := ofWarnings(a, "telemetry")
	if len(without) != 2 || len(refused.Reasons) != 2 || !refused.Reasons[0].Same(without[0]) || !refused.Reasons[1].Same(without[1]) {
		t.Errorf("%+v, want %+v", refused.Reasons, without)
	}
}

func TestNeighbourIsNamedAndNotTheStorage(t *testing.T) {
	busy := func(disk float64) func(*result.Trial) {
		return func(t *result.Trial) {
			analysistest.Sampled(t, "cpu", "", "utilisation", 0.99)
			analysistest.Sampled(t, "instance", "db-000", "cpu", 1)
			machineUnderTest{}.device(t, disk)
		}
	}
	f, a := bottleneck(t, madeUp(meanBelow(0.2), sample{"a", 1, 1000, 0.1, false, busy(0.5)}, sample{"a", 2, 1000, 0.3, false, busy(0.5)}))
	if d, _ := diagnosisOf(a); f.Cause.Kind != diagnose.Neighbour || f.Cause.ResourceKind != resource.CPU || d.Shared.Other < 0.8 {
		t.Errorf("%+v, %+v", f.Cause, d.Shared)
	}
	f, a = bottleneck(t, madeUp(meanBelow(0.2), sample{"a", 1, 1000, 0.1, false, busy(0.99)}, sample{"a", 2, 1000, 0.3, false, busy(0.99)}))
	want := diagnose.Cause{Kind: diagnose.Saturated, Resource: "disk loop3 (hdd)", ResourceKind: resource.Device}
	if _, r := diagnosisOf(a); *f.Cause != want || resource.Shared(r.Resources) == nil {
		t.Errorf("%+v, %+v", f.Cause, r.Resources)
	}
}

// A run written and read as a real one: settled trials are not doubted, and
// the slower device is what gives out.
func TestSyntheticRunOnDisk(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	dir := t.TempDir()
	if err := resulttest.Run(dir, []string{"ssd", "hdd"}, []int{1, 2, 4, 8, 16, 32, 64, 128}, 2, 60); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := analyse(t, run)
	for _, s := range a.Verdict {
		t.Log(s.Text)
	}
	if a.Verdict[0].Variant != "ssd" {
		t.Errorf("verdict begins with %s", a.Verdict[0].Variant)
	}
	for _, v := range a.Variants {
		if v.LoadLine.Rung == 0 || v.LoadLine.Open || v.Scalability == nil {
			t.Errorf("%s: %+v", v.Name, v.LoadLine)
		}
	}
	r := loadline.Limiting(a.Variants[1].Rungs, a.Variants[1].LoadLine)
	if top := resource.Limiting(r.Resources); top == nil || top.Device != "loop1" {
		t.Errorf("bottleneck of hdd: %q of %+v", r.Bottleneck, r.Resources)
	}
	for _, w := range a.Warnings {
		if w.Kind == "drift" || w.Kind == "warm-up" {
			t.Errorf("noise is doubted: %s %s", w.Trial, w.Text)
		}
	}
}
