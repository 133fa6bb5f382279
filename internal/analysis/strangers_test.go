package analysis

import (
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// busyWith shows that the machine had 8 cores, that instances used some of them and others some more.
func busyWith(own, others, steal float64) func(*result.Trial) {
	return func(t *result.Trial) {
		analysistest.Sampled(t, "instance", "db-000", "cpu", own*8)
		analysistest.Sampled(t, "cpu", "", "user", own+others)
		analysistest.Sampled(t, "cpu", "", "steal", steal)
		analysistest.Sampled(t, "cpu", "", "utilisation", own+others+steal)
	}
}

// Others lower the figures of a full machine by what they have of it, and hardly those of one with room.
func TestOthersCanOnlyHaveLoweredAFigure(t *testing.T) {
	grades := map[[3]float64]string{
		{1, 0, 0}: "A", {0.98, 0.02, 0}: "A", {0.9, 0.1, 0}: "C", {0.75, 0.25, 0}: "D", {0.5, 0.5, 0}: "E",
		{0.4, 0.1, 0}: "A", {0.25, 0.25, 0}: "A", {0.3, 0.02, 0}: "A", {0.9, 0, 0.1}: "C",
	}
	for c, want := range grades {
		shows := busyWith(c[0], c[1], c[2])
		s := sample{"a", 4, 2000, 0.05, false, shows}
		a := analyse(t, madeUp(nil, s, s, s))
		if a.Grade != want || a.Bound.TooHigh > 1e-9 {
			t.Errorf("own, others and steal of %v: grade %s, want %s: %+v", c, a.Grade, want, a.Bound)
		}
		if share := c[1] + c[2]; c[0]+share == 1 && a.Bound.TooLow < share {
			t.Errorf("others had %g of a full machine, and the figure may be too low by %g", share, a.Bound.TooLow)
		}
	}
}

// An order of variants that others could have turned is a C at best, however little they used.
func TestAnOrderThatOthersCouldHaveTurnedIsNotAboveC(t *testing.T) {
	for name, c := range map[string]struct {
		others, less float64 // the share that others used at the second variant, which has so much less throughput
		turned       bool
	}{
		"others, and a narrow order":        {others: 0.04, less: 0.02, turned: true},
		"others, and a wide one":            {others: 0.04, less: 0.3},
		"an idle machine, and a narrow one": {less: 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			var samples []sample
			for range 3 {
				samples = append(samples, sample{"a", 4, 2000, 0.05, false, busyWith(0.96, 0, 0)},
					sample{"b", 4, 2000 * (1 - c.less), 0.05, false, busyWith(0.96, c.others, 0)})
			}
			run := madeUp(meanBelow(1), samples...)
			run.Plan.Study.Answer = study.Answer{Kind: study.Comparison, Factor: "storage"}
			a := analyse(t, run)
			if a.Bound == nil || a.Bound.Turns != c.turned || (a.Grade >= "C") != c.turned {
				t.Fatalf("grade %s: %+v, %+v", a.Grade, a.Bound, a.Reply)
			}
			if turned := strings.Contains(a.GradeReason, "the opposite"); turned != c.turned {
				t.Errorf("%q", a.GradeReason)
			}
			if idle := a.Bound.Cure != nil && a.Bound.Cure.Idle; idle != (c.others > 0) {
				t.Errorf("a quiet machine helps: %+v", a.Bound.Cure)
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
