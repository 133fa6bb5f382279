package diagnose

import (
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trust"
)

// at is a rung with a mean response time and resources.
func at(instances int, mean, efficiency float64, resources ...resource.Resource) rung.Rung {
	return rung.Rung{Instances: instances, Repetitions: 1, Mean: stats.Exactly(mean), Efficiency: efficiency, Resources: resources}
}

func TestCauses(t *testing.T) {
	cpu := func(busy float64) resource.Resource {
		return resource.Resource{Name: "CPU", Kind: resource.CPU, Utilisation: busy, Servers: 8}
	}
	disk := func(busy float64) resource.Resource {
		return resource.Resource{Name: "disk sdb", Kind: resource.Device, Utilisation: busy, Servers: 1}
	}
	threads := resource.Resource{Name: "CPU of the users' threads", Kind: resource.UserThreads, Utilisation: 0.97, Servers: 1}
	neighbour := cpu(0.95)
	neighbour.Other = 0.5
	guests := cpu(0.99)
	guests.Other = 0.86
	tenant := disk(0.98)
	tenant.Other = 0.7
	uncertain := disk(0.95)
	uncertain.Uncertain = true
	failing := at(8, 0.1, 1, cpu(0.3), disk(0.3))
	failing.Errors = 0.5
	for _, c := range []struct {
		name string
		rung rung.Rung
		line loadline.LoadLine
		want Cause
	}{
		{"a disk", at(8, 0.5, 0.5, disk(0.95), cpu(0.3)), loadline.LoadLine{}, Cause{Kind: Saturated, Resource: "disk sdb", ResourceKind: resource.Device}},
		{"the users' threads", at(8, 0.5, 0.5, threads, disk(0.2), cpu(0.3)), loadline.LoadLine{}, Cause{Kind: Driver, Resource: threads.Name, ResourceKind: resource.UserThreads}},
		{"users who think", at(8, 0.11, 1, cpu(0.3), disk(0.2)), loadline.LoadLine{}, Cause{Kind: Users, Resource: "CPU", ResourceKind: resource.CPU}},
		{"… and miss an objective", at(8, 0.11, 1, cpu(0.3), disk(0.2)), loadline.LoadLine{Rung: 1, Next: 8}, Cause{Kind: Users, Resource: "CPU", ResourceKind: resource.CPU}},
		{"users who wait, and miss an objective", at(8, 0.16, 1, cpu(0.3), disk(0.2)), loadline.LoadLine{Rung: 1, Next: 8}, Cause{Kind: Waiting, Resource: "CPU", ResourceKind: resource.CPU}},
		{"users who wait, within the objectives", at(8, 0.16, 1, cpu(0.3), disk(0.2)), loadline.LoadLine{Rung: 8}, Cause{Kind: Users, Resource: "CPU", ResourceKind: resource.CPU}},
		{"a lock", at(8, 0.9, 0.4, cpu(0.3), disk(0.2)), loadline.LoadLine{}, Cause{Kind: Waiting, Resource: "CPU", ResourceKind: resource.CPU}},
		{"a neighbour", at(8, 0.9, 0.4, neighbour, disk(0.2)), loadline.LoadLine{}, Cause{Kind: Neighbour, Resource: "CPU", ResourceKind: resource.CPU}},
		{"a neighbour, and a disk that the trial uses more", at(8, 0.9, 0.4, guests, disk(0.5)), loadline.LoadLine{}, Cause{Kind: Neighbour, Resource: "CPU", ResourceKind: resource.CPU}},
		{"a disk of another tenant's", at(8, 0.9, 0.4, tenant, cpu(0.3)), loadline.LoadLine{}, Cause{Kind: Neighbour, Resource: "disk sdb", ResourceKind: resource.Device}},
		{"failing work", failing, loadline.LoadLine{}, Cause{Kind: Failing, Resource: "CPU", ResourceKind: resource.CPU}},
		{"no devices", at(8, 0.9, 0.4, cpu(0.3)), loadline.LoadLine{}, Cause{Kind: Unknown, Resource: "CPU", ResourceKind: resource.CPU}},
		{"nothing measured", at(8, 0.9, 0.4), loadline.LoadLine{}, Cause{Kind: Unknown}},
		{"an assumed width", at(8, 0.9, 0.4, uncertain, cpu(0.3)), loadline.LoadLine{}, Cause{Kind: Uncertain, Resource: "disk sdb", ResourceKind: resource.Device}},
		{"the first rung", at(8, 0.9, 0.4, cpu(0.3), disk(0.2)), loadline.LoadLine{Next: 8}, Cause{Kind: FromStart, Resource: "CPU", ResourceKind: resource.CPU}},
	} {
		first := at(1, 0.1, 1)
		if got := Diagnose([]rung.Rung{first, c.rung}, c.line, &c.rung).Cause(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// What response time that grew is spent on: by queueing alone a single server at 50 % doubles it.
func TestWaits(t *testing.T) {
	disk := resource.Resource{Name: "disk sdb", Kind: resource.Device, Utilisation: 0.5, Busy: 0.5, Servers: 1}
	queued := disk
	queued.Queue, queued.Busy = 40, 1 // of 50 orders/s for 0.9 s each
	for _, c := range []struct {
		name   string
		growth float64
		disk   resource.Resource
		closed bool
		want   Wait
	}{
		{"as much as queueing makes", 2, disk, true, ByQueueing},
		{"in a queue that was measured", 9, queued, true, InQueue},
		{"with users elsewhere", 9, disk, false, Elsewhere},
		{"a lock", 9, disk, true, Software},
	} {
		r := at(8, 0.9, 0.4, c.disk)
		r.UnitsPerSecond = 50
		if got := (Diagnosis{Kind: Waiting, Top: &c.disk, Growth: c.growth}).WaitsFor(&r, c.closed); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// A resource that is nearly used up limits only where queueing for it can make the response time.
func TestQueueingThatCanMakeTheTime(t *testing.T) {
	disk := func(busy, demand float64) resource.Resource {
		return resource.Resource{Name: "disk sdb", Kind: resource.Device, Utilisation: busy, Busy: busy, Servers: 1, Demand: demand}
	}
	cpu := resource.Resource{Name: "CPU", Kind: resource.CPU, Utilisation: 0.3, Servers: 8}
	shared := disk(0.87, 0.018)
	shared.Other = 0.2
	for _, c := range []struct {
		name string
		disk resource.Resource
		mean float64 // of 0.1 s at the smallest rung
		line loadline.LoadLine
		want Kind
	}{
		{"a disk at 87 %", disk(0.87, 0.05), 0.5, loadline.LoadLine{Rung: 1, Next: 8}, Queueing},
		{"… that makes too little of the time", disk(0.87, 0.005), 0.5, loadline.LoadLine{Rung: 1, Next: 8}, Waiting},
		{"… after growth beyond queueing", disk(0.87, 0.05), 1.2, loadline.LoadLine{Rung: 1, Next: 8}, Waiting},
		{"… that others use", shared, 0.5, loadline.LoadLine{Rung: 1, Next: 8}, Waiting},
		{"a disk at 78 %", disk(0.78, 0.05), 0.5, loadline.LoadLine{Rung: 1, Next: 8}, Waiting},
		{"users who hardly wait, within the objectives", disk(0.87, 0.05), 0.15, loadline.LoadLine{Rung: 8, Open: true}, Waiting},
	} {
		first, r := at(1, 0.1, 1, disk(0.2, c.disk.Demand), cpu), at(8, c.mean, 0.5, c.disk, cpu)
		if got := Diagnose([]rung.Rung{first, r}, c.line, &r).Cause(); got.Kind != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
	alone := at(1, 0.1, 1, disk(0.87, 0.02), cpu)
	if got := Diagnose([]rung.Rung{alone}, loadline.LoadLine{Next: 1}, &alone).Cause(); got.Kind != Queueing {
		t.Errorf("the smallest rung: %+v", got)
	}
	alone = at(1, 0.1, 1, disk(0.87, 0.002), cpu)
	if got := Diagnose([]rung.Rung{alone}, loadline.LoadLine{Next: 1}, &alone).Cause(); got.Kind != FromStart {
		t.Errorf("the smallest rung, of a disk that makes little of it: %+v", got)
	}
}

func TestDepartures(t *testing.T) {
	cpu := func(demand float64) resource.Resource {
		return resource.Resource{Name: "CPU", Kind: resource.CPU, Utilisation: 0.5, Servers: 8, Demand: demand}
	}
	assumed := resource.Resource{Name: "disk sdb", Kind: resource.Device, Utilisation: 0.2, Busy: 0.2, Servers: 1, Assumed: "it is said to rotate", Uncertain: true}
	for _, c := range []struct {
		name      string
		predicted float64 // s; 0.1 was measured
		small, r  []resource.Resource
		want      Departure
	}{
		{"within a quarter", 0.09, nil, nil, Agrees},
		{"longer, and more is needed", 0.05, []resource.Resource{cpu(0.01)}, []resource.Resource{cpu(0.02)}, NeedsMore},
		{"longer, and a width is assumed", 0.05, []resource.Resource{cpu(0.01)}, []resource.Resource{cpu(0.01), assumed}, AssumedWidth},
		{"longer", 0.05, []resource.Resource{cpu(0.01)}, []resource.Resource{cpu(0.01)}, Unexplained},
		{"shorter, and less is needed", 0.2, []resource.Resource{cpu(0.02)}, []resource.Resource{cpu(0.01)}, NeedsLess},
		{"shorter, and a width is assumed", 0.2, []resource.Resource{cpu(0.02)}, []resource.Resource{cpu(0.01), assumed}, AssumedWidth},
		{"shorter", 0.2, []resource.Resource{cpu(0.01)}, []resource.Resource{cpu(0.01)}, Undescribed},
	} {
		small, r := at(1, 0.05, 1, c.small...), at(8, 0.1, 1, c.r...)
		if got := DepartureOf(c.predicted, &small, &r); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// did gives a rung three trials, with unsteady work in some; its objective is met as
// recorded.
func did(r rung.Rung, trials int, severity trust.Severity, c steadiness.Unsteadiness) rung.Rung {
	r.Repetitions = 3
	for n := range trials {
		r.Unsteady = append(r.Unsteady, rung.UnsteadyTrial{Trial: string(rune('a' + n)), Severity: severity, Course: c})
	}
	return r
}

// missed has a rung miss an objective of 50 ms, by so much as recorded and in truth.
func missed(r rung.Rung, recorded, value float64) rung.Rung {
	r.Objectives = []rung.ObjectiveResult{{Metric: "p99", Limit: 0.05, Recorded: recorded, Value: value}}
	return r
}

// Work that was not steady hides what limits: figures over its time show no resource used up,
// though one may have been for a part of it. A resource that is used up over all of it limits
// nevertheless, but where a stall alone breaks the rung.
func TestUnsteadyWork(t *testing.T) {
	cpu := resource.Resource{Name: "CPU", Kind: resource.CPU, Utilisation: 0.3, Servers: 8}
	disk := func(busy float64) resource.Resource {
		return resource.Resource{Name: "disk sdb", Kind: resource.Device, Utilisation: busy, Servers: 1}
	}
	slow := func(busy float64) rung.Rung { return at(8, 0.9, 0.4, disk(busy), cpu) }
	drift := steadiness.Unsteadiness{Kind: steadiness.Drift, Change: -0.3, Influence: 0.4}
	stall := steadiness.Unsteadiness{Kind: steadiness.Stall, Still: 5, Influence: 0.4}
	saturated := Cause{Kind: Saturated, Resource: "disk sdb", ResourceKind: resource.Device}
	waiting := Cause{Kind: Waiting, Resource: "disk sdb", ResourceKind: resource.Device}
	for _, c := range []struct {
		name string
		rung rung.Rung
		line loadline.LoadLine
		want Cause
	}{
		{"most trials", did(slow(0.4), 2, trust.Caution, drift), loadline.LoadLine{}, Cause{Kind: Unsteady, Course: steadiness.Drift}},
		{"one of three", did(slow(0.4), 1, trust.Serious, drift), loadline.LoadLine{}, waiting},
		{"only noted", did(slow(0.4), 3, trust.Note, drift), loadline.LoadLine{}, waiting},
		{"a disk that is used up", did(slow(0.95), 3, trust.Serious, drift), loadline.LoadLine{}, saturated},
		{"nothing resists", did(at(8, 0.11, 1, disk(0.4), cpu), 3, trust.Serious, drift), loadline.LoadLine{}, Cause{Kind: Users, Resource: "disk sdb", ResourceKind: resource.Device}},
		{"the first rung", did(at(8, 0.11, 1, disk(0.4), cpu), 3, trust.Serious, drift), loadline.LoadLine{Next: 8}, Cause{Kind: Unsteady, Course: steadiness.Drift}},
		{"no devices", did(at(8, 0.9, 0.4, cpu), 3, trust.Serious, drift), loadline.LoadLine{}, Cause{Kind: Unknown, Resource: "CPU", ResourceKind: resource.CPU}},
		{"a stall alone", missed(did(slow(0.95), 1, trust.Note, stall), 0.04, 4), loadline.LoadLine{}, Cause{Kind: Unsteady, Course: steadiness.Stall, Alone: true}},
		{"a stall, and missed as recorded", missed(did(slow(0.95), 3, trust.Serious, stall), 0.06, 4), loadline.LoadLine{}, saturated},
		{"a stall that hid nothing", missed(did(slow(0.95), 3, trust.Serious, stall), 0, 0.06), loadline.LoadLine{}, saturated},
		{"a stall without telemetry", missed(did(at(8, 0.9, 0.4), 1, trust.Caution, stall), 0.04, 4), loadline.LoadLine{}, Cause{Kind: Unsteady, Course: steadiness.Stall, Alone: true}},
	} {
		if got := Diagnose([]rung.Rung{at(1, 0.1, 1), c.rung}, c.line, &c.rung).Cause(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	failing := missed(did(slow(0.4), 3, trust.Serious, stall), 0.04, 4)
	failing.Failed = 3
	if failing.BrokenByStalls() != nil {
		t.Error("a rung whose trials failed is broken by a stall alone")
	}
}
