package analysis

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
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

// warningsOf joins the texts of a kind.
func warningsOf(a *Analysis, kind string) string {
	var all []string
	for _, w := range a.Warnings {
		if w.Kind == kind {
			all = append(all, w.Severity+": "+w.Text)
		}
	}
	return strings.Join(all, "\n")
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
	if r := steady.Variants[0].Rungs[0]; !r.Kept || r.Objectives[0].Recorded != 0 || warningsOf(steady, "stall") != "" {
		t.Errorf("steady: %+v\n%s", r.Objectives, warningsOf(steady, "stall"))
	}
	for _, c := range []struct {
		name     string
		loop     analysistest.Loop
		severity string
		say      string
		p99      float64 // corrected, s
		kept     bool
	}{
		{"5 of 12 s", analysistest.Loop{Instances: 1, Users: 4, Seconds: 12, Service: 0.004, Frozen: frozen(3.6, 8.6)}, "serious",
			"nothing ended for 5 s (42 % of the phase), from 4 s into it on; 4 orders were under way then", 4.88, false},
		{"10 of 40 s", analysistest.Loop{Instances: 1, Users: 8, Seconds: 40, Service: 0.01, Frozen: frozen(10, 20)}, "serious",
			"nothing ended for 10 s (25 % of the phase), from 10 s into it on; 8 orders were under way then", 9.6, false},
		{"3 of 8 s", analysistest.Loop{Instances: 1, Users: 2, Seconds: 8, Service: 0.002, Frozen: frozen(2.5, 5.5)}, "serious",
			"nothing ended for 3 s (38 % of the phase)", 2.92, false},
		{"one of eight instances", analysistest.Loop{Instances: 8, Users: 2, Seconds: 40, Service: 0.01, Frozen: func(i int) (float64, float64) {
			if i == 5 {
				return 20, 30
			}
			return 0, 0
		}}, "caution", "nothing ended on instance-005 for 10 s (25 % of the phase)", 6.8, false},
		// which leaves no second empty
		{"1.5 of 30 s", analysistest.Loop{Instances: 1, Users: 8, Seconds: 30, Service: 0.02, Frozen: frozen(10.25, 11.75)}, "serious",
			"nothing ended for 1.5 s (5.0 % of the phase), from 10 s into it on; 8 orders were under way then", 1.2, false},
		{"1 s, in two seconds", analysistest.Loop{Instances: 1, Users: 4, Seconds: 60, Service: 0.01, Frozen: frozen(20.5, 21.5)}, "caution",
			"nothing ended for 1 s (1.7 % of the phase), from 20 s into it on", 0.4, false},
		{"1.2 s of each tenth", analysistest.Loop{Instances: 1, Users: 8, Seconds: 120, Service: 0.01, Often: often(10, 4.4, 1.2)}, "serious",
			"nothing ended for 14.4 s in 12 stalls (12 % of the phase), the longest of 1.2 s from 4 s into it on; they come every 10 s", 1.1, false},
		{"half a percent", analysistest.Loop{Instances: 1, Users: 8, Seconds: 300, Service: 0.02, Frozen: frozen(100, 101.5)}, "note",
			"nothing ended for 1.5", 0, true},
	} {
		a := loop(t, c.loop)
		got := warningsOf(a, "stall")
		if !strings.HasPrefix(got, c.severity+": ") || !strings.Contains(got, c.say) {
			t.Errorf("%s: %q is not %s or lacks %q", c.name, got, c.severity, c.say)
		}
		r := a.Variants[0].Rungs[0]
		o := r.Objectives[0]
		if r.Kept != c.kept || c.p99 > 0 && (o.Value < 0.97*c.p99 || o.Value > 1.03*c.p99 || o.Recorded != r.Percentile["p99"]) {
			t.Errorf("%s: kept %v, judged %+v, p99 recorded %v", c.name, r.Kept, o, r.Percentile["p99"])
		}
		if loops := warningsOf(a, "loop"); loops != "" {
			t.Errorf("%s: %s", c.name, loops)
		}
	}
}

func TestMissingRecordsAreCalledThat(t *testing.T) {
	a := loop(t, analysistest.Loop{Instances: 2, Users: 4, Seconds: 120, Service: 0.05, Unrecorded: [2]int{40, 80}})
	if got := warningsOf(a, "records"); !strings.HasPrefix(got, "serious: records missing: 40 of 120 s of the measured phase (33 %)") {
		t.Error(got)
	}
	for _, kind := range []string{"loop", "stall", "shift", "drift", "warm-up"} {
		if got := warningsOf(a, kind); got != "" {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// A rate that falls without anybody who waited is no stall, nor is one slow order without
// a rate that fell.
func TestWhatIsNoStall(t *testing.T) {
	slower := analysistest.Loop{Instances: 1, Users: 8, Seconds: 60, Service: 0.02, Slow: [3]float64{30, 32, 4}}
	if got := warningsOf(loop(t, slower), "stall"); got != "" {
		t.Errorf("slower for two seconds: %s", got)
	}
	one := analysistest.Loop{Instances: 1, Users: 64, Seconds: 60, Service: 0.1, Stuck: 1.6}
	if got := warningsOf(loop(t, one), "stall"); got != "" {
		t.Errorf("one of 64 users waited: %s", got)
	}
}

// An open loop goes on asking while nothing ends: what fell due meanwhile has waited, and
// the recorded times have it.
func TestStallsOfOpenLoops(t *testing.T) {
	for _, c := range []struct {
		name string
		loop analysistest.Loop
		say  string
	}{
		{"10 of 40 s", analysistest.Loop{Instances: 1, Rate: 100, Seconds: 40, Service: 0.01, Frozen: frozen(10, 20)},
			"nothing ended for 10 s (25 % of the phase), from 10 s into it on; about 1,000 orders fell due then; response times count from when work was due and include it"},
		{"to its end", analysistest.Loop{Instances: 2, Rate: 50, Seconds: 60, Service: 0.01, Frozen: frozen(40, math.Inf(1))},
			"nothing ended for 20 s (33 % of the phase), up to its end; about 2,000 orders fell due then"},
		{"one of eight", analysistest.Loop{Instances: 8, Rate: 20, Seconds: 60, Service: 0.01, Frozen: func(i int) (float64, float64) {
			if i == 5 {
				return 5, 15
			}
			return 0, 0
		}}, "nothing ended on instance-005 for 10 s (17 % of the phase), from 5 s into it on; about 200 orders fell due then"},
	} {
		a := loop(t, c.loop)
		if got := warningsOf(a, "stall"); !strings.Contains(got, c.say) {
			t.Errorf("%s: %q lacks %q", c.name, got, c.say)
		}
		r := a.Variants[0].Rungs[0]
		if r.Kept || r.Objectives[0].Recorded != 0 {
			t.Errorf("%s: kept %v, judged %+v", c.name, r.Kept, r.Objectives[0])
		}
	}
	steady := loop(t, analysistest.Loop{Instances: 2, Rate: 50, Seconds: 60, Service: 0.01})
	if r := steady.Variants[0].Rungs[0]; !r.Kept || warningsOf(steady, "stall") != "" {
		t.Errorf("steady: %+v", r.Objectives)
	}
}
