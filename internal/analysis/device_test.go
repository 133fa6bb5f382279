package analysis

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
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
	t.Storage().Media = "virtual disk"
	t.Devices = []describe.Device{{Name: "vda", Actuators: d.assumed, Assumed: "the hypervisor calls it rotating"}}
	queue := s.Throughput * s.Response
	analysistest.Sampled(t, "device", "vda", "reads", s.Throughput)
	analysistest.Sampled(t, "device", "vda", "queue", queue)
	analysistest.Sampled(t, "device", "vda", "utilisation", min(1, queue))
}

// The parallelism of a device is often a guess. The times of its requests distinguish
// waiting from working; where they do not, the report says that it is a guess.
func TestGuessedWidthIsHeldAgainstTheRequests(t *testing.T) {
	rest := resource.BlindSpots{Cores: true, Pressure: true} // what these runs do not measure either
	for _, c := range []struct {
		name       string
		disk       diskUnderTest
		rungs      []int
		cause      diagnose.Kind
		width      resource.Width // of the disk, where it limits or may
		unmeasured resource.BlindSpots
		next       experiment.Kind
	}{
		{"sixteen wide, called rotating, working", diskUnderTest{width: 16, assumed: 1, service: 0.01, cpu: 0.002}, []int{1, 2, 4, 8},
			diagnose.Users, resource.Width{Doubt: resource.Unsettled, Assumed: 1, BestQueue: 1.45, BestAwait: 0.01}, rest, experiment.FindLimit},
		{"one wide, called rotating, waiting", diskUnderTest{width: 1, assumed: 1, service: 0.01, cpu: 0.002}, []int{1, 2, 4, 8},
			diagnose.Saturated, resource.Width{Doubt: resource.Corrected, Assumed: 1, BestQueue: 1.38, BestAwait: 0.0209, Shown: 2}, rest, experiment.FasterMedium},
		{"four wide, taken for flash of 32", diskUnderTest{width: 4, assumed: 32, service: 0.01, cpu: 0.002}, []int{1, 2, 4, 8, 16},
			diagnose.Saturated, resource.Width{Doubt: resource.Corrected, Assumed: 32, BestQueue: 0.7, BestAwait: 0.01, Shown: 4}, rest, experiment.FasterMedium},
		{"flash of 32 at work", diskUnderTest{width: 32, assumed: 32, service: 0.01, cpu: 0.002}, []int{1, 2, 4, 8},
			diagnose.Users, resource.Width{}, rest, experiment.FindLimit},
		{"one rung, which tells nothing", diskUnderTest{width: 16, assumed: 1, service: 0.01, cpu: 0.002}, []int{8},
			diagnose.Users, resource.Width{Doubt: resource.Unsettled, Assumed: 1, BestQueue: 5.8, BestAwait: 0.01}, rest, experiment.FindLimit},
		{"no telemetry", diskUnderTest{width: 1, assumed: 1, service: 0.01, cpu: -1, blind: true}, []int{1, 2, 4, 8},
			diagnose.Unknown, resource.Width{}, resource.BlindSpots{CPU: true, Storage: true}, experiment.Observe},
		{"the disk is not measured", diskUnderTest{width: 1, assumed: 1, service: 0.01, cpu: 0.002, blind: true}, []int{1, 2, 4, 8},
			diagnose.Unknown, resource.Width{}, resource.BlindSpots{Storage: true, Cores: true, Pressure: true}, experiment.Observe},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := c.disk.run(c.rungs...)
			f, a := bottleneck(t, run)
			_, r := diagnosisOf(a)
			if f.Cause.Kind != c.cause || c.cause == diagnose.Saturated && f.Cause.ResourceKind != resource.Device {
				t.Errorf("cause %+v", f.Cause)
			}
			if disk := resource.First(r.Resources, resource.Device); c.width.Doubt != resource.NoDoubt && !alike(disk.Width, c.width) {
				t.Errorf("width %+v, want %+v", disk.Width, c.width)
			}
			if u := r.Unmeasured(); !reflect.DeepEqual(u, c.unmeasured) {
				t.Errorf("unmeasured: %+v", u)
			}
			if e := experimentOf(t, run, a); e.Kind != c.next {
				t.Errorf("experiment %d, want %d", e.Kind, c.next)
			}
		})
	}
}

// alike reports whether two widths differ in rounding alone.
func alike(a, b resource.Width) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 0.05*y }
	return a.Doubt == b.Doubt && a.Assumed == b.Assumed && near(a.BestQueue, b.BestQueue) && near(a.BestAwait, b.BestAwait) && (b.Shown == 0 || near(a.Shown, b.Shown))
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
	if want := (diagnose.Cause{Kind: diagnose.Uncertain, Resource: "disk vda (virtual disk)", ResourceKind: resource.Device}); *f.Cause != want || f.Rung != 4 {
		t.Errorf("at %d: %+v", f.Rung, f.Cause)
	}
	if d, _ := diagnosisOf(a); d.Device.Contradicts() || d.Device.Width.Doubt != resource.Unsettled {
		t.Errorf("%+v", d.Device)
	}
	if e := experimentOf(t, run, a); e.Kind != experiment.MeasureWidth {
		t.Errorf("experiment %d", e.Kind)
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
	f, a := bottleneck(t, run)
	if _, said := f.Numbers["predicted_load_line"]; said {
		t.Errorf("%v", f.Numbers)
	}
	if forecast := experimentOf(t, run, a).Forecast; forecast.Off == 0 || forecast.Line != 0 {
		t.Errorf("%+v", forecast)
	}
}

// The closed-network model applies to users who are always thinking or waiting for a unit
// of work. It does not apply to users who also flush, or who finish their share and leave.
func TestModelOfUsersWhoDoSomethingElseIsNotHeldAgainstThem(t *testing.T) {
	for _, c := range []struct {
		name   string
		inUnit float64 // share of non-thinking time
		held   bool
	}{{"all in the unit", 1, true}, {"half of it elsewhere", 0.5, false}, {"nearly all elsewhere", 0.05, false}} {
		run := machineUnderTest{cpu: 0.004, disk: 0.010}.run(1, 2, 4, 8)
		for _, trial := range run.Trials {
			o := trial.Operations["order"]
			trial.Operations["order"] = orders(float64(o.Count), o.Mean*c.inUnit)
		}
		f, a := bottleneck(t, run)
		if _, said := f.Numbers["predicted_response"]; said != c.held {
			t.Errorf("%s: %v", c.name, f.Numbers)
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
		machine machineUnderTest
		inUnit  float64
		kind    diagnose.Kind
		waits   diagnose.Wait
	}{
		"a disk at 73 %":  {machineUnderTest{cpu: 0.001, disk: 0.010, think: think}, 1, diagnose.Spent, diagnose.ByQueueing},
		"a lock":          {machineUnderTest{cpu: 0.001, disk: 0.002, lock: 0.010, think: think}, 1, diagnose.Waiting, diagnose.Software},
		"a flush besides": {machineUnderTest{cpu: 0.001, disk: 0.002, lock: 0.010}, 0.3, diagnose.Waiting, diagnose.Elsewhere},
	} {
		run := c.machine.run(1, 3)
		for _, trial := range run.Trials {
			o := trial.Operations["order"]
			trial.Operations["order"] = orders(float64(o.Count), o.Mean*c.inUnit)
		}
		f, a := bottleneck(t, run)
		d, r := diagnosisOf(a)
		if waits := d.WaitsFor(r, scale.ClosedAt(setup.New(run).Scale(&a.Variants[0]), r)); f.Cause.Kind != c.kind || waits != c.waits {
			t.Errorf("%s: %+v, waits for %d", name, f.Cause, waits)
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

// The bound from a resource's demand at one rung does not hold if another rung carried
// more.
func TestBoundThatAnotherRungBeatIsNotSaid(t *testing.T) {
	busy := func(share float64) func(*result.Trial) {
		return func(t *result.Trial) {
			analysistest.Sampled(t, "cpu", "", "utilisation", share)
			machineUnderTest{}.device(t, 0.1)
		}
	}
	for before, said := range map[float64]bool{8000: true, 20000: false} { // 10,000 at 60 % allow 16,667
		f, _ := bottleneck(t, madeUp(meanBelow(0.2), sample{"a", 1, before / 2, 0.01, false, busy(0.2)}, sample{"a", 2, before, 0.02, false, busy(0.4)}, sample{"a", 4, 10000, 0.9, false, busy(0.6)}))
		if bound, is := f.Numbers["bound"]; is != said || is && math.Abs(bound-10000/0.6) > 1 {
			t.Errorf("with %v before: %v", before, f.Numbers)
		}
	}
}

// A hundredth of a core cannot be halved.
func TestCPUTooSmallToLimitIsNotLimited(t *testing.T) {
	run := machineUnderTest{cpu: 0.0001, disk: 0.000001, think: 30 * time.Second}.run(1, 100, 400, 800)
	for _, trial := range run.Trials {
		for i, r := range trial.Resources {
			if r.Kind == "cpu" && trial.Rung >= 400 {
				trial.Resources[i].Mean = 0.97
			}
		}
	}
	f, a := bottleneck(t, run)
	if want := (diagnose.Cause{Kind: diagnose.Saturated, Resource: "CPU of the machine", ResourceKind: resource.CPU}); *f.Cause != want {
		t.Errorf("%+v", f.Cause)
	}
	if e := experimentOf(t, run, a); e.Kind != experiment.MoreCores || f.Change != nil || strings.Contains(f.Next, "users") {
		t.Errorf("experiment %d, %+v", e.Kind, f.Change)
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
	if full.Share() != resource.OfRate || math.Abs(full.Utilisation-222./226) > 1e-9 {
		t.Errorf("222 of 226 MB/s are %v of %d", full.Utilisation, full.Share())
	}
	if light.ByRate || light.Share() != resource.OfParallel || math.Abs(light.Utilisation-0.99/12) > 1e-9 {
		t.Errorf("one small request at a time is %v of %d", light.Utilisation, light.Share())
	}
	if idle.Utilisation > 0.3 {
		t.Errorf("a device with a request under way for 30 %% of the time is used to %v", idle.Utilisation)
	}
}
