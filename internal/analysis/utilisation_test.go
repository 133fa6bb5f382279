package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// training is a made-up trial of accelerators that compute for c seconds on batches of b bytes,
// on a medium that moves r bytes a second: two minutes.
func training(accelerators int, r, b, c float64) analysistest.Sample {
	each := min(1/c, r/b/float64(accelerators)) // batches/s
	count := math.Floor(each * 120 * float64(accelerators))
	return analysistest.Sample{Variant: "medium", Rung: accelerators, OPM: count / 2, Mean: 1 / each, Change: func(t *result.Trial) {
		t.Profile = describe.Profile{
			Workload: "training", User: "accelerator", Unit: describe.Unit{Name: "batch", Plural: "batches", Throughput: "MB/s", Seconds: 1, Bytes: true},
			Metrics:    []describe.Metric{{Name: "au", Operation: "compute", Text: "utilisation", Does: "computed", Rest: "time without computing"}},
			Operations: []string{"batch", "wait", "compute"}, OnVolume: true, Direct: true, Correctness: "made up",
		}
		t.Variant.Load.Users, t.Servers = 1, nil
		whole := analysistest.Alike(count, 1/each)
		whole.Bytes = int64(count * b)
		t.Operations = map[string]result.OperationSummary{"batch": whole, "compute": analysistest.Alike(count, c), "wait": analysistest.Alike(count, max(1e-6, 1/each-c))}
	}}
}

// The load line of a medium of rate R is R·C/B accelerators; at a utilisation u, that ÷ u.
func TestUtilisationGivesTheLoadLine(t *testing.T) {
	const r, b, c = 1000e9, 1.026e9, 0.323 // 315 accelerators at all times, 350 at 90 %
	au := study.Objective{Operation: "compute", Metric: study.Idle, Limit: 0.1, Text: "au >= 90%"}
	var samples []analysistest.Sample
	for _, n := range []int{100, 200, 300, 320, 330, 340, 350, 400} {
		samples = append(samples, training(n, r, b, c))
	}
	run := analysistest.MadeUp([]study.Objective{au}, samples...)
	run.Plan.Study.Ladder.Of, run.Plan.Study.Load = "users", study.Load{Users: 1}
	a := analyse(t, run)
	v := a.Variants[0]
	if v.LoadLine.Rung != 340 || v.LoadLine.Next != 350 || v.LoadLine.Broken != "au >= 90%" {
		t.Errorf("%+v", v.LoadLine)
	}
	for _, rung := range v.Rungs {
		want := 1 - min(1, r*c/b/float64(rung.Instances))
		if o := rung.Objectives[0]; o.Unknown || o.Metric != study.Idle || math.Abs(o.Value-want) > 0.005 {
			t.Errorf("at %d: %+v, want %.3f idle", rung.Instances, o, want)
		}
	}
	if want := r * c / b / 0.9; math.Abs(v.LoadLine.Count.Value-want) > 0.05*want {
		t.Errorf("interpolated %.2f, want %.2f", v.LoadLine.Count.Value, want)
	}
	if text := fmt.Sprint(a.Verdict); !strings.Contains(text, "340 to 349 accelerators within utilisation ≥ 90 %") || !strings.Contains(text, "accelerators computed for 8") {
		t.Error(text)
	}
}

// Shares of trials are of their sums: a trial that did nothing is not left out.
func TestUtilisationIsUnknownWithoutComputing(t *testing.T) {
	au := study.Objective{Operation: "compute", Metric: study.Idle, Limit: 0.1, Text: "au >= 90%"}
	run := analysistest.MadeUp([]study.Objective{au}, analysistest.Sample{Variant: "disk", Rung: 1, OPM: 60, Mean: 0.01})
	if o := analyse(t, run).Variants[0].Rungs[0].Objectives[0]; !o.Unknown || o.Kept {
		t.Errorf("%+v", o)
	}
}
