package limit

import (
	"testing"

	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Servers without state can become more of them.
func TestAQuotaIsRaisedOrShared(t *testing.T) {
	e := experiment.Experiment{Kind: experiment.RaiseQuota, Top: resource.Resource{Name: "CPU limit of a db server", Kind: resource.Quota, Role: "db"}, From: "0.5", To: "1"}
	v := &model.Variant{}
	if got := nextText(e, v); got != "Raise the CPU limit of a db server from 0.5 to 1 cores." {
		t.Error(got)
	}
	e.Server = result.Server{Count: 2, Stateless: true}
	if got := nextText(e, v); got != "Raise the CPU limit of a db server from 0.5 to 1 cores, or run 4 of them in each instance (stack.db.count)." {
		t.Error(got)
	}
}

// The kind of the experiment decides what the text asks for.
func TestWhatIsAskedFor(t *testing.T) {
	v := &model.Variant{}
	v.Work.Unit = describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM"}
	v.LoadLine.Count.Value = 4
	top := func(kind resource.Kind, name string, servers float64) resource.Resource {
		return resource.Resource{Name: name, Kind: kind, Servers: servers}
	}
	for _, c := range []struct {
		e    experiment.Experiment
		want string
	}{
		{experiment.Experiment{Kind: experiment.FindErrors}, "First find out why orders fail: `plimsoll show` of one of its trials lists the errors, and the servers' logs are stored with it. Until that is fixed, neither more load nor faster storage will help."},
		{experiment.Experiment{Kind: experiment.Observe, Missing: resource.BlindSpots{Storage: true}}, "Measure this rung again with telemetry, including the storage's devices."},
		{experiment.Experiment{Kind: experiment.Observe, Missing: resource.BlindSpots{Machines: []string{"store-2"}}}, "Measure this rung again with telemetry of node store-2."},
		{experiment.Experiment{Kind: experiment.SpreadThread}, "Find what fills one core of the machine (`top -H` while the load runs: a server's only thread, or the interrupts of one device), and spread it over more, or run it on a faster core."},
		{experiment.Experiment{Kind: experiment.MoreMemory}, "Give what runs on the machine more memory, or let it keep less there, and measure this rung again."},
		{experiment.Experiment{Kind: experiment.MoreThreads}, "Have twice as many users: each of these had a core to itself and used it up."},
		{experiment.Experiment{Kind: experiment.TellApart}, "Measure these rungs again with more repetitions: waiting that was counted explains the growth, but none of it is shown to have grown most. If that stays so, no single change gives more than its own part."},
		{experiment.Experiment{Kind: experiment.FewerOnDriver}, "Have fewer instances on each driver (load.instances_per_driver): these figures measure the load generator."},
		{experiment.Experiment{Kind: experiment.MoreDrivers}, "Give the drivers more machines, or more cores: these figures measure the load generator."},
		{experiment.Experiment{Kind: experiment.RaiseContainer, Top: top(resource.Container, "CPU quota of this container", 0.6)}, "Run without this quota, or with 1.2 cores (docker run --cpus, resources.limits.cpu of a pod, CPUQuota= of a service), and measure this rung again."},
		{experiment.Experiment{Kind: experiment.RaiseCapacity, Top: top(resource.Network, "network eth0 of node worker-2", 1)}, "Raise the capacity of network eth0 of node worker-2 and measure this rung again."},
		{experiment.Experiment{Kind: experiment.MoreStorageCPU, Forecast: experiment.Forecast{Factor: 2}}, "Give the storage nodes 2 times the CPU."},
		{experiment.Experiment{Kind: experiment.FasterMedium, Forecast: experiment.Forecast{Factor: 4, Line: 16}}, "Put the volumes on a medium that serves this load 4 times as fast, or on that many times the drives: predicted load line 16."},
		{experiment.Experiment{Kind: experiment.FasterMedium, Forecast: experiment.Forecast{Factor: 4, Off: 0.4}}, "Put the volumes on a medium that serves this load 4 times as fast, or on that many times the drives; no load line is predicted, because the queueing model built from the measured demands is off by 40 % here."},
		{experiment.Experiment{Kind: experiment.FasterMedium, Path: "storage.ssd.read_rate", From: "300MB/s", To: "600MB/s", Rungs: []int{22}, Throughput: stats.Exactly(597), Forecast: experiment.Forecast{Factor: 4, Line: 41}},
			"Put the volumes on a medium that serves this load 4 times as fast, or on that many times the drives: predicted load line 41. To prove it here, measure 22 with storage.ssd.read_rate at 600MB/s instead of 300MB/s: throughput should come to about 597 OPM."},
		{experiment.Experiment{Kind: experiment.HalveCPU, Whom: "instance", From: "2", To: "1", Throughput: stats.Exactly(500)}, "To prove it here, limit each instance to 1 of the 2 cores that it used: throughput should fall to about half, 500 OPM."},
	} {
		if got := nextText(c.e, v); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
