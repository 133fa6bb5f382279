package resource_test

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// sampled is a rung of three trials alike, with these samples of the campaign's machine of 16
// cores: kind, name, metric, mean.
func sampled(t *testing.T, samples [][3]string, values []float64, machines ...result.Host) *rung.Rung {
	t.Helper()
	set := analysistest.Set{Rungs: []int{8}, Repetitions: 3, Variants: []analysistest.Variant{{
		Name: "v", Response: analysistest.Constant(0.1), Throughput: analysistest.Constant(5000),
	}}}
	run := set.Run(1)
	run.Machine.Cores = 16
	for _, one := range run.Trials {
		one.Resources, one.Machines, one.Devices = nil, machines, []describe.Device{{Name: "vda", Actuators: 1}}
		one.Variant.Engine.Name = "server"
		for i, s := range samples {
			analysistest.Sampled(one, s[0], s[1], s[2], values[i])
		}
	}
	e := trust.Sift(run)
	groups := trial.ByRung(e.Run.Trials)
	r := rung.Measure(e, groups[0])
	return &r
}

var (
	busy     = [3]string{"cpu", "", "utilisation"}
	core     = [3]string{"cpu", "", "core_max"}
	steal    = [3]string{"cpu", "", "steal"}
	waited   = [3]string{"pressure", "memory", "some"}
	all      = [3]string{"pressure", "memory", "full"}
	diskBusy = [3]string{"device", "vda", "utilisation"}
)

func TestWhatIsFullBesideWholeMachines(t *testing.T) {
	for name, c := range map[string]struct {
		samples [][3]string
		values  []float64
		kind    resource.Kind // that limits; empty for none
	}{
		"one thread":                     {[][3]string{busy, core}, []float64{0.085, 0.995}, resource.Core},
		"a core that is nearly full":     {[][3]string{busy, core}, []float64{0.085, 0.9}, ""},
		"all cores are about as busy":    {[][3]string{busy, core}, []float64{0.8, 0.96}, ""},
		"the whole machine":              {[][3]string{busy, core}, []float64{0.97, 1}, resource.CPU},
		"everything waits for memory":    {[][3]string{busy, waited, all}, []float64{0.3, 0.5, 0.3}, resource.MemoryWait},
		"something waits for it at last": {[][3]string{busy, waited, all}, []float64{0.3, 0.1, 0.02}, ""},
		"a guest of a full host":         {[][3]string{busy, steal}, []float64{0.999, 0.3}, resource.CPU},
		"a disk while a thread is full":  {[][3]string{busy, core, diskBusy}, []float64{0.085, 0.995, 0.97}, resource.Device},
	} {
		t.Run(name, func(t *testing.T) {
			r := sampled(t, c.samples, c.values)
			top := resource.Limiting(r.Resources)
			if c.kind == "" && top != nil || c.kind != "" && (top == nil || top.Kind != c.kind) {
				t.Errorf("%+v limits, want %q", top, c.kind)
			}
		})
	}
}

// What the hypervisor takes is no other process's, and nothing that the work used.
func TestStealIsNoNeighbour(t *testing.T) {
	cpu := resource.First(sampled(t, [][3]string{busy, steal, {"instance", "db-000", "cpu"}}, []float64{0.999, 0.3, 11}).Resources, resource.CPU)
	if cpu == nil || cpu.Other > 0.05 || cpu.Stolen != 0.3 || cpu.Used() > 0.7 || !cpu.LosesToGuests() {
		t.Errorf("%+v", cpu)
	}
	cpu = resource.First(sampled(t, [][3]string{busy, steal, {"instance", "db-000", "cpu"}}, []float64{0.999, 0.01, 8}).Resources, resource.CPU)
	if cpu == nil || cpu.Other < 0.4 || cpu.LosesToGuests() {
		t.Errorf("other processes: %+v", cpu)
	}
}

func TestWhatTrialsLeaveOpen(t *testing.T) {
	sent := func(name string) [][3]string { return [][3]string{busy, diskBusy, {"network", name, "send_bytes"}} }
	for name, c := range map[string]struct {
		samples [][3]string
		values  []float64
		links   int
	}{
		"a link of unknown speed":   {sent("eth0"), []float64{0.2, 0.2, 118e6}, 1},
		"that moves little":         {sent("eth0"), []float64{0.2, 0.2, 2e6}, 0},
		"that ends on the machine":  {sent("lo"), []float64{0.2, 0.2, 3e9}, 0},
		"of a server's own":         {sent("peer-1/eth0"), []float64{0.2, 0.2, 3e9}, 0},
		"whose utilisation is told": {append(sent("eth0"), [3]string{"network", "eth0", "utilisation"}), []float64{0.2, 0.2, 118e6, 0.4}, 0},
	} {
		if u := sampled(t, c.samples, c.values).Unmeasured(); len(u.Links) != c.links || u.Any() != (c.links > 0) {
			t.Errorf("%s: %+v", name, u)
		}
	}
	swap := [][3]string{busy, diskBusy, {"machine", "", "memory_utilisation"}, {"machine", "", "swap_used"}}
	if u := sampled(t, swap, []float64{0.2, 0.2, 0.98, 4e9}).Unmeasured(); !u.Swapped {
		t.Errorf("full, and swapping: %+v", u)
	}
	if u := sampled(t, swap, []float64{0.2, 0.2, 0.6, 4e9}).Unmeasured(); u.Any() {
		t.Errorf("swapped long ago: %+v", u)
	}
	hosts := []result.Host{{Name: result.LocalMachine}, {Name: "store-2", Roles: []string{result.StorageRole}}}
	if u := sampled(t, [][3]string{busy, diskBusy}, []float64{0.2, 0.2}, hosts...).Unmeasured(); len(u.Machines) != 1 || u.Machines[0] != "store-2" {
		t.Errorf("a machine without a sample: %+v", u)
	}
}

// A client's network is not the storage's; a storage server's network is.
func TestWhoseNetworkIsTheStorages(t *testing.T) {
	client := resource.Resource{Kind: resource.Network, Machine: "app-1", MachineRoles: []string{"application"}}
	server := resource.Resource{Kind: resource.Network, Machine: "store-1", MachineRoles: []string{result.StorageRole}}
	if client.OfStorage() || !server.OfStorage() {
		t.Error("a client's network stands for the storage, or a server's does not")
	}
	if u := (resource.BlindSpots{}).Beside([]resource.Resource{{Kind: resource.CPU}, client}); !u.Storage {
		t.Errorf("a client's network alone: %+v", u)
	}
	if u := (resource.BlindSpots{}).Beside([]resource.Resource{{Kind: resource.CPU}, server}); u.Storage {
		t.Errorf("a server's network: %+v", u)
	}
}

// Unmeasured waiting next to whole resources does not make the bottleneck unknown.
func TestWhatWaitingLeavesOpen(t *testing.T) {
	disk, pressure := [][3]string{busy, diskBusy}, [3]string{"pressure", "io", "some"}
	for name, c := range map[string]struct {
		samples         [][3]string
		cores, pressure bool
	}{
		"whole resources alone":            {disk, true, true},
		"the busiest core":                 {append(disk, core), false, true},
		"pressure":                         {append(disk, pressure), true, false},
		"the busiest core and the waiting": {append(disk, core, pressure), false, false},
	} {
		u := sampled(t, c.samples, []float64{0.3, 0.3, 0.3, 0.3}[:len(c.samples)]).Unmeasured()
		if u.Cores != c.cores || u.Pressure != c.pressure || u.Any() {
			t.Errorf("%s: %+v", name, u)
		}
	}
}
