package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Others that had more of the CPU than the margin of a verdict keep it from more than C.
func TestAVerdictWithinWhatOthersUsedIsNotAboveC(t *testing.T) {
	for name, c := range map[string]struct {
		user, steal, kernel float64 // others' share of the CPU
		broken              float64 // the mean at 8, of its limit
		within              bool
	}{
		"others, and a narrow verdict":         {user: 0.1, broken: 1.05, within: true},
		"others, and a wide one":               {user: 0.1, broken: 2},
		"few others, and a wide one":           {user: 0.02, broken: 1.5},
		"an idle machine":                      {broken: 1.01},
		"guests, and a narrow verdict":         {steal: 0.02, broken: 1.01, within: true},
		"guests, and a wide one":               {steal: 0.02, broken: 1.5},
		"the kernel's work, which may be ours": {kernel: 0.1, broken: 1.01},
	} {
		t.Run(name, func(t *testing.T) {
			shows := func(t *result.Trial) {
				analysistest.Sampled(t, "instance", "db-000", "cpu", 0.3*8)
				analysistest.Sampled(t, "cpu", "", "user", 0.3+c.user)
				analysistest.Sampled(t, "cpu", "", "steal", c.steal)
				analysistest.Sampled(t, "cpu", "", "utilisation", 0.3+c.user+c.steal+c.kernel)
			}
			var samples []sample
			for range 3 {
				samples = append(samples, sample{"a", 4, 2000, 0.05, false, shows}, sample{"a", 8, 2500, 0.2 * c.broken, false, shows})
			}
			a, err := Analyse(madeUp(meanBelow(0.2), samples...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			about := ofWarnings(a, trust.Strangers)
			if len(about) > 0 != c.within || a.Grade == "" || a.Grade < "C" == c.within {
				t.Fatalf("grade %s: %+v", a.Grade, about)
			}
			if !c.within {
				return
			}
			if i := slices.IndexFunc(a.Variants[0].Rungs, func(r rung.Rung) bool { return r.Grade >= "C" }); i != 1 || !strings.Contains(a.GradeReason, "margin") || a.Raise == nil || a.Raise.Guests != (c.steal > 0) {
				t.Errorf("rung %d; %s; %+v", i, a.GradeReason, a.Raise)
			}
		})
	}
}

// A disk that others saturate is no bottleneck of the load, and its speed for the load
// alone is unknown.
func TestADiskFullOfAnotherTenantIsNotTheLoads(t *testing.T) {
	shows := func(t *result.Trial) {
		t.Variant.Load = study.Load{Users: 8, ThinkTime: unit.Duration(300 * time.Millisecond)}
		t.Devices = []describe.Device{{Name: "vda", Actuators: 1}}
		analysistest.Sampled(t, "cpu", "", "utilisation", 0.1)
		analysistest.Sampled(t, "instance", "db-000", "cpu", 0.1*8)
		analysistest.Sampled(t, "device", "vda", "utilisation", 0.98)
		analysistest.Sampled(t, "device", "vda", "reads", 400)
	}
	f, a := bottleneck(t, madeUp(meanBelow(0.2), sample{"a", 1, 1370, 0.05, false, shows}, sample{"a", 4, 5500, 0.05, false, shows}, sample{"a", 8, 4260, 0.6, false, shows}))
	if f.Cause.Kind != diagnose.Neighbour || f.Cause.ResourceKind != resource.Device || !strings.Contains(f.Text, "something else uses it, too") || !strings.Contains(f.Next, "what else uses disk vda") {
		t.Errorf("%+v: %s %s", f.Cause, f.Text, f.Next)
	}
	if v := a.Variants[0]; strings.Contains(v.Topology.Limit+f.Text, "bottleneck") || f.Numbers["predicted_load_line"] != 0 {
		t.Errorf("%s; %s; %+v", v.Topology.Limit, f.Text, f.Numbers)
	}
}
