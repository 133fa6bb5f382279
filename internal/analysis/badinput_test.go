package analysis

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// Each kind of bad input is found and named.
func TestBadInputIsNamed(t *testing.T) {
	one := sample{"a", 1, 1000, 0.1, false, nil}
	priced := func(p study.Prices) *result.Run {
		run := madeUp(meanBelow(1), one)
		run.Plan.Study.Prices = &p
		return run
	}
	warned := func(kind string, severity trust.Severity, trial string) func(*Analysis) bool {
		return func(a *Analysis) bool {
			w := ofWarnings(a, kind)
			return len(w) == 1 && w[0].Severity == severity && w[0].Trial == trial
		}
	}
	unpriced := func(a *Analysis) bool { return warned("prices", trust.Serious, "")(a) && a.Prices == nil }
	for _, c := range []struct {
		name string
		run  *result.Run
		is   func(*Analysis) bool
	}{
		{"no plan", &result.Run{ID: "r", Trials: madeUp(nil, one).Trials}, warned("damaged", trust.Serious, "")},
		{"truncated file", &result.Run{ID: "r", Plan: madeUp(nil).Plan, Problems: []result.Problem{{File: "trials/a/1/1/trial.json", Reason: "ends in the middle"}}}, warned("damaged", trust.Caution, "")},
		{"never ended", &result.Run{ID: "r", Plan: madeUp(nil).Plan, Unfinished: []string{"a/1/1"}}, warned("unfinished", trust.Caution, "a/1/1")},
		{"missing telemetry", madeUp(meanBelow(1), one), warned("telemetry", trust.Caution, "a/1/1")},
		{"a single rung", madeUp(meanBelow(1), one), func(a *Analysis) bool { return a.Variants[0].Scalability == nil }},
		{"all failed", madeUp(meanBelow(1), sample{"a", 1, 0, 0, true, nil}, sample{"a", 2, 0, 0, true, nil}), func(a *Analysis) bool { return a.Variants[0].LoadLine.Why == loadline.EveryTrialFailed }},
		{"zero throughput", madeUp(meanBelow(1), sample{"a", 1, 1000, 0.1, false, func(t *result.Trial) { t.Operations["order"] = result.OperationSummary{} }}), warned("count", trust.Serious, "a/1/1")},
		{"non-monotone", madeUp(meanBelow(1), one, sample{"a", 2, 1000, 2, false, nil}, sample{"a", 4, 1000, 0.5, false, nil}), func(a *Analysis) bool { return a.Variants[0].LoadLine.Unstable }},
		{"price is no number", priced(study.Prices{Years: 3, Items: []study.PriceItem{{Name: "server", Quantity: 1, Price: math.NaN()}}}), unpriced},
		{"price below zero", priced(study.Prices{Years: 3, Items: []study.PriceItem{{Name: "server", Quantity: 1, Price: -1}}}), unpriced},
		{"no years", priced(study.Prices{Items: []study.PriceItem{{Name: "support", Quantity: 1, Price: 1, PerYear: true}}}), unpriced},
		{"no items", priced(study.Prices{Years: 1}), unpriced},
		{"limit is no number", madeUp([]study.Objective{{Metric: "mean", Limit: math.NaN(), Text: "mean <= x"}}, one), warned("damaged", trust.Serious, "")},
		{"metric that was not recorded", madeUp([]study.Objective{{Operation: "login", Metric: "p95", Limit: 1, Text: "login p95 <= 1s"}}, one), func(a *Analysis) bool {
			return a.Variants[0].LoadLine.Next == 1 && a.Variants[0].Rungs[0].Objectives[0].Unknown
		}},
		{"rung below one", madeUp(nil, one, sample{"a", 2, 1, 1, false, func(t *result.Trial) { t.Rung = -2 }}), warned("damaged", trust.Serious, "a/2/1")},
		{"negative count", madeUp(nil, one, sample{"a", 2, 1, 1, false, func(t *result.Trial) { t.Operations["order"] = result.OperationSummary{Count: -5} }}), warned("damaged", trust.Serious, "a/2/1")},
		{"response time is no number", madeUp(nil, one, sample{"a", 2, 1, 1, false, func(t *result.Trial) { t.Operations["order"] = result.OperationSummary{Mean: math.NaN()} }}), warned("damaged", trust.Serious, "a/2/1")},
		{"no variants", &result.Run{ID: "r", Plan: &plan.Plan{}}, func(a *Analysis) bool { return len(a.Variants) == 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := analyse(t, c.run)
			if _, err := json.Marshal(a); err != nil {
				t.Fatal(err)
			}
			if !c.is(a) {
				t.Errorf("it is not found: %+v, %+v", a.Warnings, a.Variants)
			}
		})
	}
}

func TestNothingToAnalyseIsAnError(t *testing.T) {
	for _, run := range []*result.Run{nil, {}, {ID: "empty", Problems: []result.Problem{{File: "plan.json", Reason: "damaged"}}}} {
		if a, err := Analyse(run, Options{}); !errors.Is(err, trust.ErrNothing) || a != nil {
			t.Errorf("%v, %v", a, err)
		}
	}
}

// Damaged histograms fall back to the worst repetition, and say so.
func TestDamagedHistogramsAreNotPooled(t *testing.T) {
	damaged := func(t *result.Trial) {
		o := t.Operations["order"]
		o.Histogram = "HISTFAAAABx4nJNpmSzMwMDAxQABzFCaEUoz2H+AMIKZTAAA//9m"
		t.Operations["order"] = o
	}
	a := analyse(t, madeUp(nil, sample{"a", 1, 1000, 0.1, false, damaged}, sample{"a", 1, 1000, 0.3, false, nil}))
	r := a.Variants[0].Rungs[0]
	if r.Operations["order"].Pooled || math.Abs(r.Percentile["p95"]-0.3) > 1e-3 {
		t.Errorf("%+v", r.Operations["order"])
	}
	for _, w := range a.Warnings {
		if w.Kind == "percentiles" {
			return
		}
	}
	t.Error("no warning")
}

// FuzzAnalyse reads trials as stored on disk.
func FuzzAnalyse(f *testing.F) {
	whole, err := json.Marshal(madeUp(nil, sample{"a", 2, 1000, 0.1, false, analysistest.Healthy}).Trials[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"id":"a/1/1","rung":1,"status":"passed"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var trial result.Trial
		if json.Unmarshal(data, &trial) != nil {
			return
		}
		run := madeUp(meanBelow(1), sample{"a", 1, 1000, 0.1, false, analysistest.Healthy})
		run.Trials = append(run.Trials, &trial)
		a, err := Analyse(run, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Fatal(err)
		}
	})
}
