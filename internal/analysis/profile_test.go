package analysis

import (
	"errors"
	"math"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/study"
)

func queries() describe.Profile {
	return describe.Profile{
		Workload: "made-up-queries", Unit: describe.Unit{Name: "query", Plural: "queries", Throughput: "queries/h", Seconds: 3600},
		Operations: []string{"query", "q1", "q2"}, Fixed: true,
	}
}

// counted turns made-up orders into what a profile counts.
func counted(p describe.Profile, change func(*result.Trial)) func(*result.Trial) {
	return func(t *result.Trial) {
		o := t.Operations["order"]
		o.Bytes = 8192 * o.Count
		t.Profile, t.Operations = p, map[string]result.OperationSummary{p.Whole(): o}
		if change != nil {
			change(t)
		}
	}
}

// checkUnits holds every rung's throughput against what its trials counted.
func checkUnits(t *testing.T, run *result.Run, v Variant) {
	t.Helper()
	for _, r := range v.Rungs {
		var all []float64
		for _, x := range run.Trials {
			if x.Variant.Name != v.Name || x.Rung != r.Instances {
				continue
			}
			o := x.Operations[x.Profile.Operations[0]]
			n := float64(o.Count)
			if x.Profile.Unit.Bytes {
				n = float64(o.Bytes) / 1e6
			}
			all = append(all, n/x.MeasureEnd.Sub(x.MeasureStart).Seconds()*x.Profile.Unit.Seconds)
		}
		if want := stats.MedianOf(all); want == 0 || math.Abs(r.Throughput.Value/want-1) > 1e-9 {
			t.Errorf("%s at %d: %v, counted %v", v.Name, r.Instances, r.Throughput.Value, want)
		}
		if r.Percentile["p95"] == 0 || r.Mean.Value == 0 {
			t.Errorf("%s at %d: no response time of the unit of work", v.Name, r.Instances)
		}
	}
}

// A workload without an audit says what its correctness rests on, and is not
// doubted for it.
func TestNoAuditIsNotDoubtedWhereNoneIsNeeded(t *testing.T) {
	verified := counted(resulttest.Blocks(), func(t *result.Trial) { analysistest.Healthy(t); t.Audit = nil })
	if w := ofWarnings(analyse(t, madeUp(meanBelow(1), times("a", 1, verified)...)), "audit"); w != nil {
		t.Errorf("%+v", w)
	}
	failed := counted(resulttest.Blocks(), func(t *result.Trial) {
		analysistest.Healthy(t)
		t.Audit = &result.AuditSummary{Text: "a block is torn"}
	})
	if w := ofWarnings(analyse(t, madeUp(meanBelow(1), times("a", 1, failed)...)), "audit"); len(w) != 3 {
		t.Errorf("%+v", w)
	}
}

func times(variant string, rung int, change func(*result.Trial)) []sample {
	one := sample{variant, rung, 1200 * float64(rung), 0.1, false, change}
	return []sample{one, one, one}
}

// The unit of work is the first operation, whatever its name.
func TestTheFirstOperationIsTheUnit(t *testing.T) {
	p := resulttest.Transactions()
	p.Operations = []string{"all", "transaction"}
	run := madeUp([]study.Objective{{Metric: "mean", Limit: 1, Text: "mean <= 1s"}, {Operation: "all", Metric: "p95", Limit: 1, Text: "p95 <= 1s"}}, times("a", 1, counted(p, analysistest.Healthy))...)
	for _, x := range run.Trials {
		x.Operations["transaction"] = analysistest.Alike(99999, 7)
	}
	r := analyse(t, run).Variants[0].Rungs[0]
	if r.Throughput.Value != 20 || r.Mean.Value != 0.1 || !r.Kept || len(r.Objectives) != 2 {
		t.Errorf("%+v", r)
	}
}

// Variants that count different things are never held against each other.
func TestDifferentUnitsAreNotCompared(t *testing.T) {
	fast, slow := counted(resulttest.Transactions(), analysistest.Healthy), counted(resulttest.Blocks(), analysistest.Healthy)
	a := analyse(t, madeUp([]study.Objective{{Metric: "mean", Limit: 1, Text: "mean <= 1s"}}, append(append(times("a", 1, fast), times("b", 1, slow)...), times("c", 1, slow)...)...))
	if c := pairwise.ContrastOf(a, &a.Variants[0], &a.Variants[1]); len(c.Rungs) != 0 {
		t.Errorf("TPS were compared with MB/s: %+v", c)
	}
	if c := pairwise.ContrastOf(a, &a.Variants[1], &a.Variants[2]); len(c.Rungs) != 1 {
		t.Errorf("MB/s were not compared: %+v", c)
	}
}

// A trial without a unit of work has no figures.
func TestTrialsWithoutAProfileAreLeftOut(t *testing.T) {
	run := madeUp(meanBelow(1), times("a", 1, func(t *result.Trial) { t.Profile = describe.Profile{} })...)
	a, err := Analyse(run, Options{})
	if err != nil && !errors.Is(err, trust.ErrNothing) {
		t.Fatal(err)
	}
	if a != nil && (len(ofWarnings(a, "damaged")) != 3 || len(a.Trials) != 0) {
		t.Errorf("%+v, %+v", a.Warnings, a.Trials)
	}
}
