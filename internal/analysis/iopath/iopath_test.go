package iopath

import (
	"math"
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

const seconds, units = 60, 50 // of a trial; units of work a second

type sample struct {
	kind, name, metric string
	mean               float64
}

// handed is a disk that got requests of a size that others were merged into, of which a share was
// sequential; below 0 where nothing saw that.
func handed(disk, direction string, before, after, bytes, sequential float64) []sample {
	all := []sample{{"device", disk, direction, after}, {"device", disk, direction[:len(direction)-1] + "_bytes", bytes}, {"device", disk, direction[:len(direction)-1] + "_merges", before - after}}
	if sequential >= 0 {
		all = append(all, sample{"device", disk, "random_" + direction, (1 - sequential) * after})
	}
	return all
}

func trialOf(p describe.Profile, servers []result.Server, devices []describe.Device, samples ...sample) *result.Trial {
	begin := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	p.Operations = []string{"item"}
	t := &result.Trial{
		MeasureStart: begin, MeasureEnd: begin.Add(seconds * time.Second), Part: result.Part{Servers: servers, Profile: p, Operations: map[string]result.OperationSummary{"item": {Count: seconds * units, Mean: 0.1}}}, Rung: 1, Devices: devices,
	}
	for _, s := range samples {
		t.Resources = append(t.Resources, result.ResourceSummary{Kind: s.kind, Name: s.name, Metric: s.metric, Mean: s.mean, Max: s.mean})
	}
	return t
}

// writing is work of one random write of 16 KiB a unit.
var (
	writing = describe.Profile{OnVolume: true, Requests: []describe.Request{{Direction: describe.Writes, PerUnit: 1, Bytes: 16384, Sequential: new(float64)}}}
	disk    = []describe.Device{{Name: "vda", Role: "data"}}
	db      = []result.Server{{Role: "db", Count: 1}, {Role: "web", Count: 1, Stateless: true}}
)

func of(b *Path, k Kind, role string) Layer {
	for _, l := range b.Layers {
		if l.Kind == k && l.Of == role {
			return l
		}
	}
	return Layer{}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The figures of each layer are those that the trial was made of.
func TestLayersOfAWorkloadThatKnowsItsRequests(t *testing.T) {
	const bytes = units * 16384 * 1.5 // half of them a journal's
	made := trialOf(writing, nil, disk, slices.Concat(handed("vda", "writes", 75, 20, bytes, 0.7), handed("vda", "reads", 0, 0, 0, 0),
		[]sample{{"driver", "driver-0", "write_bytes", units * 16384}, {"driver", "driver-0", "read_bytes", 0}, {"driver", "driver-0", "write_calls", 900}, {"driver", "driver-0", "written_by_calls", 900}})...)
	b := Of(&trust.Evidence{}, []*result.Trial{made, made})
	if b == nil {
		t.Fatal("no layers")
	}
	var kinds []Kind
	for _, l := range b.Layers {
		kinds = append(kinds, l.Kind)
		if l.Reads != nil {
			t.Errorf("%s has reads: %+v", l.Kind, l.Reads)
		}
	}
	if want := []Kind{Application, Caused, PassedOn, Device}; !slices.Equal(kinds, want) {
		t.Fatalf("layers are %v, want %v: the workload's word says more than calls", kinds, want)
	}
	app, caused, passed, device := b.Layers[0].Writes, b.Layers[1].Writes, b.Layers[2].Writes, b.Layers[3].Writes
	near(t, "writes a unit", app.PerUnit, 1)
	near(t, "size", app.Bytes, 16384)
	near(t, "amplification of the application", app.Amplification, 1)
	near(t, "bytes that the driver caused", caused.BytesPerUnit, 16384)
	near(t, "requests handed on", passed.PerUnit, 75.0/units)
	near(t, "share merged", *passed.Merged, 55.0/75)
	near(t, "size at the disk", device.Bytes, bytes/20)
	near(t, "amplification", device.Amplification, 1.5)
	near(t, "sequential share", *device.Sequential, 0.7)
	if caused.PerUnit != 0 || caused.Bytes != 0 || passed.Sequential != nil || device.Merged != nil {
		t.Errorf("what nothing counts has figures: %+v %+v %+v", caused, passed, device)
	}
	if moves := b.Moves(); len(moves) != 1 || moves[0].Reads || !moves[0].Known || moves[0].From != app || moves[0].To != device {
		t.Errorf("moves are %+v", moves)
	}
}

// Servers whose workload does not know its requests have calls, and their bytes are what others are
// related to. Those that keep nothing, and roles of which one server was not measured, are left out.
func TestLayersOfServers(t *testing.T) {
	calls := func(name string) []sample {
		return []sample{
			{"instance", name, "read_calls", 1000}, {"instance", name, "read_by_calls", 8192e3},
			{"instance", name, "write_calls", 100}, {"instance", name, "written_by_calls", 819200},
			{"instance", name, "read_bytes", 4096e2}, {"instance", name, "write_bytes", 819200},
		}
	}
	devices := []describe.Device{{Name: "vdb", Role: "brick"}, {Name: "vdc", Role: "brick"}, {Name: "vdb", Role: "brick"}}
	disks := slices.Concat(handed("vdb", "writes", 400, 100, 3*819200, -1), handed("vdc", "writes", 400, 100, 819200, 0.5), handed("vda", "writes", 1e6, 1e6, 1e9, 0))
	b := Of(&trust.Evidence{}, []*result.Trial{trialOf(describe.Profile{}, db, devices, slices.Concat(calls("db-000"), calls("db-001"), calls("web-000"), disks)...)})
	if b == nil || len(b.Layers) != 4 {
		t.Fatalf("layers are %+v", b)
	}
	called, caused, bricks := of(b, Calls, "db"), of(b, Caused, "db"), of(b, Device, "brick")
	near(t, "calls", called.Reads.PerUnit, 2000.0/units)
	near(t, "size of a call", called.Writes.Bytes, 8192)
	near(t, "amplification at the bricks", bricks.Writes.Amplification, 2)
	near(t, "bytes read", caused.Reads.BytesPerUnit, 2*4096e2/units)
	if called.Writes.Amplification != 0 || bricks.Writes.Sequential != nil {
		t.Errorf("calls and devices that are not all known have figures: %+v %+v", called.Writes, bricks.Writes)
	}
	near(t, "requests of both bricks, each once", bricks.Writes.PerUnit, 200.0/units)
	if moves := b.Moves(); len(moves) != 1 || moves[0].Known || moves[0].From != of(b, PassedOn, "brick").Writes {
		t.Errorf("moves are %+v", moves)
	}
	part := append(calls("db-000"), sample{"instance", "db-001", "units", 3})
	b = Of(&trust.Evidence{}, []*result.Trial{trialOf(describe.Profile{}, db, devices, slices.Concat(part, disks)...)})
	if l := of(b, Calls, "db"); l.Reads != nil || l.Writes != nil {
		t.Errorf("half of a role stands for all: %+v", l)
	}
}

// A sentence needs a clear change in each repetition; near misses have none.
func TestChangesThatAreClear(t *testing.T) {
	type disk struct{ before, after, bytes, sequential float64 }
	same := disk{units, units, units * 16384, 0}
	for name, c := range map[string]struct {
		work        describe.Profile
		repetitions []disk
		want        bool
	}{
		"as made":                        {writing, []disk{same, same}, false},
		"larger":                         {writing, []disk{{units, units / 2, units * 16384, 0}}, true},
		"smaller":                        {writing, []disk{{4 * units, 4 * units, units * 16384, 0}}, true},
		"nearly 1.5 times as large":      {writing, []disk{{units, units / 1.49, units * 16384, 0}}, false},
		"more sequential":                {writing, []disk{{units, units, units * 16384, 0.26}, {units, units, units * 16384, 0.4}}, true},
		"hardly more sequential":         {writing, []disk{{units, units, units * 16384, 0.24}}, false},
		"in one of two repetitions":      {writing, []disk{{units, units, units * 16384, 0.9}, same}, false},
		"larger once, smaller once":      {writing, []disk{{units, units / 2, units * 16384, 0}, {units, 2 * units, units * 16384, 0}}, false},
		"order not seen":                 {writing, []disk{{units, units, units * 16384, -1}}, false},
		"too few requests":               {writing, []disk{{1.5, 0.5, 1e6, 0}}, false},
		"merged, of unknown work":        {describe.Profile{}, []disk{{3 * units, units, units * 16384, -1}}, true},
		"hardly merged, of unknown work": {describe.Profile{}, []disk{{1.4 * units, units, units * 16384, 0.9}}, false},
		"of no order that a workload knows": {
			describe.Profile{Requests: []describe.Request{{Direction: describe.Writes, PerUnit: 1, Bytes: 16384}}}, []disk{{units, units, units * 16384, 0.9}}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var trials []*result.Trial
			for _, d := range c.repetitions {
				trials = append(trials, trialOf(c.work, nil, []describe.Device{{Name: "vda"}}, handed("vda", "writes", d.before, d.after, d.bytes, d.sequential)...))
			}
			b := Of(&trust.Evidence{}, trials)
			if b == nil {
				t.Fatal("no layers")
			}
			if moves := b.Moves(); (len(moves) == 1) != c.want || len(moves) > 1 {
				t.Errorf("moves are %+v, want %t", moves, c.want)
			}
		})
	}
}

// A single layer is no path, and impossible figures are none.
func TestNothingToCompare(t *testing.T) {
	bare := []sample{{"device", "vda", "writes", 50}, {"device", "vda", "write_bytes", 1e6}, {"driver", "driver-0", "write_bytes", 1e6}, {"driver", "driver-0", "read_bytes", 1e6}}
	for name, made := range map[string]*result.Trial{
		"devices of older runs": trialOf(describe.Profile{OnVolume: true}, nil, disk, bare...),
		"a workload alone":      trialOf(writing, nil, nil),
		"impossible requests": trialOf(describe.Profile{Requests: []describe.Request{
			{Direction: describe.Writes, PerUnit: math.Inf(1), Bytes: 1}, {Direction: describe.Writes, PerUnit: 1, Bytes: -1}, {Direction: describe.Reads, PerUnit: math.NaN(), Bytes: 4096},
		}}, nil, disk, bare...),
		"no work": func() *result.Trial {
			idle := trialOf(writing, nil, disk, handed("vda", "writes", 75, 20, 1e6, 0)...)
			idle.Operations = nil
			return idle
		}(),
	} {
		if b := Of(&trust.Evidence{}, []*result.Trial{made}); b != nil {
			t.Errorf("%s: %+v", name, b)
		}
	}
	// Behind a tier lie devices whose merges nothing counts: requests arrive at what the host sees.
	tiered := []describe.Device{{Name: "loop0", Role: "data"}, {Name: "loop0-slow", Role: "behind the tier"}}
	b := Of(&trust.Evidence{}, []*result.Trial{trialOf(writing, nil, tiered, slices.Concat(handed("loop0", "writes", units, units, units*16384, 0),
		[]sample{{"device", "loop0-slow", "writes", 5}, {"device", "loop0-slow", "write_bytes", 1e8}, {"device", "loop0-slow", "random_writes", 0}})...)})
	if b == nil || len(b.Moves()) != 0 {
		t.Errorf("%+v", b)
	}
	// In a pool, all of a disk have one role.
	pool := []describe.Device{{Name: "loop0", Role: "brick"}, {Name: "loop0-tier", Role: "brick", Media: "nvme"}}
	p := Of(&trust.Evidence{}, []*result.Trial{trialOf(writing, nil, pool, slices.Concat(handed("loop0", "writes", units, units, units*16384, 0),
		[]sample{{"device", "loop0-tier", "writes", 5}, {"device", "loop0-tier", "write_bytes", 1e8}})...)})
	if got := of(p, Device, "brick").Writes; got == nil || got.Bytes != 16384 || of(p, Device, "brick nvme").Writes == nil {
		t.Errorf("a device behind another is counted with it: %+v", p)
	}
	if slow := of(b, Device, "behind the tier"); slow.Writes == nil || *slow.Writes.Sequential != 1 {
		t.Errorf("%+v", slow)
	}
}
