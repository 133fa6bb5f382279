package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/unit"
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
		next       string
	}{
		{"the CPU of a storage node", onNodes(0.4, 0.97, 0.3, 0.5), "CPU of node worker-2 (storage)", "Give the storage nodes"},
		{"the CPU of an application node", onNodes(0.97, 0.4, 0.3, 0.5), "CPU of node worker-1 (application)", "limit each instance"},
		{"the driver's node", onNodes(0.4, 0.5, 0.97, 0.5), "CPU of node worker-3 (driver)", "Give the drivers more machines"},
		{"the limit of a driver", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "cpu_utilisation", 0.99)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "cpu_limit", 0.6)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "throttled_periods", 0.9)
		}, "CPU limit of driver-0", "Give the drivers more machines"},
		{"the network of a node", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			analysistest.SampledOn(t, "worker-2", "network", "eth0", "utilisation", 0.98)
		}, "network eth0 of node worker-2 (storage)", "Raise the capacity of network eth0 of node worker-2"},
		{"what a Prometheus tells", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			analysistest.SampledOn(t, "worker-2", "metric", "OSD queue", "utilisation", 0.98)
		}, "OSD queue of node worker-2 (storage)", "Raise the capacity of OSD queue"},
		{"the limit of a pod", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			t.Servers = []result.Server{{Role: "db", Count: 1, CPU: 1.7, Limited: true}}
		}, "CPU limit of an instance", "Raise the CPU limit of an instance"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, a := bottleneck(t, madeUp(meanBelow(1), sample{"a", 1, 1200, 0.1, false, c.change}))
			if got := a.Variants[0].Rungs[0].Bottleneck; got != c.bottleneck {
				t.Errorf("the bottleneck is %q, not %q", got, c.bottleneck)
			}
			if !strings.Contains(f.Text, c.bottleneck[1:]) || !strings.Contains(f.Next, c.next) {
				t.Errorf("%q lacks %q, or %q lacks %q", f.Text, c.bottleneck, f.Next, c.next)
			}
		})
	}
}

// How many requests the disk of a node serves at once nobody told, so that it is not
// said to be the bottleneck on the word of a single rung.
func TestDiskOfANodeIsUncertain(t *testing.T) {
	f, _ := bottleneck(t, madeUp(meanBelow(1), sample{"a", 1, 1200, 0.1, false, onNodes(0.4, 0.5, 0.3, 0.98)}))
	if strings.Contains(f.Text, "sda is the bottleneck") || !strings.Contains(f.Text, "Of disk sda of node worker-2: it is assumed to serve 1 request in parallel") {
		t.Error(f.Text)
	}
}

// The tool catches itself: a driver that is short of CPU is a reason to doubt.
func TestSaturatedDriversLowerTheGrade(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*result.Trial)
		grade  string
		text   string
	}{
		{"idle", onNodes(0.4, 0.5, 0.5, 0.5), "A", ""},
		{"their node", onNodes(0.4, 0.5, 0.97, 0.5), "D", "the CPU of node worker-3, which runs drivers only, was 97 % busy"},
		{"their limit", func(t *result.Trial) {
			onNodes(0.4, 0.5, 0.3, 0.5)(t)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "cpu_utilisation", 0.91)
			analysistest.SampledOn(t, "worker-3", "driver", "driver-0", "throttled_periods", 0.46)
		}, "B", "driver-0 used 91 % of its CPU limit"},
		{"beside instances", func(t *result.Trial) {
			onNodes(0.9, 0.5, 0.8, 0.5)(t)
			t.Machines[2].Roles = []string{result.ApplicationRole, result.DriverRole}
		}, "D", "the drivers used 80 % of node worker-3's CPU"},
	} {
		t.Run(c.name, func(t *testing.T) {
			twice := sample{"a", 1, 1200, 0.1, false, c.change}
			a := analyse(t, madeUp(meanBelow(1), twice, twice))
			if a.Grade != c.grade {
				t.Errorf("grade %s instead of %s: %v", a.Grade, c.grade, a.Warnings)
			}
			found := false
			for _, w := range a.Warnings {
				found = found || w.Kind == "driver-saturated" && strings.Contains(w.Text, c.text)
			}
			if found != (c.text != "") {
				t.Errorf("warnings: %v", a.Warnings)
			}
		})
	}
}

// A neighbour on one node is found there, and not where a storage server that nobody
// watches works.
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
	var background []string
	for _, w := range a.Warnings {
		if w.Kind == "background" {
			background = append(background, w.Text)
		}
	}
	if len(background) == 0 || slices.ContainsFunc(background, func(text string) bool { return !strings.Contains(text, "70 % of node worker-1's CPU") }) {
		t.Errorf("%q", background)
	}
}

func TestWaitingForMemoryIsTold(t *testing.T) {
	s := sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
		onNodes(0.4, 0.5, 0.3, 0.5)(t)
		analysistest.SampledOn(t, "worker-1", "pressure", "memory", "some", 0.35)
		analysistest.SampledOn(t, "worker-1", "pressure", "db-000/memory", "some", 0.2)
		analysistest.SampledOn(t, "worker-1", "pressure", "io", "some", 0.9)
	}}
	a := analyse(t, madeUp(meanBelow(1), s, s))
	for _, want := range []string{"tasks on node worker-1 waited for memory in 35 % of the time", "tasks of db-000 waited for memory in 20 %"} {
		if !slices.ContainsFunc(a.Warnings, func(w trust.Warning) bool { return w.Kind == "memory" && strings.HasPrefix(w.Text, want) }) {
			t.Errorf("no warning that %s: %v", want, a.Warnings)
		}
	}
	if a.Grade != "B" {
		t.Errorf("grade %s", a.Grade)
	}
}

// What a single machine, the campaign's own, is called does not show.
func TestOwnMachineIsNotNamed(t *testing.T) {
	s := func(machine string) sample {
		return sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
			healthy(t)
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
	if len(old.Findings) != len(now.Findings) || old.Findings[1].Text != now.Findings[1].Text {
		t.Errorf("%+v\n%+v", old.Findings, now.Findings)
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
