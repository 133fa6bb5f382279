package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// threeNodes are the machines of a small cluster.
func threeNodes() []result.Host {
	return []result.Host{
		{Name: "worker-1", Roles: []string{result.ApplicationRole}, Cores: 4, Memory: 16 << 30},
		{Name: "worker-2", Roles: []string{result.StorageRole}, Cores: 8, Memory: 16 << 30},
		{Name: "worker-3", Roles: []string{result.DriverRole}, Cores: 2, Memory: 4 << 30},
	}
}

// onNodes makes a trial on three nodes: their CPUs, and how busy the disk of the
// second is.
func onNodes(cpu1, cpu2, cpu3, disk float64) func(*result.Trial) {
	return func(t *result.Trial) {
		t.Machines = threeNodes()
		t.Variant.Load = study.Load{Users: 8, ThinkTime: unit.Duration(300 * time.Millisecond)}
		t.Drivers = []result.DriverSummary{{Name: "driver-0", CPUUser: cpu3 * 2 * 120}}
		analysistest.SampledOn(t, "worker-1", "cpu", "", "utilisation", cpu1)
		analysistest.SampledOn(t, "worker-2", "cpu", "", "utilisation", cpu2)
		analysistest.SampledOn(t, "worker-3", "cpu", "", "utilisation", cpu3)
		analysistest.SampledOn(t, "worker-1", "instance", "db-000", "cpu", cpu1*4)
		analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "cpu", cpu3*2)
		analysistest.SampledOn(t, "worker-1", "machine", "", "memory_utilisation", 0.4)
		analysistest.SampledOn(t, "worker-2", "device", "sda", "utilisation", disk)
		analysistest.SampledOn(t, "worker-2", "device", "sda", "queue", disk)
		analysistest.Sampled(t, "driver", "driver-0", "users", 8) // of its records, which name no machine
	}
}

func TestBottleneckIsFoundOverAllMachines(t *testing.T) {
	for _, c := range []struct {
		name       string
		change     func(*result.Trial)
		bottleneck string // the resource's name
		next       experiment.Kind
	}{
		{"the CPU of a storage node", onNodes(0.4, 0.97, 0.3, 0.5), "CPU of node worker-2 (storage)", experiment.MoreStorageCPU},
		{"the CPU of an application node", onNodes(0.97, 0.4, 0.3, 0.5), "CPU of node worker-1 (application)", experiment.HalveCPU},
		{"the driver's node", onNodes(0.4, 0.5, 0.97, 0.5), "CPU of node worker-3 (driver)", experiment.MoreDrivers},
		{"the limit of a driver", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "cpu_utilisation", 0.99)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "cpu_limit", 0.6)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "throttled_periods", 0.9)
		}, "CPU limit of driver-0", experiment.MoreDrivers},
		{"the network of a node", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			analysistest.SampledOn(t, "worker-2", "network", "eth0", "utilisation", 0.98)
		}, "network eth0 of node worker-2 (storage)", experiment.RaiseCapacity},
		{"what a Prometheus tells", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			analysistest.SampledOn(t, "worker-2", "metric", "OSD queue", "utilisation", 0.98)
		}, "OSD queue of node worker-2 (storage)", experiment.RaiseCapacity},
		{"the limit of a pod", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			t.Servers = []result.Server{{Role: "db", Count: 1, CPU: 1.7, Limited: true}}
		}, "CPU limit of an instance", experiment.RaiseQuota},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := madeUp(meanBelow(1), sample{"a", 1, 1200, 0.1, false, c.change})
			f, a := bottleneck(t, run)
			if got := a.Variants[0].Rungs[0].Bottleneck; got != c.bottleneck {
				t.Errorf("the bottleneck is %q, not %q", got, c.bottleneck)
			}
			if e := experimentOf(t, run, a); f.Cause.Resource != c.bottleneck || e.Kind != c.next {
				t.Errorf("%+v, experiment %d", f.Cause, e.Kind)
			}
		})
	}
}

// The parallelism of a node's disk is unknown, so that it is not called the bottleneck on
// the evidence of a single rung.
func TestDiskOfANodeIsUncertain(t *testing.T) {
	f, a := bottleneck(t, madeUp(meanBelow(1), sample{"a", 1, 1200, 0.1, false, onNodes(0.4, 0.5, 0.3, 0.98)}))
	d := resource.FirstUncertain(a.Variants[0].Rungs[0].Resources)
	if f.Cause.Kind == diagnose.Saturated || d == nil || d.Device != "sda" || d.Machine != "worker-2" || d.Width.Assumed != 1 {
		t.Errorf("%+v, %+v", f.Cause, d)
	}
}

// The tool catches itself: a driver that is short of CPU is a reason to doubt.
func TestSaturatedDriversLowerTheGrade(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*result.Trial)
		grade  string
		about  string // that the warning names
		used   float64
	}{
		{"idle", onNodes(0.4, 0.5, 0.5, 0.5), "A", "", 0},
		{"their node", onNodes(0.4, 0.5, 0.97, 0.5), "E", "node worker-3", 0.97},
		{"their limit", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "cpu_utilisation", 0.91)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "throttled_periods", 0.46)
		}, "E", "driver-0", 0.91},
		{"beside instances", func(t *result.Trial) {
			onNodes(0.9, 0.5, 0.8, 0.5)(t)
			t.Machines[2].Roles = []string{result.ApplicationRole, result.DriverRole}
		}, "E", "node worker-3", 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			alike := sample{"a", 1, 1200, 0.1, false, c.change}
			a := analyse(t, madeUp(nil, alike, alike, alike))
			if a.Grade != c.grade {
				t.Errorf("grade %s instead of %s: %v", a.Grade, c.grade, a.Warnings)
			}
			found := false
			for _, w := range a.Warnings {
				found = found || w.Kind == "driver-saturated" && slices.Contains(w.Names, c.about) && math.Abs(figuresOf(w)[0]-c.used) < 0.005
			}
			if found != (c.about != "") {
				t.Errorf("warnings: %v", a.Warnings)
			}
		})
	}
}

// A neighbour on one node is found there, but not where an unwatched storage server works.
func TestNeighbourOfANode(t *testing.T) {
	twice := func(change func(*result.Trial)) *Analysis {
		s := sample{"a", 1, 1200, 0.1, false, change}
		return analyse(t, madeUp(meanBelow(1), s, s))
	}
	a := twice(func(t *result.Trial) {
		onNodes(0.95, 0.95, 0.3, 0.5)(t)
		for i, r := range t.Resources {
			if r.Kind == "instance" {
				t.Resources[i].Mean = 1
			}
		}
	})
	background := ofWarnings(a, "background")
	if len(background) == 0 || slices.ContainsFunc(background, func(w trust.Warning) bool {
		return w.Names[0] != "node worker-1" || math.Abs(figuresOf(w)[0]-0.7) > 0.005
	}) {
		t.Errorf("%+v", background)
	}
}

func TestWaitingForMemoryIsTold(t *testing.T) {
	s := sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
		onNodes(0.4, 0.5, 0.3, 0.5)(t)
		analysistest.SampledOn(t, "worker-1", "pressure", "memory", "some", 0.35)
		analysistest.SampledOn(t, "worker-1", "pressure", "db-000/memory", "some", 0.2)
		analysistest.SampledOn(t, "worker-1", "pressure", "io", "some", 0.9)
	}}
	a := analyse(t, madeUp(nil, s, s, s))
	for who, waited := range map[string]float64{"node worker-1": 0.35, "db-000": 0.2} {
		if !slices.ContainsFunc(ofWarnings(a, "memory"), func(w trust.Warning) bool { return w.Names[0] == who && figuresOf(w)[0] == waited }) {
			t.Errorf("no warning that tasks %s waited: %v", who, a.Warnings)
		}
	}
	if of := a.Bound.Doubts; a.Grade != "E" || of[0].Kind != trust.Memory || of[0].TooHigh > 0 {
		t.Errorf("grade %s, %+v", a.Grade, a.Bound)
	}
}

// The name of a single machine, the campaign's own, is not shown.
func TestOwnMachineIsNotNamed(t *testing.T) {
	s := func(machine string) sample {
		return sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
			analysistest.Healthy(t)
			for i := range t.Resources {
				t.Resources[i].Machine = machine
			}
			if machine != "" {
				t.Machines = []result.Host{{Name: machine, Roles: []string{result.ApplicationRole, result.DriverRole, result.StorageRole}, Cores: 8}}
			}
		}}
	}
	old, now := analyse(t, madeUp(meanBelow(1), s(""), s(""))), analyse(t, madeUp(meanBelow(1), s("local"), s("local")))
	if len(now.Machines) != 0 || now.Variants[0].Rungs[0].Resources[0].Name != "CPU of the machine" {
		t.Errorf("%v, %+v", now.Machines, now.Variants[0].Rungs[0].Resources)
	}
	if diff := cmp.Diff(old.Findings, now.Findings); diff != "" {
		t.Error(diff)
	}
}

func TestMachinesOfAllTrialsAreListed(t *testing.T) {
	other := func(t *result.Trial) {
		onNodes(0.4, 0.5, 0.3, 0.5)(t)
		t.Machines = append(t.Machines[1:], result.Host{Name: "worker-0", Roles: []string{result.ApplicationRole}})
		t.Machines[1].Roles = []string{result.ApplicationRole}
	}
	a := analyse(t, madeUp(meanBelow(1), sample{"a", 1, 1200, 0.1, false, onNodes(0.4, 0.5, 0.3, 0.5)}, sample{"a", 2, 1200, 0.1, false, other}))
	var names []string
	for _, h := range a.Machines {
		names = append(names, h.Name+" "+strings.Join(h.Roles, "+"))
	}
	if got := strings.Join(names, ", "); got != "worker-0 application, worker-1 application, worker-2 storage, worker-3 application+driver" {
		t.Error(got)
	}
}
