package analysis

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Each kind of bad input has a sentence that says what is wrong.
func TestBadInputIsNamed(t *testing.T) {
	one := sample{"a", 1, 1000, 0.1, false, nil}
	priced := func(p study.Prices) *result.Run {
		run := madeUp(meanBelow(1), one)
		run.Plan.Study.Prices = &p
		return run
	}
	for _, c := range []struct {
		name string
		run  *result.Run
		say  string
	}{
		{"no plan", &result.Run{ID: "r", Trials: madeUp(nil, one).Trials}, "the plan could not be read"},
		{"truncated file", &result.Run{ID: "r", Plan: madeUp(nil).Plan, Problems: []result.Problem{{File: "trials/a/1/1/trial.json", Reason: "ends in the middle"}}}, "ends in the middle"},
		{"never ended", &result.Run{ID: "r", Plan: madeUp(nil).Plan, Unfinished: []string{"a/1/1"}}, "the trial started and never finished"},
		{"missing telemetry", madeUp(meanBelow(1), one), "no telemetry"},
		{"a single rung", madeUp(meanBelow(1), one), "Only one rung was measured"},
		{"all failed", madeUp(meanBelow(1), sample{"a", 1, 0, 0, true, nil}, sample{"a", 2, 0, 0, true, nil}), "failed in every trial"},
		{"zero throughput", madeUp(meanBelow(1), sample{"a", 1, 1000, 0.1, false, func(t *result.Trial) { t.Operations["order"] = result.OperationSummary{} }}), "no order was completed"},
		{"non-monotone", madeUp(meanBelow(1), one, sample{"a", 2, 1000, 2, false, nil}, sample{"a", 4, 1000, 0.5, false, nil}), "unstable"},
		{"price is no number", priced(study.Prices{Years: 3, Items: []study.PriceItem{{Name: "server", Quantity: 1, Price: math.NaN()}}}), "is not a price"},
		{"price below zero", priced(study.Prices{Years: 3, Items: []study.PriceItem{{Name: "server", Quantity: 1, Price: -1}}}), "is not a price"},
		{"no years", priced(study.Prices{Items: []study.PriceItem{{Name: "support", Quantity: 1, Price: 1, PerYear: true}}}), "names no years"},
		{"no items", priced(study.Prices{Years: 1}), "no items"},
		{"limit is no number", madeUp([]study.Objective{{Metric: "mean", Limit: math.NaN(), Text: "mean <= x"}}, one), "its limit is NaN"},
		{"metric that was not recorded", madeUp([]study.Objective{{Operation: "login", Metric: "p95", Limit: 1, Text: "login p95 <= 1s"}}, one), "1 instance (1 trial) did not meet the objectives"},
		{"rung below one", madeUp(nil, one, sample{"a", 2, 1, 1, false, func(t *result.Trial) { t.Rung = -2 }}), "a rung has at least one"},
		{"negative count", madeUp(nil, one, sample{"a", 2, 1, 1, false, func(t *result.Trial) { t.Operations["order"] = result.OperationSummary{Count: -5} }}), "counts -5"},
		{"response time is no number", madeUp(nil, one, sample{"a", 2, 1, 1, false, func(t *result.Trial) { t.Operations["order"] = result.OperationSummary{Mean: math.NaN()} }}), "response time of NaN"},
		{"no variants", &result.Run{ID: "r", Plan: &plan.Plan{}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := analyse(t, c.run)
			data, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(unescaped(data), c.say) {
				t.Errorf("nothing says %q: %s", c.say, data)
			}
		})
	}
}

func unescaped(data []byte) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(data))
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

// FuzzAnalyse reads trials as they lie on disk.
func FuzzAnalyse(f *testing.F) {
	whole, err := json.Marshal(madeUp(nil, sample{"a", 2, 1000, 0.1, false, healthy}).Trials[0])
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
		run := madeUp(meanBelow(1), sample{"a", 1, 1000, 0.1, false, healthy})
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
