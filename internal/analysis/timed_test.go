package analysis

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/result"
)

// causeOfTimed is the cause of the bottleneck of a made-up ladder, read from files, with its variant.
func causeOfTimed(t *testing.T, l analysistest.Timed, change func(*result.Trial)) (diagnose.Cause, Finding, Variant) {
	t.Helper()
	run := l.Run(1)
	for _, one := range run.Trials {
		if change != nil {
			change(one)
		}
	}
	var found Finding
	var variant Variant
	err := analysistest.InFiles(run, nil, func(filed *result.Run) {
		a, err := Analyse(filed, Options{})
		if err != nil {
			t.Fatal(err)
		}
		variant = a.Variants[0]
		for _, f := range a.Findings {
			if f.Kind == "bottleneck" {
				found = f
			}
		}
	})
	if err != nil || found.Cause == nil {
		t.Fatalf("no bottleneck: %v", err)
	}
	return *found.Cause, found, variant
}

// stations are an idle CPU and an idle disk, with one more to be added.
func stations(more ...analysistest.TimedStation) []analysistest.TimedStation {
	return append([]analysistest.TimedStation{
		{Demand: 0.002, Servers: 8, Inside: "running", Waiting: "cpu_wait", CPU: true},
		{Demand: 0.003, Inside: "device_wait", Waiting: "device_wait", Wait: "data read", Device: "vda"},
	}, more...)
}

func timedLadder(at int, busy float64, stations ...analysistest.TimedStation) analysistest.Timed {
	return analysistest.Timed{Stations: stations, At: at, Busy: busy, Rungs: []int{1, 2, 3, 4}, Repetitions: 2, Noise: 0.02}
}

var lock = analysistest.TimedStation{Inside: "other_wait", Waiting: "lock_wait", Wait: "row lock"}

// What limits is what the response time grew by, however busy a resource is.
func TestTheCauseIsWhatTheTimeIsSpentOn(t *testing.T) {
	hidden := analysistest.TimedStation{}
	cpu := stations()
	cpu[0].Servers = 2
	for _, c := range []struct {
		name   string
		ladder analysistest.Timed
		change func(*result.Trial)
		want   diagnose.Cause // Share apart
	}{
		{"a disk at 87 %", timedLadder(1, 0.87, stations()...), nil,
			diagnose.Cause{Kind: diagnose.Spent, Resource: "disk vda (v)", ResourceKind: resource.Device, Component: timeprofile.DeviceWait, Wait: "data read"}},
		{"a disk at 97 %", timedLadder(1, 0.97, stations()...), nil,
			diagnose.Cause{Kind: diagnose.Saturated, Resource: "disk vda (v)", ResourceKind: resource.Device, Component: timeprofile.DeviceWait, Wait: "data read"}},
		{"a CPU at 88 %", timedLadder(0, 0.88, cpu...), nil,
			diagnose.Cause{Kind: diagnose.Spent, Resource: "CPU of the machine", ResourceKind: resource.CPU, Component: timeprofile.CPUWait}},
		{"a lock", timedLadder(2, 0.9, stations(lock)...), nil,
			diagnose.Cause{Kind: diagnose.Spent, Role: "db", Component: timeprofile.LockWait, Wait: "row lock"}},
		{"something that nothing counts", timedLadder(2, 0.9, stations(hidden)...), nil,
			diagnose.Cause{Kind: diagnose.Waiting, Resource: "CPU of the machine", ResourceKind: resource.CPU}},
		{"a disk, of which the queue is all that is known", uncounted(timedLadder(1, 0.87, stations()...)), nil,
			diagnose.Cause{Kind: diagnose.Spent, Resource: "disk vda (v)", ResourceKind: resource.Device, Component: timeprofile.DeviceWait}},
		{"a lock, of which nothing is known", uncounted(timedLadder(2, 0.9, stations(lock)...)), nil,
			diagnose.Cause{Kind: diagnose.Waiting}},
	} {
		cause, f, _ := causeOfTimed(t, c.ladder, c.change)
		cause.Share = 0
		if c.want.Kind == diagnose.Waiting {
			cause.Resource, cause.ResourceKind = c.want.Resource, c.want.ResourceKind // the busiest, whichever
		}
		if cause != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, cause, c.want)
		}
		t.Logf("%s: %s %s", c.name, f.Text, f.Next)
	}
}

func uncounted(l analysistest.Timed) analysistest.Timed {
	l.Uncounted = true
	return l
}
