package diagnose

import (
	"testing"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
)

// at is a rung with a mean response time and resources.
func at(instances int, mean, efficiency float64, resources ...resource.Resource) rung.Rung {
	return rung.Rung{Instances: instances, Repetitions: 1, Mean: interval.Exactly(mean), Efficiency: efficiency, Resources: resources}
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
		{"a lock", at(8, 0.9, 0.4, cpu(0.3), disk(0.2)), loadline.LoadLine{}, Cause{Kind: Waiting, Resource: "CPU", ResourceKind: resource.CPU}},
		{"a neighbour", at(8, 0.9, 0.4, neighbour, disk(0.2)), loadline.LoadLine{}, Cause{Kind: Neighbour, Resource: "CPU", ResourceKind: resource.CPU}},
		{"a neighbour, and a disk that the trial uses more", at(8, 0.9, 0.4, guests, disk(0.5)), loadline.LoadLine{}, Cause{Kind: Neighbour, Resource: "CPU", ResourceKind: resource.CPU}},
		{"failing work", failing, loadline.LoadLine{}, Cause{Kind: Failing, Resource: "CPU", ResourceKind: resource.CPU}},
		{"no devices", at(8, 0.9, 0.4, cpu(0.3)), loadline.LoadLine{}, Cause{Kind: Unknown, Resource: "CPU", ResourceKind: resource.CPU}},
		{"nothing measured", at(8, 0.9, 0.4), loadline.LoadLine{}, Cause{Kind: Unknown}},
		{"an assumed width", at(8, 0.9, 0.4, uncertain, cpu(0.3)), loadline.LoadLine{}, Cause{Kind: Uncertain, Resource: "disk sdb", ResourceKind: resource.Device}},
		{"the first rung", at(8, 0.9, 0.4, cpu(0.3), disk(0.2)), loadline.LoadLine{Next: 8}, Cause{Kind: FromStart, Resource: "CPU", ResourceKind: resource.CPU}},
	} {
		first := at(1, 0.1, 1)
		if got := Of([]rung.Rung{first, c.rung}, c.line, &c.rung).Cause(); got != c.want {
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
