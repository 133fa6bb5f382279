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
