package analysis

import (
	"math"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/resource"
)

// A CPU quota over the whole run is the bottleneck, whatever the machine's CPU has
// left, and whether it is used up on average or throttles before.
func TestQuotaOfTheContainerIsTheBottleneck(t *testing.T) {
	for _, c := range []struct {
		name       string
		used, held float64
		want       bool
	}{
		{"used up", 0.97, 149. / 208, true},
		{"throttles before", 0.72, 149. / 208, true},
		{"not reached", 0.40, 0.02, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Half of the time is waiting that no machine's resource explains.
			run := machineUnderTest{cpu: 0.004, disk: 0.001, think: 100 * time.Millisecond, lock: 0.01}.run(1, 2, 4, 8, 16, 32, 64)
			for _, trial := range run.Trials {
				seconds := trial.MeasureEnd.Sub(trial.MeasureStart).Seconds()
				analysistest.Sampled(trial, "container", "/docker/4f2", "cpu_utilisation", c.used)
				analysistest.Sampled(trial, "container", "/docker/4f2", "cpu_limit", 0.6)
				analysistest.Sampled(trial, "container", "/docker/4f2", "periods", 208/seconds)
				analysistest.Sampled(trial, "container", "/docker/4f2", "throttled_periods", c.held)
			}
			f, a := bottleneck(t, run)
			want := diagnose.Cause{Kind: diagnose.Saturated, Resource: "CPU quota of this container (control group /docker/4f2)", ResourceKind: resource.Container}
			if is := *f.Cause == want; is != c.want {
				t.Fatalf("cause %+v", f.Cause)
			}
			if !c.want {
				return
			}
			d, _ := diagnosisOf(a)
			if f.Numbers["servers"] != 0.6 || math.Abs(d.Top.Throttled*d.Top.Periods-208*c.held) > 1e-9 || math.Abs(d.Top.Periods-208) > 1e-9 {
				t.Errorf("%+v", d.Top)
			}
			if e := experimentOf(t, run, a); e.Kind != experiment.RaiseContainer {
				t.Errorf("%+v", e)
			}
			if _, held := f.Numbers["predicted_response"]; held { // no network models waiting for the quota
				t.Errorf("%v", f.Numbers)
			}
		})
	}
}

// A container killed for want of memory is distinguished from slow storage.
func TestContainerMemoryIsAResource(t *testing.T) {
	run := machineUnderTest{cpu: 0.004, disk: 0.001, think: 100 * time.Millisecond}.run(1, 2)
	for _, trial := range run.Trials {
		analysistest.Sampled(trial, "container", "/", "memory_utilisation", 0.81)
	}
	_, a := bottleneck(t, run)
	for _, r := range a.Variants[0].Rungs[0].Resources {
		if r.Name == "memory limit of this container" && r.Kind == resource.Memory && r.Utilisation == 0.81 {
			return
		}
	}
	t.Errorf("no memory limit among %+v", a.Variants[0].Rungs[0].Resources)
}
