package analysis

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/describe"
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
	quota := stations()
	quota[0].Servers, quota[0].Waiting, quota[0].CPU, quota[0].Quota = 1, "quota_wait", false, 0.25
	also := lock
	also.Part = 0.97
	beside := stations(lock)
	beside[1].Part = 0.66
	failing := func(t *result.Trial) {
		o := t.Operations["order"]
		o.Errors = map[string]int64{"refused": o.Count}
		t.Operations["order"] = o
	}
	silent := func(t *result.Trial) {
		t.Resources = slices.DeleteFunc(t.Resources, func(r result.ResourceSummary) bool {
			return r.Name == "db-000" && r.Kind == "time"
		})
	}
	for _, c := range []struct {
		name   string
		ladder analysistest.Timed
		change func(*result.Trial)
		want   diagnose.Cause // shares apart
		says   []string
	}{
		{"a disk at 87 %", timedLadder(1, 0.87, stations()...), nil,
			diagnose.Cause{Kind: diagnose.Spent, Resource: "disk vda (v)", ResourceKind: resource.Device, Component: describe.DeviceWait, Wait: "data read"}, []string{"Disk vda limits `v`: at 4 instances an order takes 46.4 ms, 19.5 ms more than at 3: all of that waiting for disk vda (data read", "was 87 % busy there", "would be fully busy at", "Put the volumes on a medium"}},
		{"a disk at 97 %", timedLadder(1, 0.97, stations()...), nil,
			diagnose.Cause{Kind: diagnose.Saturated, Resource: "disk vda (v)", ResourceKind: resource.Device, Component: describe.DeviceWait, Wait: "data read"}, []string{"Disk vda (v) is the bottleneck", "all of that waiting for disk vda"}},
		{"a CPU at 88 %", timedLadder(0, 0.88, cpu...), nil,
			diagnose.Cause{Kind: diagnose.Spent, Resource: "CPU of the machine", ResourceKind: resource.CPU, Component: describe.CPUWait}, nil},
		{"a lock", timedLadder(2, 0.9, stations(lock)...), nil,
			diagnose.Cause{Kind: diagnose.Spent, Role: "db", Component: describe.LockWait, Wait: "row lock"}, []string{"Waiting for a row lock of db limits `v`", "No resource is used up", "Vary what holds the lock"}},
		{"a CPU limit at 88 %", timedLadder(0, 0.88, quota...), nil,
			diagnose.Cause{Kind: diagnose.Spent, Resource: "CPU limit of an instance", ResourceKind: resource.Quota, Role: "db", Component: describe.QuotaWait}, nil},
		{"a disk and a lock", timedLadder(1, 0.9, stations(also)...), nil,
			diagnose.Cause{Kind: diagnose.Spent, Resource: "disk vda (v)", ResourceKind: resource.Device, Component: describe.DeviceWait, Wait: "data read", WithComponent: describe.LockWait}, []string{"Disk vda and waiting for a row lock of db limit `v`"}},
		{"a lock beside a disk at 60 %", timedLadder(2, 0.9, beside...), nil,
			diagnose.Cause{Kind: diagnose.Spent, Role: "db", Component: describe.LockWait, Wait: "row lock"}, nil},
		{"a lock, while work fails", timedLadder(2, 0.9, stations(lock)...), failing,
			diagnose.Cause{Kind: diagnose.Failing, Resource: "disk vda (v)", ResourceKind: resource.Device}, nil},
		{"a lock, of which one instance does not tell", timedLadder(2, 0.9, stations(lock)...), silent,
			diagnose.Cause{Kind: diagnose.Waiting}, nil},
		{"something that nothing counts", timedLadder(2, 0.9, stations(hidden)...), nil,
			diagnose.Cause{Kind: diagnose.Waiting, Resource: "CPU of the machine", ResourceKind: resource.CPU}, []string{"98 % of that is unexplained"}},
		{"a disk, of which the queue is all that is known", uncounted(timedLadder(1, 0.87, stations()...)), nil,
			diagnose.Cause{Kind: diagnose.Spent, Resource: "disk vda (v)", ResourceKind: resource.Device, Component: describe.DeviceWait}, nil},
		{"a lock, of which nothing is known", uncounted(timedLadder(2, 0.9, stations(lock)...)), nil,
			diagnose.Cause{Kind: diagnose.Waiting}, nil},
	} {
		cause, f, _ := causeOfTimed(t, c.ladder, c.change)
		cause.Share, cause.WithShare = 0, 0
		if c.want.Kind == diagnose.Waiting {
			cause.Resource, cause.ResourceKind = c.want.Resource, c.want.ResourceKind // the busiest, whichever
		}
		if cause != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, cause, c.want)
		}
		for _, says := range c.says {
			if !strings.Contains(f.Text+" "+f.Next, says) {
				t.Errorf("%s: %q is not said: %s %s", c.name, says, f.Text, f.Next)
			}
		}
	}
}

// slower makes a repetition take so many times as long, at all rungs alike.
func slower(repetition int, times float64) func(*result.Trial) {
	return func(t *result.Trial) {
		if t.Repetition != repetition {
			return
		}
		o := t.Operations["order"]
		o.Mean *= times
		o.Count = int64(float64(o.Count) / times) // the sessions at work stay the same
		t.Operations["order"] = o
	}
}

// Repetitions that differ too much to show growth, and yet agree about what the time is spent on,
// name the disk and its share.
func TestTheDiskIsNamedWhereGrowthIsNotShown(t *testing.T) {
	l := timedLadder(1, 0.97, stations()...)
	l.Rungs = []int{1, 3}
	_, f, v := causeOfTimed(t, l, slower(2, 3))
	if v.Time == nil || v.Time.From != 0 || v.Time.To != 3 || f.Cause.Component != describe.DeviceWait || f.Cause.Share < 0.8 {
		t.Errorf("%+v, %+v", f.Cause, v.Time)
	}
	for _, says := range []string{"Disk vda (v) is the bottleneck", "At 3 instances an order takes", "of that waiting for disk vda (data read"} {
		if !strings.Contains(f.Text, says) {
			t.Errorf("%q is not said: %s", says, f.Text)
		}
	}
	if strings.Contains(f.Text, "more than at") {
		t.Errorf("growth is said that is not shown: %s", f.Text)
	}
}

// Users are doubled to find what nothing shows, never where the counted waiting explains the growth.
func TestUsersAreNotDoubledWhereWaitingExplainsTheGrowth(t *testing.T) {
	all := stations(lock, analysistest.TimedStation{Inside: "other_wait", Waiting: "other_wait", Part: 0.98})
	all[0].Servers, all[0].Part, all[2].Part = 1, 0.98, 0.98
	hidden := stations(analysistest.TimedStation{})
	for name, c := range map[string]struct {
		ladder analysistest.Timed
		next   string
	}{
		"four parts alike":      {timedLadder(1, 0.85, all...), "Measure these rungs again with more repetitions"},
		"nothing that is shown": {timedLadder(2, 0.9, hidden...), "Double the users"},
	} {
		cause, f, _ := causeOfTimed(t, c.ladder, nil)
		if cause.Kind != diagnose.Waiting || !strings.HasPrefix(f.Next, c.next) {
			t.Errorf("%s: %+v: %s", name, cause, f.Next)
		}
	}
}

func uncounted(l analysistest.Timed) analysistest.Timed {
	l.Uncounted = true
	return l
}
