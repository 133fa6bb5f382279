package analysis

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// A stall affects a grade only where the verdict may depend on it: not if the objective is
// missed by far without the stall, or met including it. These trials have no telemetry and
// no repetition, which make two cautions; a settled stall adds nothing to them.
func TestStallsThatChangeNoVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		loop    analysistest.Loop
		limit   string
		settled bool
		grade   string
	}{
		"broken by far":      {analysistest.Loop{Instances: 2, Users: 12, Seconds: 30, Service: 0.4, Frozen: frozen(10, 13.1)}, "p95 <= 100ms", true, "C"},
		"broken by it alone": {analysistest.Loop{Instances: 2, Users: 12, Seconds: 30, Service: 0.08, Frozen: frozen(10, 13.1)}, "p95 <= 100ms", false, "E"},
		"kept with it":       {analysistest.Loop{Instances: 2, Users: 12, Seconds: 60, Service: 0.04, Frozen: frozen(10, 13.1)}, "p90 <= 100ms", true, "C"},
		"an open loop, kept": {analysistest.Loop{Instances: 1, Rate: 50, Seconds: 60, Service: 0.01, Frozen: frozen(10, 13.1)}, "p90 <= 100ms", true, "C"},
	} {
		t.Run(name, func(t *testing.T) {
			metric, _, _ := strings.Cut(c.limit, " ")
			c.loop.Objectives = []study.Objective{{Metric: metric, Limit: 0.1, Text: c.limit}}
			run, err := c.loop.Run(filepath.Join(t.TempDir(), "run"))
			if err != nil {
				t.Fatal(err)
			}
			a := analyse(t, run)
			i := slices.IndexFunc(a.Warnings, func(w trust.Warning) bool { return w.Kind == "stall" })
			if i < 0 || a.Warnings[i].Settled != c.settled || a.Grade != c.grade {
				t.Errorf("graded %s: %+v", a.Grade, a.Warnings)
			}
		})
	}
}

// Few units of work make no percentile, which weighs only where an objective is one.
func TestFewUnitsOfWorkBesideNoPercentile(t *testing.T) {
	for metric, settled := range map[string]bool{"max": true, "errors": true, "p95": false, "mean": false} {
		run := analysistest.MadeUp([]study.Objective{{Metric: metric, Limit: 1, Text: metric}}, analysistest.Sample{Variant: "a", Rung: 1, OPM: 1200, Mean: 0.1, Change: func(t *result.Trial) {
			analysistest.Healthy(t)
			t.Operations["order"] = orders(150, 0.1)
		}})
		a := analyse(t, run)
		if i := slices.IndexFunc(a.Warnings, func(w trust.Warning) bool { return w.Kind == "count" }); i < 0 || a.Warnings[i].Settled != settled {
			t.Errorf("%s: %+v", metric, a.Warnings)
		}
	}
}

// A comparison of throughput does not rest on percentiles; an effect tells of some.
func TestFewUnitsOfWorkBesideThroughput(t *testing.T) {
	for kind, settled := range map[study.Kind]bool{study.Comparison: true, study.Scaling: true, study.Effect: false} {
		run := analysistest.MadeUp([]study.Objective{{Metric: "errors", Limit: 0.1, Text: "errors"}}, analysistest.Sample{Variant: "a", Rung: 1, OPM: 1200, Mean: 0.1, Change: func(t *result.Trial) {
			analysistest.Healthy(t)
			t.Operations["order"] = orders(150, 0.1)
		}})
		run.Plan.Study.Answer = study.Answer{Kind: kind}
		a := analyse(t, run)
		if i := slices.IndexFunc(a.Warnings, func(w trust.Warning) bool { return w.Kind == "count" }); i < 0 || a.Warnings[i].Settled != settled {
			t.Errorf("%s: %+v", kind, a.Warnings)
		}
	}
}

// A question that throughput answers rests on every doubt about time that was lost.
func TestThroughputRestsOnStalls(t *testing.T) {
	l := analysistest.Loop{Instances: 2, Users: 12, Seconds: 30, Service: 0.4, Frozen: frozen(10, 13.1)}
	l.Objectives = []study.Objective{{Metric: "p95", Limit: 0.1, Text: "p95 <= 100ms"}}
	run, err := l.Run(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	run.Plan.Study.Answer.Kind = study.Scaling
	if a := analyse(t, run); slices.ContainsFunc(a.Warnings, func(w trust.Warning) bool { return w.Settled }) {
		t.Errorf("%+v", a.Warnings)
	}
}

// The throughput of fixed work counts all of its time, stalls included.
func TestFixedWorkDoesNotRestOnStalls(t *testing.T) {
	for _, c := range []struct {
		objective string
		answer    study.Answer
		settled   bool
	}{
		{"errors", study.Answer{Kind: study.Scaling}, true},
		{"p95", study.Answer{Kind: study.Scaling}, false},
		{"errors", study.Answer{Kind: study.Effect}, true},
		{"errors", study.Answer{Kind: study.Effect, Metric: "mean"}, false},
	} {
		l := analysistest.Loop{Instances: 2, Users: 12, Seconds: 30, Service: 0.4, Frozen: frozen(10, 13.1)}
		l.Objectives = []study.Objective{{Metric: c.objective, Limit: 0.1, Text: c.objective}}
		run, err := l.Run(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		run.Plan.Study.Answer = c.answer
		for _, trial := range run.Trials {
			trial.Profile.Fixed = true
		}
		a := analyse(t, run)
		if i := slices.IndexFunc(a.Warnings, func(w trust.Warning) bool { return w.Kind == "stall" }); i < 0 || a.Warnings[i].Settled != c.settled {
			t.Errorf("%+v: %+v", c, a.Warnings)
		}
	}
}
