package analysis

import (
	"math"
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// trials of a rung that all do as well.
func times3(variant string, rung int, change func(repetition int, t *result.Trial)) []sample {
	var out []sample
	for i := range 3 {
		out = append(out, sample{variant, rung, 1200 * float64(rung), 0.1, false, func(t *result.Trial) {
			analysistest.Healthy(t)
			if change != nil {
				change(i+1, t)
			}
		}})
	}
	return out
}

func failedAt(stage, why string) func(int, *result.Trial) {
	return func(repetition int, t *result.Trial) {
		if repetition == 2 {
			t.Status, t.Operations = result.Failed, nil
			t.Failure = &result.Failure{Stage: stage, Cause: why}
		}
	}
}

// A server that panics in one of three repetitions carries nothing, whatever
// the other two did. One that could not be provided for says nothing of storage.
func TestPanicIsNotOutvoted(t *testing.T) {
	const why = `instance db-003 ended at 12:00:01, 31.0 s after the start: PANIC: could not fdatasync file "000000010000000000000004": Input/output error`
	for _, c := range []struct {
		stage string
		reach loadline.Reach
	}{
		{"drive", loadline.Reach{Extent: loadline.Between, Low: 4, High: 7}},
		{"provision", loadline.Reach{Extent: loadline.AtLeast, Low: 8}},
	} {
		a := analyse(t, madeUp(meanBelow(1), append(times3("a", 4, nil), times3("a", 8, failedAt(c.stage, why))...)...))
		if got := a.Variants[0].LoadLine.Reach(); got != c.reach {
			t.Errorf("%s: %+v", c.stage, got)
		}
		r := a.Variants[0].Rungs[1]
		broke := r.Break.Failed != nil && r.Break.Failed.Failure.Cause == why
		if r.Failed != 1 || r.Repetitions != 2 || broke != (c.stage == "drive") {
			t.Errorf("%s: %d of %d failed, and it breaks by %+v", c.stage, r.Failed, r.Failed+r.Repetitions, r.Break.Failed)
		}
	}
}

// Eight users of one instance who wait from second 55 to past the end.
func TestStallAtTheEndIsDoubted(t *testing.T) {
	stall := func(_ int, t *result.Trial) {
		o := t.Operations["order"]
		o.Waiting, o.Overdue, o.Oldest = 8, 8, 5.02
		t.Operations["order"] = o
	}
	a := analyse(t, madeUp(nil, times3("a", 1, stall)...))
	w := ofWarnings(a, "stall")
	want := steadiness.Unsteadiness{From: 120 - 5.02, To: 120, Times: 1, Still: 5.02, Waited: 8, Influence: 5.02 / 120}
	if len(w) != 3 || !stoodStill(*w[0].Unsteady, want) || w[0].Unsteady.To != 120 || w[0].Severity != trust.Caution || a.Bound.TooLow < 5.02/120 || a.Bound.TooHigh > 0 {
		t.Errorf("grade %s, %+v", a.Grade, w)
	}
}

// An open loop whose completed orders are fast, and which left 600,000 waiting.
func TestRateThatWasNotReachedIsNotKept(t *testing.T) {
	open := func(offered, waiting int64) func(int, *result.Trial) {
		return func(_ int, t *result.Trial) {
			t.OpenLoop, t.Variant.Load = true, study.Load{Users: 8, Rate: 5000}
			o := t.Operations["order"]
			o.Offered, o.Waiting = offered, waiting
			t.Operations["order"] = o
		}
	}
	done := int64(1200 * 2)
	for _, c := range []struct {
		name             string
		offered, waiting int64
		behind           bool
	}{
		{"backlog", done + 600000, 600000, true},
		{"kept up", done + 3, 5, false},
		{"an old run, without what was offered", 0, 0, true},
	} {
		a := analyse(t, madeUp(meanBelow(1), times3("a", 1, open(c.offered, c.waiting))...))
		r := a.Variants[0].Rungs[0]
		b := r.Break.Behind
		if (b != nil) != c.behind || r.Kept == c.behind || c.behind && (math.Abs(b.Achieved-0.004) > 5e-4 || b.Waiting != c.waiting) {
			t.Errorf("%s: kept %v, %+v", c.name, r.Kept, b)
		}
		t.Log(a.Verdict[0].Text, "|", a.Variants[0].LoadLine.Text)
	}
}

// Planned trials that are not there are named, gravest where the line rests on them. What is known without
// them stands: all repetitions that are left agree, and a line that ends earlier is open.
func TestMissingTrialsAreNamed(t *testing.T) {
	set := func(drop ...string) *Analysis {
		run := madeUp(meanBelow(1), slices.Concat(times3("a", 1, nil), times3("a", 2, nil), times3("a", 4, nil), times3("a", 8, func(_ int, t *result.Trial) {
			o := orders(2000, 2) // breaks the objective
			t.Operations["order"], t.Variant.Load = o, study.Load{}
		}))...)
		for _, trial := range run.Trials {
			run.Plan.Trials = append(run.Plan.Trials, plan.Trial{ID: trial.ID, Variant: "a", Rung: trial.Rung, Repetition: trial.Repetition})
		}
		run.Trials = slices.DeleteFunc(run.Trials, func(trial *result.Trial) bool { return slices.Contains(drop, trial.ID) })
		return analyse(t, run)
	}
	for _, c := range []struct {
		name     string
		drop     []string
		grade    string
		severity trust.Severity
		figures  []float64
	}{
		{"none", nil, "A", "", nil},
		{"one at the line", []string{"a/4/2"}, "A", trust.Serious, []float64{1, 3, 4}},
		{"two above it", []string{"a/8/2", "a/8/3"}, "A", trust.Serious, []float64{2, 3, 8}},
		{"one far below", []string{"a/1/3"}, "A", trust.Caution, []float64{1, 3, 1}},
		{"the rung above the line", []string{"a/8/1", "a/8/2", "a/8/3"}, "A", trust.Serious, []float64{8}},
	} {
		a := set(c.drop...)
		w := ofWarnings(a, "missing")
		if a.Grade != c.grade || len(w) != min(len(c.drop), 1) {
			t.Errorf("%s: grade %s, %+v", c.name, a.Grade, w)
		}
		if len(w) == 1 && (w[0].Severity != c.severity || !slices.Equal(figuresOf(w[0]), c.figures)) {
			t.Errorf("%s: %+v", c.name, w)
		}
		if l := a.Variants[0].LoadLine; l.Open != (len(c.figures) == 1) || l.Rung != 4 {
			t.Errorf("%s: %+v", c.name, l)
		}
	}
}

func TestUnusableRecordsAreDoubted(t *testing.T) {
	const line4 = "driver-0.jsonl: line 4: unexpected end of JSON input"
	a := analyse(t, madeUp(meanBelow(1), times3("a", 1, func(_ int, t *result.Trial) {
		t.Damage = []string{line4, "driver-1: its records have no end"}
	})...))
	w := ofWarnings(a, "records")
	if len(w) != 3 || w[0].Severity != trust.Serious || !slices.Equal(w[0].Names, []string{line4}) || !slices.Equal(figuresOf(w[0]), []float64{1}) {
		t.Errorf("%+v", w)
	}
}
