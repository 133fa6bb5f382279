package limit

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
)

// orders is a variant of orders with the rung 1, where one takes 100 ms, and rung 8 with a mean
// and resources, where its line ends.
func orders(mean float64, resources ...resource.Resource) (*model.Variant, *rung.Rung) {
	v := &model.Variant{Name: "a", LoadLine: loadline.LoadLine{Rung: 1, Next: 8}}
	v.Work.Unit = describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM", Seconds: 60}
	v.Rungs = []rung.Rung{
		{Instances: 1, Repetitions: 1, Kept: true, Mean: stats.Exactly(0.1), Throughput: stats.Exactly(1000), Efficiency: 1},
		{Instances: 8, Repetitions: 1, Mean: stats.Exactly(mean), Throughput: stats.Exactly(4000), Efficiency: 0.5, UnitsPerSecond: 4000. / 60, Resources: resources},
	}
	return v, &v.Rungs[1]
}

// subject is a run without figures: the sentences take theirs from the variant.
func subject() *setup.Subject { return setup.New(analysistest.MadeUp(nil)) }

func named(kind resource.Kind, name, bracket string, used float64, servers float64) resource.Resource {
	l := trial.Label{Name: name, Bracket: bracket}
	return resource.Resource{Name: l.String(), Label: l, Kind: kind, Utilisation: used, Busy: used, Servers: servers}
}

func cpu(used float64) resource.Resource {
	return named(resource.CPU, "CPU of the machine", "", used, 8)
}
func disk(used float64) resource.Resource {
	return named(resource.Device, "disk loop3", "hdd", used, 1)
}

// changed is a resource with something else about it.
func changed(r resource.Resource, change func(*resource.Resource)) resource.Resource {
	change(&r)
	return r
}

// What limits is named in the finding, and in a clause of the verdict.
func TestWhatLimitsInWords(t *testing.T) {
	shared := changed(cpu(0.99), func(r *resource.Resource) { r.Other = 0.86 })
	wide := changed(disk(0.95), func(r *resource.Resource) { r.Uncertain, r.Assumed = true, "nothing says how many" })
	odd := changed(disk(0.1), func(r *resource.Resource) { r.Uncertain, r.Queue, r.Utilisation = true, 20, 0.95 })
	users := named(resource.UserThreads, "CPU of the users' threads", "", 0.98, 1)
	node := changed(named(resource.Node, "CPU of peer1", "", 0.66, 0.1), func(r *resource.Resource) { r.Throttled = 0.7 })
	quota := changed(named(resource.Container, "CPU quota of this container", "control group /docker/4f2", 0.97, 0.6), func(r *resource.Resource) { r.Throttled, r.Periods = 149./208, 208 })
	workers := changed(named(resource.Gauge, "workers of php", "php-fpm", 1, 32), func(r *resource.Resource) { r.Role, r.Queue, r.Demand = "php", 44, 0.2 })
	for _, c := range []struct {
		name      string
		mean      float64
		resources []resource.Resource
		head      string
		clause    string
	}{
		{"a disk", 0.9, []resource.Resource{changed(disk(0.96), func(r *resource.Resource) { r.Demand = 0.018 }), cpu(0.3)},
			"Disk loop3 (hdd) is the bottleneck of `a`: 96 % busy at 8 instances, with a demand of 18 ms per order.", "disk loop3 is the bottleneck (96 % busy at 8 instances)"},
		{"a disk beside a neighbour", 0.9, []resource.Resource{disk(0.99), shared},
			"Disk loop3 (hdd) is the bottleneck of `a`: 99 % busy at 8 instances; also, processes outside the trial used the machine (86 % of its CPU at 8).", "disk loop3 is the bottleneck (99 % busy at 8 instances)"},
		{"a neighbour", 0.9, []resource.Resource{shared, disk(0.5)},
			"The CPU of the machine was 99 % busy at 8 instances, 86 % of it used by processes other than `a`, its driver and its storage, so this run does not show what it carries on an idle machine.",
			"what limits it is not shown, as it was disturbed: processes outside the trial used the machine (86 % of its CPU at 8)"},
		{"the driver's part", 0.9, []resource.Resource{cpu(0.97), disk(0.2), changed(named(resource.Driver, "driver CPU", "", 0.3, 8), func(r *resource.Resource) { r.Whose = trial.Called("the driver") })},
			"CPU of the machine is the bottleneck of `a`: 97 % busy at 8 instances; 30 % by the driver, which separate machines would free up.", "CPU of the machine is the bottleneck (97 % busy at 8 instances, 30 % by the driver)"},
		{"the users' threads", 0.9, []resource.Resource{users, disk(0.2), cpu(0.15)},
			"CPU of the users' threads is the bottleneck of `a`: 98 % busy at 8 instances; a user does one thing after the other, so none is faster than one core of the machine that runs the driver.",
			"CPU of the users' threads is the bottleneck (98 % busy at 8 instances)"},
		{"a limit that throttles", 0.9, []resource.Resource{node, disk(0.2), cpu(0.15)},
			"CPU of peer1 is the bottleneck of `a`: used to 66 % of its limit at 8 instances; its limit throttled it in 70 % of the periods in which it had work, although its average use is below the limit.",
			"CPU of peer1 is the bottleneck (used to 66 % of its limit at 8 instances, throttled by its limit in 70 % of periods)"},
		{"a quota", 0.9, []resource.Resource{quota, disk(0.2), cpu(0.15)},
			"CPU quota of this container (control group /docker/4f2) is the bottleneck of `a`: 97 % used at 8 instances; the quota is 0.6 cores, throttled in 149 of 208 periods.",
			"CPU quota of this container is the bottleneck (97 % used at 8 instances, 0.6 cores, throttled in 149 of 208 periods)"},
		{"workers", 0.9, []resource.Resource{workers, disk(0.2), cpu(0.15)},
			"Workers of php (php-fpm) are the bottleneck of `a`: the 32 were 100 % busy at 8 instances, with 12 requests waiting on average; an order occupies one for 200 ms; of everything else the busiest is disk loop3 (hdd), at 20 %.",
			"workers of php are the bottleneck (100 % busy at 8 instances, 12 requests waiting on average)"},
		{"users who think", 0.11, []resource.Resource{disk(0.3), cpu(0.2)}, // and grow with the load
			"No resource is saturated on `a` up to 8 instances: the busiest is disk loop3 (hdd) at 30 %, and response time hardly grew. The users and their think time set the throughput.",
			"nothing measured is saturated (disk loop3 30 % busy at 8 instances)"},
		{"no telemetry of devices", 0.9, []resource.Resource{cpu(0.2)},
			"The bottleneck of `a` at 8 instances is unknown: the storage's devices were not measured.", "the bottleneck is unknown: the storage's devices were not measured"},
		{"no CPU", 0.9, []resource.Resource{disk(0.2)},
			"The bottleneck of `a` at 8 instances is unknown: the machine's CPU was not measured.", "the bottleneck is unknown: the machine's CPU was not measured"},
		{"an assumed width", 0.9, []resource.Resource{wide, cpu(0.2)},
			"The bottleneck of `a` at 8 instances is unknown: nothing else is saturated (the busiest is CPU of the machine at 20 %), and disk loop3 had requests in flight for 95 % of the time, which is normal for a device that serves several requests in parallel.",
			"whether disk loop3 is the bottleneck is unknown: its parallelism is only assumed"},
		{"counts that contradict", 0.9, []resource.Resource{odd, cpu(0.2)},
			"The bottleneck of `a` at 8 instances is unknown: nothing else is saturated (the busiest is CPU of the machine at 20 %), and of disk loop3 what the kernel counts is contradictory.",
			"whether disk loop3 is the bottleneck is unknown: its busy time and its queue contradict each other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, r := orders(c.mean, c.resources...)
			if c.mean < 0.2 {
				r.Efficiency = 1
			}
			if got := bottleneckHead(subject(), v, r, diagnose.Diagnose(v.Rungs, v.LoadLine, r)); got != c.head {
				t.Errorf("got  %s\nwant %s", got, c.head)
			}
			if got := GivesOut(v, "instance"); got != c.clause {
				t.Errorf("got  %s\nwant %s", got, c.clause)
			}
		})
	}
}

// For roles that share the CPU of a machine, the finding states each one's share.
func TestSharesOfRolesAreTold(t *testing.T) {
	role := func(name, engine string, used, demand float64) resource.Resource {
		return resource.Resource{Name: name, Kind: resource.Role, Role: name, Whose: trial.Label{Name: name, Bracket: engine}, Utilisation: used, Demand: demand, Servers: 8}
	}
	v, r := orders(0.9, changed(cpu(0.99), func(r *resource.Resource) { r.Demand = 0.027 }), role("php", "php-fpm", 0.67, 0.018), role("db", "mariadb", 0.22, 0.006), role("web", "nginx", 0.11, 0.003), disk(0.2))
	const want = "php (php-fpm) takes most of it (67 % of the machine's CPU, 18 ms per order; db 6 ms and web 3 ms)"
	if got := sharesText(r, v.Work.Unit.Name); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Errors that broke the rung are reported, with their cause.
func TestFailingWorkInWords(t *testing.T) {
	v, r := orders(0.1, disk(0.2), cpu(0.3))
	r.Errors, r.ErrorClasses = 0.2, map[string]int64{"timeout": 200}
	if got := ErrorsAt(v, r, "instance"); got != "20 % of orders failed (timeout 20 %) at 8 instances" {
		t.Error(got)
	}
	const want = "On `a` at 8 instances the problem is failing orders, not slow ones: 20 % of orders failed (timeout 20 %)."
	if got := bottleneckHead(subject(), v, r, diagnose.Diagnose(v.Rungs, v.LoadLine, r)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The bound from a resource's demand is stated if no other rung exceeded it.
func TestTheBoundOfADemand(t *testing.T) {
	v, r := orders(0.9, changed(cpu(0.6), func(r *resource.Resource) { r.Demand = 0.01 }), disk(0.1))
	f := model.Finding{Numbers: map[string]float64{}}
	if got := boundText(v, r, r.Resources[0], &f); got != "At this demand CPU of the machine would be fully busy at 6,667 OPM; the measurement was 4,000." || f.Numbers["bound"] == 0 {
		t.Error(got)
	}
	v.Rungs[0].Throughput = stats.Exactly(8000)
	if got := boundText(v, r, r.Resources[0], &f); got != "" {
		t.Error(got)
	}
}

// Waiting that grew with nothing saturated is for locks only where nothing else explains it.
func TestWaitingInWords(t *testing.T) {
	for want, c := range map[string]struct {
		growth float64
		disk   resource.Resource
	}{
		"response time grew 2 times, as queueing for it alone can make it.": {2, disk(0.5)},
		"yet response time grew 9 times.":                                   {9, disk(0.5)}, // of users of whom nothing is known
		"yet response time grew 9 times: an order spends 67 % of its time at disk loop3, by the 40 requests in flight there (Little's law).":                                                                                      {9, changed(disk(0.5), func(r *resource.Resource) { r.Queue, r.Busy = 40, 1 })},
		"yet response time grew 9 times. Disk loop3 had requests under way for 99 % of the time, 3 at once of the 10 that it serves: users wait for requests of others to end, as commits do in the log of a shared file system.": {9, changed(disk(0.5), func(r *resource.Resource) { r.Queue, r.Busy, r.Servers = 3, 0.99, 10 })},
	} {
		v, r := orders(0.1*c.growth, c.disk, cpu(0.2))
		got := softwareText(subject(), v, r, diagnose.Diagnose(v.Rungs, v.LoadLine, r))
		if !strings.HasPrefix(got, "Nothing that was measured is saturated on `a` at 8 instances: the busiest is disk loop3 (hdd) at 50 %") || !strings.HasSuffix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestDeparturesInWords(t *testing.T) {
	demands := func(cpuDemand float64) []resource.Resource {
		return []resource.Resource{changed(cpu(0.5), func(r *resource.Resource) { r.Demand = cpuDemand }), changed(disk(0.4), func(r *resource.Resource) { r.Assumed = "nothing says" })}
	}
	v, r := orders(0.9, demands(0.02)...)
	small := &v.Rungs[0]
	small.Resources = demands(0.03)
	for d, want := range map[diagnose.Departure]string{
		diagnose.Agrees:       "the model is within 25 % of the measurement.",
		diagnose.NeedsMore:    "the demands of an order grew from 30 ms to 20 ms in all.",
		diagnose.NeedsLess:    "orders need less under load than at the smaller rung (20 ms of all resources instead of 30 ms), as when writes are batched or more is found in caches.",
		diagnose.AssumedWidth: "nothing follows from that, because how many requests disk loop3 serves in parallel is only assumed.",
		diagnose.Unexplained:  "no queue that was measured explains the rest.",
		diagnose.Undescribed:  "the network does not describe this rung.",
	} {
		if got := departureText(v, small, r, d); got != want {
			t.Errorf("%d: got  %s\nwant %s", d, got, want)
		}
	}
}

func TestWorkersThatWaitThemselvesInWords(t *testing.T) {
	at := func(demand float64) resource.Resource { return resource.Resource{Kind: resource.Gauge, Demand: demand} }
	first := &rung.Rung{Instances: 1}
	if got := waitsBehind(first, at(0.1), at(0.5)); got != "At 1 it was 100 ms: requests wait for something further on as well, which nothing measured explains, and more of them may not help." {
		t.Error(got)
	}
	if got := waitsBehind(first, at(0.1), at(0.15)); got != "" {
		t.Error(got)
	}
}

// A second saturated resource is named as well as the busiest.
func TestBothSaturatedResourcesAreNamed(t *testing.T) {
	r := &rung.Rung{Instances: 8, Resources: []resource.Resource{
		{Name: "CPU of the machine", Kind: "cpu", Utilisation: 0.97, Servers: 4},
		{Name: "disk sdb (hdd)", Label: trial.Label{Name: "disk sdb", Bracket: "hdd"}, Kind: "device", Utilisation: 0.94, Servers: 1},
		{Name: "network eth0", Kind: "network", Utilisation: 0.2},
	}}
	if text := saturatedToo(r, &r.Resources[0]); text != "disk sdb (94 % busy) is saturated as well" {
		t.Error(text)
	}
}

// Only what was measured is ruled out.
func TestLocksNeedTheRestToBeMeasured(t *testing.T) {
	for _, c := range []struct {
		open         resource.BlindSpots
		says, denies string
	}{
		{resource.BlindSpots{}, "uses no resource: locks", "not known"},
		{resource.BlindSpots{Cores: true}, "nothing was measured of the busiest core: a full core, locks", "uses no resource"},
		{resource.BlindSpots{Pressure: true}, "how long work waited for CPU, memory and I/O: want of memory, locks", "a full core"},
		{resource.BlindSpots{Cores: true, Pressure: true}, "a full core, want of memory, locks", "uses no resource"},
	} {
		if got := restText(c.open); !strings.Contains(got, c.says) || strings.Contains(got, c.denies) {
			t.Errorf("%+v: %s", c.open, got)
		}
	}
}

// A part that grew by more than the response time is not called all of it: others shrank. Where
// nothing did, the excess is an error of counting.
func TestGrowthThatOthersMakeUpFor(t *testing.T) {
	of := func(component describe.Component, seconds float64) timeprofile.Growth {
		return timeprofile.Growth{Component: component, Role: "db", Seconds: seconds, Share: stats.Exactly(seconds / 0.557e-3)}
	}
	nowhere := func(int) *resource.Resource { return nil }
	waiting := of(describe.CPUWait, 1.73e-3)
	for want, growth := range map[string][]timeprofile.Growth{
		"1.73 ms more waiting for the CPU, while the rest takes less": {waiting, of(describe.Running, -0.75e-3)},
		"all of that waiting for the CPU":                             {waiting, of(describe.Running, -0.01e-3)},
	} {
		if got := partsText(growth, nowhere); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
