package analysis

import (
	"math"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// machineUnderTest makes trials whose figures obey a closed network of the
// machine's CPU (8 cores) and one disk, with a delay that no resource explains.
type machineUnderTest struct {
	cpu, disk float64 // demands, s per order
	think     time.Duration
	lock      float64 // demand of one thing at a time that is not measured
}

func (m machineUnderTest) run(rungs ...int) *result.Run {
	var samples []sample
	for _, n := range rungs {
		net := queueing.Network{Think: m.think.Seconds(), Stations: []queueing.Station{{Demand: m.cpu, Servers: 8}, {Demand: m.disk, Servers: 1}, {Demand: m.lock, Servers: 1}}}
		all, err := net.Solve(8 * n)
		if err != nil {
			panic(err)
		}
		last := all[len(all)-1]
		samples = append(samples, sample{"a", n, last.Throughput * 60, last.Response, false, m.telemetry(last)})
	}
	run := madeUp(meanBelow(0.2), samples...)
	for i := range run.Trials {
		run.Trials[i].Variant.Load = study.Load{Users: 8, ThinkTime: unit.Duration(m.think)}
	}
	return run
}

func (m machineUnderTest) telemetry(s queueing.Solution) func(*result.Trial) {
	return func(t *result.Trial) {
		analysistest.Sampled(t, "cpu", "", "utilisation", s.Utilisation[0])
		analysistest.Sampled(t, "machine", "", "memory_utilisation", 0.97) // full of data, which bounds nothing
		m.device(t, s.Utilisation[1])
	}
}

func (machineUnderTest) device(t *result.Trial, busy float64) {
	t.Storage().Media = "hdd"
	t.Devices = []describe.Device{{Name: "loop3", Actuators: 1}}
	analysistest.Sampled(t, "device", "loop3", "utilisation", busy)
	analysistest.Sampled(t, "device", "loop3", "queue", max(busy, 4*busy*busy))
}

// Throttling another resource must change the bottleneck.
func TestBottleneckFollowsTheThrottle(t *testing.T) {
	rungs := []int{1, 2, 4, 8, 16, 32, 64}
	for _, c := range []struct {
		name    string
		machine machineUnderTest
		rungs   []int
		cause   diagnose.Kind
		on      resource.Kind // that is used up
		path    string
		expect  string
	}{
		{"cpu", machineUnderTest{cpu: 0.05, disk: 0.001, think: 300 * time.Millisecond}, rungs, diagnose.Saturated, resource.CPU, "engine.cpu", "worse"},
		{"disk", machineUnderTest{cpu: 0.004, disk: 0.010, think: 300 * time.Millisecond}, rungs, diagnose.Saturated, resource.Device, "", ""},
		{"users", machineUnderTest{cpu: 0.004, disk: 0.0005, think: 3 * time.Second}, []int{1, 2, 4, 8}, diagnose.Users, "", "load.users", "better"},
		{"lock", machineUnderTest{cpu: 0.004, disk: 0.001, think: 100 * time.Millisecond, lock: 0.01}, rungs, diagnose.Waiting, "", "load.users", "same"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, _ := bottleneck(t, c.machine.run(c.rungs...))
			if f.Cause.Kind != c.cause || c.on != "" && f.Cause.ResourceKind != c.on {
				t.Errorf("cause %+v", f.Cause)
			}
			if f.Next == "" {
				t.Error("no next experiment")
			}
			if c.path != "" && (f.Change == nil || f.Change.Path != c.path || f.Change.Expect != c.expect) {
				t.Errorf("change %+v", f.Change)
			}
		})
	}
}

// A CPU limit that throttles a storage server is a bottleneck even if its average use is
// low. A limit that seldom throttles is not, nor is one next to a saturated resource.
func TestLimitThatThrottlesBounds(t *testing.T) {
	for _, c := range []struct {
		name      string
		machine   machineUnderTest
		throttled float64
		cause     diagnose.Kind
		on        string
	}{
		{"often", machineUnderTest{cpu: 0.004, disk: 0.001, think: 100 * time.Millisecond, lock: 0.01}, 0.7, diagnose.Saturated, "CPU of peer1"},
		{"seldom", machineUnderTest{cpu: 0.004, disk: 0.001, think: 100 * time.Millisecond, lock: 0.01}, 0.3, diagnose.Waiting, ""},
		{"beside a busy disk", machineUnderTest{cpu: 0.004, disk: 0.010, think: 300 * time.Millisecond}, 0.7, diagnose.Saturated, "disk loop3 (hdd)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := c.machine.run(1, 2, 4, 8, 16, 32, 64)
			for _, trial := range run.Trials {
				analysistest.Sampled(trial, "node", "peer1", "cpu_utilisation", 0.66)
				analysistest.Sampled(trial, "node", "peer1", "cpu_limit", 0.1)
				analysistest.Sampled(trial, "node", "peer1", "throttled_periods", c.throttled)
			}
			f, a := bottleneck(t, run)
			if f.Cause.Kind != c.cause || c.on != "" && f.Cause.Resource != c.on {
				t.Errorf("cause %+v", f.Cause)
			}
			d, _ := diagnosisOf(a)
			if throttles := d.Top.Throttles(); throttles != (c.name == "often") || throttles && f.Numbers["throttled"] != c.throttled {
				t.Errorf("%s throttles: %t, %v", d.Top.Name, throttles, f.Numbers)
			}
		})
	}
}

func TestPredictedLoadLineIsThatOfTheFasterMachine(t *testing.T) {
	slow := machineUnderTest{cpu: 0.004, disk: 0.010, think: 300 * time.Millisecond}
	rungs := []int{1, 2, 4, 5, 6, 8, 16, 32}
	f, _ := bottleneck(t, slow.run(rungs...))
	predicted := f.Numbers["predicted_load_line"]
	if predicted == 0 {
		t.Fatalf("no prediction: %+v", f.Numbers)
	}
	fast := slow
	fast.disk /= 4 // the finding asks for the factor that moves the bottleneck
	_, a := bottleneck(t, fast.run(1, 2, 4, 8, 16, 20, 24, 28, 32))
	got := a.Variants[0].LoadLine.Count.Value
	if math.Abs(predicted/got-1) > 0.25 {
		t.Errorf("predicted load line %v, measured on the faster machine %v", predicted, got)
	}
}

func TestNetworkPredictsWhatObeysIt(t *testing.T) {
	m := machineUnderTest{cpu: 0.02, disk: 0.004, think: 300 * time.Millisecond}
	a := analyse(t, m.run(1, 2, 4, 8, 16, 32))
	s := a.Variants[0].Scalability
	if len(s.NetworkErrors) == 0 {
		t.Fatal("no prediction by the network")
	}
	for _, p := range s.NetworkErrors {
		if math.Abs(p.Error) > 0.02 {
			t.Errorf("at %d the network predicts %v, measured %v", p.N, p.Predicted, p.Measured)
		}
	}
}

func TestDriverShareIsTakenOutOfABusyCPU(t *testing.T) {
	m := machineUnderTest{cpu: 0.05, disk: 0.001, think: 300 * time.Millisecond}
	run := m.run(1, 2, 4, 8, 16)
	for _, trial := range run.Trials {
		trial.Drivers = []result.DriverSummary{{Name: "driver-0", CPUUser: 0.3 * 8 * 120}}
	}
	f, _ := bottleneck(t, run)
	if f.Cause.ResourceKind != resource.CPU || math.Abs(f.Numbers["driver_utilisation"]-0.3) > 1e-9 {
		t.Errorf("%+v, %v", f.Cause, f.Numbers)
	}
}

func TestConfirmJudgesAnExperiment(t *testing.T) {
	f := Finding{ID: "bottleneck-a", Variant: "a", Change: &Change{Path: "engine.cpu", From: "2", To: "1", Rungs: []int{8}, Expect: "worse"}}
	experiment := func(after float64) *Analysis {
		var samples []sample
		for _, noise := range []float64{0.98, 1, 1.02} {
			samples = append(samples, sample{"a-cpu2", 8, 1000 * noise, 0.1, false, nil}, sample{"a-cpu1", 8, after * noise, 0.2, false, nil})
		}
		run := madeUp(nil, samples...)
		for i, trial := range run.Trials {
			trial.Variant.Factors["engine.cpu"] = []string{"2", "1"}[i%2]
		}
		return analyse(t, run)
	}
	for after, want := range map[float64]model.Outcome{500: model.Confirmed, 930: model.Undecided, 990: model.Refuted, 1500: model.Refuted} {
		got, err := say.Confirm(f, experiment(after))
		if err != nil || got.Outcome != want {
			t.Errorf("%v after 1000: %q, %v", after, got.Text, err)
		}
	}
	f.Change.Expect, f.Change.Beside = "better", true
	for after, want := range map[float64]model.Outcome{1500: model.Confirmed, 1070: model.Undecided, 1000: model.Refuted, 500: model.Refuted} {
		got, err := say.Confirm(f, experiment(after))
		if err != nil || got.Outcome != want {
			t.Errorf("beside the bottleneck, %v after 1000: %q, %v", after, got.Text, err)
		}
	}
	if _, err := say.Confirm(Finding{ID: "x"}, experiment(500)); err == nil {
		t.Error("a finding without a change was confirmed")
	}
	if _, err := say.Confirm(f, analyse(t, madeUp(nil, sample{"b", 8, 1, 1, false, nil}))); err == nil {
		t.Error("an experiment without the variants was judged")
	}
}

// A user does one thing at a time, and a driver has only so many threads: these can be the
// bottleneck although a machine with more cores is nearly idle.
func TestThreadsOfUsersLimit(t *testing.T) {
	for _, c := range []struct {
		driver result.DriverSummary
		cause  diagnose.Kind
		on     resource.Kind
		next   experiment.Kind
	}{
		{result.DriverSummary{CPUUser: 0.98 * 120, Threads: 2, Users: 1}, diagnose.Driver, resource.UserThreads, experiment.MoreThreads},
		{result.DriverSummary{CPUUser: 0.98 * 120, Threads: 1, Users: 8}, diagnose.Driver, resource.DriverThreads, experiment.FewerOnDriver},
		{result.DriverSummary{CPUUser: 0.5 * 120, Threads: 1, Users: 1}, diagnose.Users, "", experiment.FindLimit},
		{result.DriverSummary{CPUUser: 0.98 * 120, Threads: 9, Users: 9}, diagnose.Users, "", experiment.FindLimit},
	} {
		run := madeUp(meanBelow(1), sample{"a", 1, 600, 0.1, false, func(t *result.Trial) {
			machineUnderTest{}.device(t, 0.1)
			analysistest.Sampled(t, "cpu", "", "utilisation", 0.15)
			c.driver.Name = "driver-0"
			t.Drivers = []result.DriverSummary{c.driver}
			t.Variant.Load = study.Load{Users: c.driver.Users}
		}})
		run.Plan.Study.Load = run.Trials[0].Variant.Load
		f, a := bottleneck(t, run)
		if f.Cause.Kind != c.cause || c.on != "" && (f.Cause.ResourceKind != c.on || math.Abs(f.Numbers["utilisation"]-0.98) > 1e-9) {
			t.Errorf("%+v: %+v, %v", c.driver, f.Cause, f.Numbers)
		}
		if e := experimentOf(t, run, a); e.Kind != c.next {
			t.Errorf("%+v: experiment %d, want %d", c.driver, e.Kind, c.next)
		}
	}
}
