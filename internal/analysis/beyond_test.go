package analysis

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/test/quick"
)

// A width that is only assumed is no ground for what orders need under load, nor for
// waiting that nothing measured.
func TestAnAssumedWidthClaimsNothing(t *testing.T) {
	for _, width := range []int{1, 4, 16, 32} {
		for _, assumed := range []int{1, 32} {
			_, a := bottleneck(t, diskUnderTest{width: width, assumed: assumed, service: 0.01, cpu: 0.002}.run(1, 2, 4, 8))
			switch d := departureOf(a); d {
			case diagnose.NeedsLess, diagnose.Unexplained, diagnose.Undescribed:
				t.Errorf("width %d, taken for %d: departure %d", width, assumed, d)
			}
		}
	}
}

// departureOf compares the response time at the end of the first variant's line with the
// closed network's.
func departureOf(a *Analysis) diagnose.Departure {
	v := &a.Variants[0]
	r, small := loadline.Limiting(v.Rungs, v.LoadLine), scale.DemandRung(v.Rungs)
	at := slices.IndexFunc(a.Findings, func(f Finding) bool { return f.Kind == "bottleneck" })
	predicted, held := a.Findings[at].Numbers["predicted_response"]
	if !held {
		return diagnose.Agrees
	}
	return diagnose.DepartureOf(predicted, small, r)
}

// The asymptote of throughput is stated only if measurements came close to it, whatever the
// contention.
func TestNoCeilingFarBeyondWhatWasMeasured(t *testing.T) {
	said := 0
	for _, sigma := range []float64{0.002, 0.01, 0.03, 0.1, 0.3} {
		curve := func(n int) float64 { return 1000 * float64(n) / (1 + sigma*float64(n-1)) }
		for seed := range uint64(5) {
			a := analyse(t, analysistest.Set{
				Variants: []analysistest.Variant{{Name: "a", Response: analysistest.Constant(0.1), Throughput: curve}},
				Rungs:    []int{1, 2, 4, 8, 16, 32}, Repetitions: 3, Noise: analysistest.Noise{Throughput: 0.01, Response: 0.01},
			}.Run(seed))
			course := a.Variants[0].Scalability.Course
			if course.Shape != scale.LevelsToCeiling {
				continue
			}
			said++
			if course.Ceiling > 1.6*curve(32) {
				t.Errorf("contention %v: towards %.0f, and %.0f was measured", sigma, course.Ceiling, curve(32))
			}
		}
	}
	if said == 0 {
		t.Error("no ceiling was said at all")
	}
}

// Fewer than ten units of work tell neither a rate nor a percentile.
func TestFewerThanTenOrdersTellNothing(t *testing.T) {
	for _, orders := range []int{1, 5, 9} {
		a := analyse(t, analysistest.MadeUp(analysistest.MeanBelow(1), analysistest.Sample{Variant: "a", Rung: 1, OPM: float64(orders) / 2, Mean: 0.5}))
		if got := ofWarnings(a, "count"); a.Trials[0].Grade < "D" || len(got) != 1 || got[0].Severity != trust.Serious {
			t.Errorf("%d orders in two minutes: grade %s, %+v", orders, a.Trials[0].Grade, got)
		}
	}
}

// crowd is a run of one rung whose trials come from a made-up crowd and are then changed.
func crowd(repetitions int, c analysistest.Crowd, objective study.Objective, change func(n int, t *result.Trial)) *result.Run {
	s := &study.Study{Name: "made-up", Application: study.Application{Objectives: []study.Objective{objective}}}
	run := &result.Run{ID: "made-up", Plan: &plan.Plan{Study: s}, Machine: &result.Machine{Cores: 8}}
	for n := range repetitions {
		made := c.Trial(uint64(n + 1))
		made.ID, made.Repetition, made.Variant.Name = "a/"+strconv.Itoa(c.Instances)+"/"+strconv.Itoa(n+1), n+1, "a"
		s.Load = made.Variant.Load
		change(n, made)
		run.Trials = append(run.Trials, made)
	}
	return run
}

// Two instances of 16 starve: the rung is broken by one of them.
func TestTwoStarvingInstances(t *testing.T) {
	c := analysistest.Crowd{Instances: 16, Orders: 1000}
	a := analyse(t, crowd(1, c, study.Objective{Metric: "p95", Limit: 0.5, Text: "p95 <= 500ms"}, func(_ int, made *result.Trial) {
		for _, i := range []int{3, 11} {
			s := &made.Instances[i]
			s.Count, s.Mean, s.Deviation, s.P95, s.P99 = 40, 3, 1, 5, 6
			for n := range s.Times {
				s.Times[n] = 2 + float64(n)/4
			}
		}
	}))
	r := a.Variants[0].Rungs[0]
	if o := r.Objectives[0]; r.Kept || o.Worst == nil || o.Worst.Instance != 3 && o.Worst.Instance != 11 {
		t.Errorf("%v: %+v", r.Kept, o)
	}
	if r.Fairness == nil || r.Fairness.Uneven == nil || r.Fairness.Jain > 0.89 {
		t.Errorf("%+v", r.Fairness)
	}
}

// One repetition of three is very different: it is named, and there is no interval, but the range.
func TestOneRepetitionOfThreeIsDifferent(t *testing.T) {
	samples := make([]analysistest.Sample, 3)
	for i, opm := range []float64{6000, 6050, 1500} {
		samples[i] = analysistest.Sample{Variant: "a", Rung: 4, OPM: opm, Mean: 0.1}
	}
	a := analyse(t, analysistest.MadeUp(analysistest.MeanBelow(1), samples...))
	if got := ofWarnings(a, "outlier"); len(got) == 0 || got[0].Severity == trust.Note {
		t.Errorf("outlier: %+v", got)
	}
	if i := a.Variants[0].Rungs[0].Throughput; i.Bounded() || !i.Extremes || i.Low > 1501 || i.High < 6049 {
		t.Errorf("%+v", i)
	}
}

// Identical repetitions have no noise, and yet every figure stays a number.
func TestRepetitionsWithoutAnyNoise(t *testing.T) {
	samples := make([]analysistest.Sample, 0, 6)
	for _, rung := range []int{4, 8} {
		for range 3 {
			samples = append(samples, analysistest.Sample{Variant: "a", Rung: rung, OPM: 1000 * float64(rung), Mean: 0.1})
		}
	}
	a := analyse(t, analysistest.MadeUp(analysistest.MeanBelow(1), samples...))
	for _, r := range a.Variants[0].Rungs {
		if i := r.Throughput; !(i.Low <= i.Value && i.Value <= i.High) || !r.Kept {
			t.Errorf("%+v", r.Throughput)
		}
	}
}

// All errors of a trial in one second count like others.
func TestErrorsOfOneSecond(t *testing.T) {
	a := analyse(t, crowd(3, analysistest.Crowd{Instances: 4, Orders: 1000}, study.Objective{Metric: "errors", Limit: 0.01, Text: "errors <= 1%"}, func(n int, made *result.Trial) {
		if n == 1 {
			o := made.Operations["order"]
			o.Errors = map[string]int64{"timeout": 800}
			made.Operations["order"] = o
		}
	}))
	if r := a.Variants[0].Rungs[0]; r.Kept || r.ErrorClasses["timeout"] != 800 {
		t.Errorf("%+v", r.Objectives)
	}
	if got := ofWarnings(a, "errors"); len(got) == 0 || got[0].Severity != trust.Serious {
		t.Errorf("errors: %+v", got)
	}
}

// What happens at the edges of the phase, to one instance, or to the records alone is
// called that.
func TestEdgesOfThePhase(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	one := func(from, to float64) func(int) (float64, float64) {
		return func(i int) (float64, float64) {
			if i == 2 {
				return from, to
			}
			return 0, 0
		}
	}
	for _, c := range []struct {
		name, kind string
		is         func(trust.Warning) bool
		loop       analysistest.Loop
	}{
		{"stands still at the start", "stall", func(w trust.Warning) bool { return w.Unsteady.From == 0 && w.Unsteady.Instance == "" }, analysistest.Loop{Instances: 1, Users: 4, Seconds: 60, Service: 0.01, Frozen: frozen(0.01, 4)}},
		{"an instance stops half way", "stall", func(w trust.Warning) bool {
			u := w.Unsteady
			return u.Instance == "instance-002" && u.Still == 30 && u.From == 30 && u.To == 60
		}, analysistest.Loop{Instances: 4, Users: 2, Seconds: 60, Service: 0.01, Frozen: one(30, 1000)}},
		{"records are missing at the start", "records", func(w trust.Warning) bool { return slices.Equal(figuresOf(w), []float64{30, 120, 0.25}) }, analysistest.Loop{Instances: 2, Users: 4, Seconds: 120, Service: 0.05, Unrecorded: [2]int{0, 30}}},
	} {
		run, err := c.loop.Run(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		a := analyse(t, run)
		for _, kind := range []string{"stall", "records", "shift", "drift", "warm-up", "dip"} {
			if got := ofWarnings(a, kind); (len(got) > 0) != (kind == c.kind) || kind == c.kind && !c.is(got[0]) {
				t.Errorf("%s: %s: %+v", c.name, kind, got)
			}
		}
	}
}

// What waited at the end of an open loop is not summed over the repetitions.
func TestTheBacklogIsNotSummed(t *testing.T) {
	var samples []analysistest.Sample
	for range 3 {
		samples = append(samples, analysistest.Sample{Variant: "a", Rung: 4, OPM: 1000, Mean: 0.1, Change: func(made *result.Trial) {
			made.OpenLoop = true
			o := made.Operations["order"]
			o.Offered, o.Waiting = 2*o.Count, 700
			made.Operations["order"] = o
		}})
	}
	a := analyse(t, analysistest.MadeUp(analysistest.MeanBelow(1), samples...))
	if behind := a.Variants[0].Rungs[0].Break.Behind; behind == nil || behind.Waiting != 700 || behind.Trials != 3 {
		t.Errorf("%+v", behind)
	}
}

// A fraction of a baseline of another block size is remarked on where it is read.
func TestABaselineOfAnotherSizeIsRemarkedOn(t *testing.T) {
	block := func(size string) *result.Run {
		return analysistest.MadeUp(nil, analysistest.Sample{Variant: "a", Rung: 1, OPM: 600, Mean: 0.1, Change: func(made *result.Trial) {
			made.Variant.Factors = map[string]string{"storage": "x", "workload.parameters.block": size}
		}})
	}
	for size, remarked := range map[string]bool{"4KiB": false, "1MiB": true} {
		a, err := Analyse(block("4KiB"), Options{Baseline: block(size)})
		if err != nil {
			t.Fatal(err)
		}
		if got := ofWarnings(a, "baseline"); (len(got) > 0) != remarked {
			t.Errorf("against %s: %+v", size, got)
		}
	}
}
