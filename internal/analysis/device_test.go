package analysis

import (
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/unit"
)

// diskUnderTest makes trials whose figures obey a closed network of one disk
// that serves width requests at once, and says assumed of it.
type diskUnderTest struct {
	width, assumed int
	service        float64 // s
	cpu            float64 // demand for CPU, s; below 0 leaves it unmeasured
	blind          bool    // the disk is not measured
}

func (d diskUnderTest) run(rungs ...int) *result.Run {
	const think = 100 * time.Millisecond
	var samples []sample
	for _, n := range rungs {
		net := queueing.Network{Think: think.Seconds(), Stations: []queueing.Station{{Demand: d.service, Servers: d.width}}}
		all, err := net.Solve(8 * n)
		if err != nil {
			panic(err)
		}
		last := all[len(all)-1]
		samples = append(samples, sample{"a", n, last.Throughput * 60, last.Response, false, func(t *result.Trial) { d.telemetry(t, last) }})
	}
	run := madeUp(meanBelow(4*d.service), samples...)
	for _, t := range run.Trials {
		t.Variant.Load = study.Load{Users: 8, ThinkTime: unit.Duration(think)}
		t.Drivers = []result.DriverSummary{{Name: "driver-0", CPUUser: 10}}
	}
	return run
}

func (d diskUnderTest) telemetry(t *result.Trial, s queueing.Solution) {
	if d.cpu >= 0 {
		analysistest.Sampled(t, "cpu", "", "utilisation", s.Throughput*d.cpu/8)
	}
	if d.blind {
		return
	}
	t.Storage.Media = "virtual disk"
	t.Devices = []describe.Device{{Name: "vda", Actuators: d.assumed, Assumed: "the hypervisor calls it rotating"}}
	queue := s.Throughput * s.Response
	analysistest.Sampled(t, "device", "vda", "reads", s.Throughput)
	analysistest.Sampled(t, "device", "vda", "queue", queue)
	analysistest.Sampled(t, "device", "vda", "utilisation", min(1, queue))
}

// What a device serves at once is often a guess. The times of its requests tell
// waiting from working; where they do not, the report says that it is a guess.
func TestGuessedWidthIsHeldAgainstTheRequests(t *testing.T) {
	for _, c := range []struct {
		name    string
		disk    diskUnderTest
		rungs   []int
		finding string
		verdict string
		next    string
	}{
		{"sixteen wide, called rotating, working", diskUnderTest{width: 16, assumed: 1, service: 0.01, cpu: 0.002}, []int{1, 2, 4, 8},
			"Of disk vda: it is assumed to serve 1 request in parallel (the hypervisor calls it rotating). With 5.82 in flight a request took 10 ms, and with 1.45 it took 10 ms: requests hardly wait for each other, so the device's parallelism is unknown.",
			"nothing measured is saturated (CPU of the machine 15 % busy at 8 instances)", "Double the users"},
		{"one wide, called rotating, waiting", diskUnderTest{width: 1, assumed: 1, service: 0.01, cpu: 0.002}, []int{1, 2, 4, 8},
			"Disk vda (virtual disk) is the bottleneck of `a`", "disk vda is the bottleneck", "a medium that serves this"},
		{"four wide, taken for flash of 32", diskUnderTest{width: 4, assumed: 32, service: 0.01, cpu: 0.002}, []int{1, 2, 4, 8, 16},
			"it serves about 4 in parallel and queues the rest.", "disk vda is the bottleneck (used to 100 % of its parallel capacity at 8 instances)", "a medium that serves this"},
		{"flash of 32 at work", diskUnderTest{width: 32, assumed: 32, service: 0.01, cpu: 0.002}, []int{1, 2, 4, 8},
			"No resource is saturated", "nothing measured is saturated", "Double the users"},
		{"one rung, which tells nothing", diskUnderTest{width: 16, assumed: 1, service: 0.01, cpu: 0.002}, []int{8},
			"A single rung cannot show whether response time grows. Of disk vda: it is assumed to serve 1 request in parallel", "nothing measured is saturated", "Double the users"},
		{"no telemetry", diskUnderTest{width: 1, assumed: 1, service: 0.01, cpu: -1, blind: true}, []int{1, 2, 4, 8},
			"The bottleneck of `a` at 2 instances is unknown: the machine's CPU and the storage's devices were not measured.",
			"the bottleneck is unknown: the machine's CPU and the storage's devices were not measured", "with telemetry"},
		{"the disk is not measured", diskUnderTest{width: 1, assumed: 1, service: 0.01, cpu: 0.002, blind: true}, []int{1, 2, 4, 8},
			"The bottleneck of `a` at 2 instances is unknown: the storage's devices were not measured.",
			"the storage's devices were not measured", "with telemetry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, a := bottleneck(t, c.disk.run(c.rungs...))
			if !strings.Contains(f.Text, c.finding) {
				t.Errorf("finding %q lacks %q", f.Text, c.finding)
			}
			if !strings.Contains(a.Verdict[0].Text, c.verdict) {
				t.Errorf("verdict %q lacks %q", a.Verdict[0].Text, c.verdict)
			}
			if !strings.Contains(f.Next, c.next) {
				t.Errorf("next %q lacks %q", f.Next, c.next)
			}
			if strings.Contains(f.Text, "uses no resource") {
				t.Errorf("%q claims what nothing measured", f.Text)
			}
		})
	}
}

// A disk that may be the limit, with response time grown and nothing else
// saturated: the answer is that it is not known, and how to know.
func TestWidthThatMattersIsAskedFor(t *testing.T) {
	d := diskUnderTest{width: 16, assumed: 1, service: 0.01, cpu: 0.003}
	run := d.run(1, 2, 4, 8)
	for _, trial := range run.Trials {
		o := trial.Operations["order"]
		trial.Operations["order"] = orders(float64(o.Count), o.Mean*float64(trial.Rung)) // waits elsewhere, or there
	}
	f, a := bottleneck(t, run)
	if !strings.Contains(f.Text, "The bottleneck of `a` at 4 instances is unknown") || !strings.Contains(f.Next, "plimsoll probe") {
		t.Errorf("%q, %q", f.Text, f.Next)
	}
	if want := "whether disk vda is the bottleneck is unknown: its parallelism is only assumed"; !strings.Contains(a.Verdict[0].Text, want) {
		t.Errorf("%q lacks %q", a.Verdict[0].Text, want)
	}
}

// A network that is off predicts nothing.
func TestModelThatIsOffPredictsNothing(t *testing.T) {
	const think = 300 * time.Millisecond
	run := machineUnderTest{cpu: 0.004, disk: 0.010, think: think}.run(1, 2, 4, 5, 6, 8, 16, 32)
	for _, trial := range run.Trials {
		if trial.Rung >= 6 { // orders wait for more than the disk, so that users begin fewer
			o, waits := trial.Operations["order"], 2.5
			fewer := (o.Mean + think.Seconds()) / (waits*o.Mean + think.Seconds())
			trial.Operations["order"] = orders(float64(o.Count)*fewer, o.Mean*waits)
		}
	}
	f, _ := bottleneck(t, run)
	if _, said := f.Numbers["predicted_load_line"]; said || !strings.Contains(f.Next, "; no load line is predicted") {
		t.Errorf("%q, %v", f.Next, f.Numbers)
	}
}

// A closed network is held against users who are always thinking or waiting for a unit of
// work; not against those who also flush, or who have done their share and leave.
func TestModelOfUsersWhoDoSomethingElseIsNotHeldAgainstThem(t *testing.T) {
	for _, c := range []struct {
		name   string
		inUnit float64 // share of the time beside thinking
		held   bool
	}{{"all in the unit", 1, true}, {"half of it elsewhere", 0.5, false}, {"nearly all elsewhere", 0.05, false}} {
		run := machineUnderTest{cpu: 0.004, disk: 0.010}.run(1, 2, 4, 8)
		for _, trial := range run.Trials {
			o := trial.Operations["order"]
			trial.Operations["order"] = orders(float64(o.Count), o.Mean*c.inUnit)
		}
		f, a := bottleneck(t, run)
		if said := strings.Contains(f.Text, "queueing alone gives"); said != c.held {
			t.Errorf("%s: %q", c.name, f.Text)
		}
		if drawn := a.Variants[0].Scalability.DemandsFrom > 0; drawn != c.held {
			t.Errorf("%s: the network is drawn: %t", c.name, drawn)
		}
	}
}

// Waiting that grew with nothing saturated is for locks only where queueing cannot explain
// it, and where the users wait for nothing else.
func TestWaitingIsNotForLocksIfQueueingExplainsIt(t *testing.T) {
	const think = 300 * time.Millisecond
	for name, c := range map[string]struct {
		machine     machineUnderTest
		inUnit      float64
		said, never string
	}{
		"a disk at 73 %":  {machineUnderTest{cpu: 0.001, disk: 0.010, think: think}, 1, "as queueing for it alone can make it", "uses no resource"},
		"a lock":          {machineUnderTest{cpu: 0.001, disk: 0.002, lock: 0.010, think: think}, 1, "uses no resource: locks", "queueing for it alone"},
		"a flush besides": {machineUnderTest{cpu: 0.001, disk: 0.002, lock: 0.010}, 0.3, ", yet response time grew", "uses no resource"},
	} {
		run := c.machine.run(1, 3)
		for _, trial := range run.Trials {
			o := trial.Operations["order"]
			trial.Operations["order"] = orders(float64(o.Count), o.Mean*c.inUnit)
		}
		if f, _ := bottleneck(t, run); !strings.Contains(f.Text, c.said) || strings.Contains(f.Text, c.never) {
			t.Errorf("%s: %q", name, f.Text)
		}
	}
}

// Units of work that use more service than they take time were served by several at once,
// as when blocks are read ahead: no network of stations that they visit one by one.
func TestWorkAheadIsNoClosedNetwork(t *testing.T) {
	for share, drawn := range map[float64]bool{0.05: true, 0.5: false} { // of 8 cores, for an order of 10 ms at a time
		busy := func(t *result.Trial) { analysistest.Sampled(t, "cpu", "", "utilisation", share) }
		run := madeUp(meanBelow(1), sample{"a", 1, 6000, 0.01, false, busy}, sample{"a", 2, 12000, 0.01, false, busy}, sample{"a", 4, 24000, 0.01, false, busy})
		for i := range run.Trials {
			run.Trials[i].Variant.Load = study.Load{Users: 1}
		}
		if _, a := bottleneck(t, run); (a.Variants[0].Scalability.DemandsFrom > 0) != drawn {
			t.Errorf("%g busy: a network of the demands at %d is drawn", share, a.Variants[0].Scalability.DemandsFrom)
		}
	}
}

// What a resource allows at its demand at one rung is no bound where another rung
// carried more.
func TestBoundThatAnotherRungBeatIsNotSaid(t *testing.T) {
	busy := func(share float64) func(*result.Trial) {
		return func(t *result.Trial) {
			analysistest.Sampled(t, "cpu", "", "utilisation", share)
			machineUnderTest{}.device(t, 0.1)
		}
	}
	for before, said := range map[float64]bool{8000: true, 20000: false} { // 10,000 at 60 % allow 16,667
		f, _ := bottleneck(t, madeUp(meanBelow(0.2), sample{"a", 1, before / 2, 0.01, false, busy(0.2)}, sample{"a", 2, before, 0.02, false, busy(0.4)}, sample{"a", 4, 10000, 0.9, false, busy(0.6)}))
		if strings.Contains(f.Text, "would be fully busy at 16,667") != said {
			t.Errorf("with %v before: %q", before, f.Text)
		}
	}
}

// Nobody can halve a hundredth of a core.
func TestCPUTooSmallToLimitIsNotLimited(t *testing.T) {
	run := machineUnderTest{cpu: 0.0001, disk: 0.000001, think: 30 * time.Second}.run(1, 100, 400, 800)
	for _, trial := range run.Trials {
		for i, r := range trial.Resources {
			if r.Kind == "cpu" && trial.Rung >= 400 {
				trial.Resources[i].Mean = 0.97
			}
		}
	}
	f, _ := bottleneck(t, run)
	if !strings.Contains(f.Text, "CPU of the machine is the bottleneck of") || strings.Contains(f.Next, "limit each instance") || f.Change == nil || f.Change.Path != "load.users" {
		t.Errorf("%q, %+v", f.Next, f.Change)
	}
}

// CPU that belongs to nobody: on a local file system the kernel has no threads
// of its own to blame, and code outside the kernel is never the kernel's.
func TestNeighbourIsNotTheKernel(t *testing.T) {
	for _, c := range []struct {
		name     string
		busy     float64 // of 8 cores; one belongs to the trial
		user     float64 // of busy
		device   string
		severity string
		kernel   bool
	}{
		{"36 % on a local file system", 0.485, 0, "vda", trust.Caution, false},
		{"59 % on a local file system", 0.715, 0, "vda", trust.Serious, false},
		{"36 % behind loop devices", 0.485, 0.1, "loop3", trust.Note, true},
		{"20 % behind loop devices", 0.325, 0.1, "loop3", trust.Note, false},
		{"59 % of it user code, behind loop devices", 0.715, 0.6, "loop3", trust.Serious, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := analyse(t, madeUp(meanBelow(1), sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
				analysistest.Sampled(t, "cpu", "", "utilisation", c.busy)
				analysistest.Sampled(t, "cpu", "", "user", c.user)
				analysistest.Sampled(t, "instance", "db-000", "cpu", 1)
				t.Devices = []describe.Device{{Name: c.device, Actuators: 1}}
			}}))
			for _, w := range a.Warnings {
				if w.Kind == "background" {
					t.Log(w.Severity, w.Text)
					if w.Severity != c.severity || strings.Contains(w.Text, "it may be kernel work") != c.kernel {
						t.Errorf("%s: %s", w.Severity, w.Text)
					}
					return
				}
			}
			t.Error("nothing was said")
		})
	}
}

// One large request keeps all drives of a RAID set busy: the set is as full as the bytes
// that it moves say, and never more than the kernel shows it busy.
func TestASetThatMovesAllItCanIsSaturated(t *testing.T) {
	at := func(bytes, busy float64) resource.Resource {
		run := madeUp(meanBelow(1), sample{"a", 1, 600, 0.1, false, func(t *result.Trial) {
			t.Devices = []describe.Device{{Name: "loop1", Actuators: 12, ReadRate: 226e6, WriteRate: 200e6}}
			analysistest.Sampled(t, "device", "loop1", "queue", busy)
			analysistest.Sampled(t, "device", "loop1", "utilisation", busy)
			analysistest.Sampled(t, "device", "loop1", "read_bytes", bytes)
		}})
		for _, r := range analyse(t, run).Variants[0].Rungs[0].Resources {
			if r.Kind == resource.Device {
				return r
			}
		}
		t.Fatal("no device")
		return resource.Resource{}
	}
	full, light, idle := at(222e6, 0.99), at(2e6, 0.99), at(222e6, 0.3)
	if answer.ShareText(full) != "98 % of its sequential rate" {
		t.Errorf("222 of 226 MB/s are %s", answer.ShareText(full))
	}
	if light.ByRate || answer.ShareText(light) != "8.2 % of its parallel capacity" {
		t.Errorf("one small request at a time is %s", answer.ShareText(light))
	}
	if idle.Utilisation > 0.3 {
		t.Errorf("a device with a request under way for 30 %% of the time is %s used", answer.ShareText(idle))
	}
}
