package analysis

import (
	"math"
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// listed turns a made-up trial of two minutes into fixed work on a ladder of users, that
// ended after 100 s, the first user after 80 s with nine tenths of the units; each unit
// takes 0.08 s, and closing 20 s of each user's time.
func listed(t *result.Trial) {
	t.Profile = describe.Profile{
		Workload: "made-up-files", User: "worker", Unit: describe.Unit{Name: "block", Plural: "blocks", Throughput: "MB/s", Seconds: 1, Bytes: true},
		Operations: []string{"block", "close"}, Fixed: true, Optional: []string{"close"},
	}
	t.Variant.Load = study.Load{Users: 1}
	t.MeasureEnd = t.MeasureStart.Add(100 * time.Second)
	units := int64(1000 * t.Rung)
	t.Operations = map[string]result.OperationSummary{
		"block": {Count: units, Bytes: units * 4e6, Mean: 0.08, P50: 0.08, P99: 0.08, Max: 0.08},
		"close": {Count: 10 * int64(t.Rung), Mean: 2, P50: 2, P99: 2, Max: 2},
	}
	t.Stonewalled = &result.Stonewall{
		At: t.MeasureStart.Add(80 * time.Second), Seconds: 80, Count: units * 9 / 10, Bytes: units * 9 / 10 * 4e6,
		Users: t.Rung, UserSeconds: 100 * float64(t.Rung),
	}
}

func fixedRun() *result.Run {
	set := analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: func(int) float64 { return 0.1 }}},
		Rungs:    []int{1, 2, 4}, Repetitions: 3, Objectives: analysistest.MeanBelow(1),
	}
	run := set.Run(1)
	run.Plan.Study.Ladder.Of = study.OfUsers
	run.Plan.Study.Load = study.Load{Users: 1}
	run.Plan.Study.Objectives[0].Operation = ""
	for _, t := range run.Trials {
		listed(t)
	}
	return run
}

// TestFixedWorkCountsInThreeWays: until the first user finished, in the whole run, and
// without the operations that are optional.
func TestFixedWorkCountsInThreeWays(t *testing.T) {
	a, err := Analyse(fixedRun(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range a.Variants[0].Rungs {
		n := float64(r.Instances)
		for what, c := range map[string]struct {
			got  stats.Interval
			want float64
		}{
			"stonewalled": {r.Stonewalled, 45 * n}, "whole run": {r.Throughput, 40 * n},
			"without close": {r.Without, 40 * n / 0.8}, // a fifth of the users' 100 s
		} {
			if math.Abs(c.got.Value-c.want) > 1e-6*c.want {
				t.Errorf("%d workers, %s: %+v, want %g MB/s", r.Instances, what, c.got, c.want)
			}
		}
	}
	for _, w := range a.Warnings {
		if w.Kind == "loop" || w.Kind == "warm-up" || w.Kind == "cut-off" {
			t.Errorf("%s: %s", w.Kind, w.Text)
		}
	}
}

// TestDriversAloneAreBesideWhatTheyDidWithTheStore: with MB/s and cores, of rungs and of trials.
func TestDriversAloneAreBesideWhatTheyDidWithTheStore(t *testing.T) {
	set := analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: func(int) float64 { return 0.1 }}}, Rungs: []int{1}, Repetitions: 1,
	}
	run := set.Run(1)
	x := run.Trials[0]
	seconds := x.MeasureEnd.Sub(x.MeasureStart).Seconds()
	x.Drivers = []result.DriverSummary{
		{Name: "driver-0", CPUUser: 0.5 * seconds, CPUSystem: 0.25 * seconds, Ceiling: &result.Ceiling{Seconds: 2, Count: 100, Bytes: 6e6, CPU: 1}},
		{Name: "driver-1", CPUUser: 0.25 * seconds, Ceiling: &result.Ceiling{Seconds: 2, Count: 100, Bytes: 2e6, CPU: 0.5}},
	}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]*rung.Ceiling{"rung": a.Variants[0].Rungs[0].Ceiling, "trial": a.Trials[0].Ceiling} {
		if c == nil || c.Throughput.Value != x.Profile.Unit.Rate(200, 8e6, 2*time.Second) || c.Payload != 4 || c.CPU != 0.75 || math.Abs(c.Used-1) > 1e-9 {
			t.Errorf("%s: %+v", what, c)
		}
	}
}

// TestCachedWritesAreNoted: work that was much faster until the first user finished was
// in part in caches.
func TestCachedWritesAreNoted(t *testing.T) {
	for faster, want := range map[float64]trust.Severity{1: "", 1.5: trust.Note, 6: trust.Note} {
		run := fixedRun()
		for _, x := range run.Trials {
			x.Stonewalled.Seconds /= faster
		}
		a, err := Analyse(run, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := trust.Severity("")
		for _, w := range a.Warnings {
			if w.Kind == "stonewall" {
				got = w.Severity
			}
		}
		if got != want {
			t.Errorf("%g times as fast: %q, want %q", faster, got, want)
		}
	}
}

// TestTimedWorkHasNoOtherFigures: neither does work whose optional operations took no time.
func TestTimedWorkHasNoOtherFigures(t *testing.T) {
	run := fixedRun()
	for _, x := range run.Trials {
		x.Stonewalled, x.Profile.Fixed = nil, false
		x.Operations["close"] = result.OperationSummary{}
	}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Variants[0].Rungs[0]; r.Stonewalled != (stats.Interval{}) || r.Without != (stats.Interval{}) || r.Throughput.Value != 40 {
		t.Errorf("%+v", r)
	}
}

// TestUsersThatDidNotFinishAreNamed: what took longer than the phase is said plainly, and
// lowers the grade.
func TestUsersThatDidNotFinishAreNamed(t *testing.T) {
	run := fixedRun()
	run.Trials[0].Unfinished = 3
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := ofWarnings(a, "cut-off")
	if len(w) != 1 || w[0].Trial != run.Trials[0].ID || w[0].Severity != trust.Caution || !slices.Equal(figuresOf(w[0]), []float64{3, 100}) {
		t.Errorf("warnings: %+v", a.Warnings)
	}
}

// A small file is flushed within the time of the file; a large one is closed after its
// blocks, outside the time of any block. The closed-loop law accounts for all users in both
// cases, and reports missing users where some were lost.
func TestOptionalOperationsLoseNoUsers(t *testing.T) {
	within := func(t *result.Trial) {
		listed(t)
		block := t.Operations["block"]
		block.Mean = 0.1
		t.Operations["block"] = block
	}
	lost := func(t *result.Trial) {
		listed(t)
		block := t.Operations["block"]
		block.Mean = 0.02
		t.Operations["block"] = block
	}
	for name, c := range map[string]struct {
		change func(*result.Trial)
		warns  bool
	}{"beside": {listed, false}, "within": {within, false}, "lost": {lost, true}} {
		run := fixedRun()
		for _, t := range run.Trials {
			c.change(t)
		}
		a, err := Analyse(run, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(ofWarnings(a, "loop")) > 0; got != c.warns {
			t.Errorf("%s: warns %v, want %v", name, got, c.warns)
		}
	}
}
