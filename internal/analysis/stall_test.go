package analysis

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/study"
)

// loop analyses a made-up closed loop of 2 ms with a limit on the 99th percentile.
func loop(t *testing.T, l analysistest.Loop) *Analysis {
	t.Helper()
	l.Objectives = []study.Objective{{Metric: "p99", Limit: 0.05, Text: "p99 <= 50ms"}}
	run, err := l.Run(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	return analyse(t, run)
}

// often stands still for a while in each period.
func often(period, from, length float64) func(float64) (float64, float64) {
	return func(at float64) (float64, float64) {
		begins := math.Floor(at/period)*period + from
		return begins, begins + length
	}
}

func frozen(from, to float64) func(int) (float64, float64) {
	return func(int) (float64, float64) { return from, to }
}

// A server that stands still for a part of the phase hides that in a closed loop: the
// few who waited are no percentile. Each of them says so, and what the limit is held
// against.
func TestStallsOfClosedLoops(t *testing.T) {
	steady := loop(t, analysistest.Loop{Instances: 1, Users: 4, Seconds: 12, Service: 0.004})
	if r := steady.Variants[0].Rungs[0]; !r.Kept || r.Objectives[0].Recorded != 0 || len(ofWarnings(steady, "stall")) > 0 {
		t.Errorf("steady: %+v\n%+v", r.Objectives, ofWarnings(steady, "stall"))
	}
	for _, c := range []struct {
		name     string
		loop     analysistest.Loop
		severity trust.Severity
		stall    steadiness.Unsteadiness
		p99      float64 // corrected, s
		kept     bool
	}{
		{"5 of 12 s", analysistest.Loop{Instances: 1, Users: 4, Seconds: 12, Service: 0.004, Frozen: frozen(3.6, 8.6)}, "serious",
			steadiness.Unsteadiness{From: 4, Still: 5, Influence: 5. / 12, Times: 1, Waited: 4}, 4.88, false},
		{"10 of 40 s", analysistest.Loop{Instances: 1, Users: 8, Seconds: 40, Service: 0.01, Frozen: frozen(10, 20)}, "serious",
			steadiness.Unsteadiness{From: 10, Still: 10, Influence: 0.25, Times: 1, Waited: 8}, 9.6, false},
		{"3 of 8 s", analysistest.Loop{Instances: 1, Users: 2, Seconds: 8, Service: 0.002, Frozen: frozen(2.5, 5.5)}, "serious",
			steadiness.Unsteadiness{From: 3, Still: 3, Influence: 3. / 8, Times: 1, Waited: 2}, 2.92, false},
		{"one of eight instances", analysistest.Loop{Instances: 8, Users: 2, Seconds: 40, Service: 0.01, Frozen: func(i int) (float64, float64) {
			if i == 5 {
				return 20, 30
			}
			return 0, 0
		}}, "caution", steadiness.Unsteadiness{Instance: "instance-005", From: 20, Still: 10, Influence: 0.25 / 8, Times: 1, Waited: 2}, 6.8, false},
		// which leaves no second empty
		{"1.5 of 30 s", analysistest.Loop{Instances: 1, Users: 8, Seconds: 30, Service: 0.02, Frozen: frozen(10.25, 11.75)}, "serious",
			steadiness.Unsteadiness{From: 10, Still: 1.5, Influence: 0.05, Times: 1, Waited: 8}, 1.2, false},
		{"1 s, in two seconds", analysistest.Loop{Instances: 1, Users: 4, Seconds: 60, Service: 0.01, Frozen: frozen(20.5, 21.5)}, "caution",
			steadiness.Unsteadiness{From: 20, Still: 1, Influence: 1. / 60, Times: 1, Waited: 4}, 0.4, false},
		{"1.2 s of each tenth", analysistest.Loop{Instances: 1, Users: 8, Seconds: 120, Service: 0.01, Often: often(10, 4.4, 1.2)}, "serious",
			steadiness.Unsteadiness{From: 4, Still: 14.4, Influence: 0.12, Times: 12, Period: 10, Waited: 96}, 1.1, false},
		{"half a percent", analysistest.Loop{Instances: 1, Users: 8, Seconds: 300, Service: 0.02, Frozen: frozen(100, 101.5)}, "note",
			steadiness.Unsteadiness{From: 100, Still: 1.5, Influence: 0.005, Times: 1, Waited: 8}, 0, true},
	} {
		a := loop(t, c.loop)
		if got := ofWarnings(a, "stall"); len(got) != 1 || got[0].Severity != c.severity || !stoodStill(*got[0].Unsteady, c.stall) {
			t.Errorf("%s: %+v is not %s or not %+v", c.name, got, c.severity, c.stall)
		}
		r := a.Variants[0].Rungs[0]
		o := r.Objectives[0]
		if r.Kept != c.kept || c.p99 > 0 && (o.Value < 0.97*c.p99 || o.Value > 1.03*c.p99 || o.Recorded != r.Percentile["p99"]) {
			t.Errorf("%s: kept %v, judged %+v, p99 recorded %v", c.name, r.Kept, o, r.Percentile["p99"])
		}
		if loops := ofWarnings(a, "loop"); loops != nil {
			t.Errorf("%s: %+v", c.name, loops)
		}
	}
}

// stoodStill reports whether two stalls are alike, to a tenth of their length; where they
// end follows from that.
func stoodStill(got, want steadiness.Unsteadiness) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 0.1*b }
	return got.Kind == steadiness.Stall && got.Instance == want.Instance && math.Abs(got.From-want.From) < 1e-6 && near(got.Still, want.Still) && near(got.Influence, want.Influence) &&
		got.Times == want.Times && near(float64(got.Waited), float64(want.Waited)) && near(got.Period, want.Period)
}

func TestMissingRecordsAreCalledThat(t *testing.T) {
	a := loop(t, analysistest.Loop{Instances: 2, Users: 4, Seconds: 120, Service: 0.05, Unrecorded: [2]int{40, 80}})
	if got := ofWarnings(a, "records"); len(got) != 1 || got[0].Severity != trust.Serious || !slices.Equal(figuresOf(got[0]), []float64{40, 120, 40. / 120}) {
		t.Errorf("%+v", got)
	}
	for _, kind := range []string{"loop", "stall", "shift", "drift", "warm-up"} {
		if got := ofWarnings(a, kind); got != nil {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

// A rate that falls without anybody who waited is no stall, nor is one slow order without
// a rate that fell.
func TestWhatIsNoStall(t *testing.T) {
	slower := analysistest.Loop{Instances: 1, Users: 8, Seconds: 60, Service: 0.02, Slow: [3]float64{30, 32, 4}}
	if got := ofWarnings(loop(t, slower), "stall"); got != nil {
		t.Errorf("slower for two seconds: %+v", got)
	}
	one := analysistest.Loop{Instances: 1, Users: 64, Seconds: 60, Service: 0.1, Stuck: 1.6}
	if got := ofWarnings(loop(t, one), "stall"); got != nil {
		t.Errorf("one of 64 users waited: %+v", got)
	}
}

// An open loop goes on asking while nothing ends: what fell due meanwhile has waited, and
// the recorded times have it.
func TestStallsOfOpenLoops(t *testing.T) {
	for _, c := range []struct {
		name  string
		loop  analysistest.Loop
		stall steadiness.Unsteadiness
	}{
		{"10 of 40 s", analysistest.Loop{Instances: 1, Rate: 100, Seconds: 40, Service: 0.01, Frozen: frozen(10, 20)},
			steadiness.Unsteadiness{From: 10, Still: 10, Influence: 0.25, Times: 1, Waited: 1000}},
		{"to its end", analysistest.Loop{Instances: 2, Rate: 50, Seconds: 60, Service: 0.01, Frozen: frozen(40, math.Inf(1))},
			steadiness.Unsteadiness{From: 40, Still: 20, Influence: 20. / 60, Times: 1, Waited: 2000}},
		{"one of eight", analysistest.Loop{Instances: 8, Rate: 20, Seconds: 60, Service: 0.01, Frozen: func(i int) (float64, float64) {
			if i == 5 {
				return 5, 15
			}
			return 0, 0
		}}, steadiness.Unsteadiness{Instance: "instance-005", From: 5, Still: 10, Influence: 10. / 60 / 8, Times: 1, Waited: 200}},
	} {
		a := loop(t, c.loop)
		if got := ofWarnings(a, "stall"); len(got) != 1 || !stoodStill(*got[0].Unsteady, c.stall) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.stall)
		}
		r := a.Variants[0].Rungs[0]
		if r.Kept || r.Objectives[0].Recorded != 0 {
			t.Errorf("%s: kept %v, judged %+v", c.name, r.Kept, r.Objectives[0])
		}
	}
	steady := loop(t, analysistest.Loop{Instances: 2, Rate: 50, Seconds: 60, Service: 0.01})
	if r := steady.Variants[0].Rungs[0]; !r.Kept || len(ofWarnings(steady, "stall")) > 0 {
		t.Errorf("steady: %+v", r.Objectives)
	}
}
