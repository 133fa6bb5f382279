package analysis

import (
	"path/filepath"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/study"
)

// The cause of loops with a known reason to miss 50 ms: they stall, change half way, or are
// always slow. Unsteadiness is reported instead of a resource, unless a resource was
// saturated all the time and the loop misses the limit without its stall, too.
func TestWorkThatWasNotSteadyIsACause(t *testing.T) {
	stands := func(service float64) analysistest.Loop {
		return analysistest.Loop{Instances: 1, Users: 4, Seconds: 40, Service: service, Frozen: frozen(10, 20)}
	}
	slows := analysistest.Loop{Instances: 1, Users: 4, Seconds: 60, Service: 0.03, Slow: [3]float64{30, 60, 3}}
	disk := diagnose.Cause{Kind: diagnose.Saturated, Resource: "disk loop3 (hdd)", ResourceKind: resource.Device}
	for _, c := range []struct {
		name string
		loop analysistest.Loop
		disk float64 // how busy it is, 0 to 1
		want diagnose.Cause
		next experiment.Kind
	}{
		{"a stall alone", stands(0.01), 0.3, diagnose.Cause{Kind: diagnose.Unsteady, Course: steadiness.Stall, Alone: true}, experiment.MeasureSteady},
		{"a stall alone, on a busy disk", stands(0.01), 0.97, diagnose.Cause{Kind: diagnose.Unsteady, Course: steadiness.Stall, Alone: true}, experiment.MeasureSteady},
		{"slow without its stall", stands(0.06), 0.3, diagnose.Cause{Kind: diagnose.Unsteady, Course: steadiness.Stall}, experiment.MeasureSteady},
		{"slow without its stall, on a busy disk", stands(0.06), 0.97, disk, experiment.FasterMedium},
		{"slow from half way on", slows, 0.3, diagnose.Cause{Kind: diagnose.Unsteady, Course: steadiness.Change}, experiment.MeasureSteady},
		{"always slow", analysistest.Loop{Instances: 1, Users: 4, Seconds: 40, Service: 0.06}, 0.3, diagnose.Cause{Kind: diagnose.FromStart, Resource: "disk loop3 (hdd)", ResourceKind: resource.Device}, experiment.StartLower},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.loop.Objectives = []study.Objective{{Metric: "p99", Limit: 0.05, Text: "p99 <= 50ms"}}
			run, err := c.loop.Run(filepath.Join(t.TempDir(), "run"))
			if err != nil {
				t.Fatal(err)
			}
			machineUnderTest{}.device(run.Trials[0], c.disk)
			analysistest.Sampled(run.Trials[0], "cpu", "", "utilisation", 0.2)
			f, a := bottleneck(t, run)
			if *f.Cause != c.want {
				t.Errorf("%+v, want %+v; %+v", f.Cause, c.want, a.Variants[0].Rungs[0].Unsteady)
			}
			if e := experimentOf(t, run, a); e.Kind != c.next {
				t.Errorf("experiment %d, want %d", e.Kind, c.next)
			}
		})
	}
}
