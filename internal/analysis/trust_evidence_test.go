package analysis

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// trials of a rung that all do as well.
func times3(variant string, rung int, change func(repetition int, t *result.Trial)) []sample {
	var out []sample
	for i := range 3 {
		out = append(out, sample{variant, rung, 1200 * float64(rung), 0.1, false, func(t *result.Trial) {
			healthy(t)
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
		say   string
	}{
		{"drive", "`a` carries 4 to 7 instances within mean ≤ 1 s (4 met it in 3 trials, 8 did not in 3 trials, 1 of them failed)"},
		{"provision", "`a` carries at least 8 instances within mean ≤ 1 s (8 met it in 3 trials, 1 of them failed, the largest rung tried)"},
	} {
		a := analyse(t, madeUp(meanBelow(1), append(times3("a", 4, nil), times3("a", 8, failedAt(c.stage, why))...)...))
		if !strings.Contains(a.Verdict[0].Text, c.say) {
			t.Errorf("%s: %q lacks %q", c.stage, a.Verdict[0].Text, c.say)
		}
		if said := strings.Contains(a.Variants[0].LoadLine.Text, "1 of 3 trials failed: "+why); said != (c.stage == "drive") {
			t.Errorf("%s: %q", c.stage, a.Variants[0].LoadLine.Text)
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
	a := analyse(t, madeUp(meanBelow(1), times3("a", 1, stall)...))
	w := ofWarnings(a, "stall")
	const want = "when the measured phase ended, 8 orders had been waiting for up to 5.02 s, longer than 99 % of orders took; how they ended was not measured, so measure longer"
	if len(w) != 3 || w[0].Text != want || w[0].Severity != trust.Caution || a.Grade == "A" {
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
		say              string
	}{
		{"backlog", done + 600000, 600000, "0.4 % of the offered rate was achieved, and up to 600,000 orders were waiting at the end"},
		{"kept up", done + 3, 5, ""},
		{"an old run, without what was offered", 0, 0, "0.4 % of the offered rate was achieved"},
	} {
		a := analyse(t, madeUp(meanBelow(1), times3("a", 1, open(c.offered, c.waiting))...))
		r := a.Variants[0].Rungs[0]
		if r.Breaks != c.say || r.Kept != (c.say == "") {
			t.Errorf("%s: kept %v, %q", c.name, r.Kept, r.Breaks)
		}
		t.Log(a.Verdict[0].Text, "|", a.Variants[0].LoadLine.Text)
	}
}

// Planned trials that are not there are named, and lower the grade: most where
// the line rests on them.
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
		severity string
		say      string
	}{
		{"none", nil, "A", "", ""},
		{"one at the line", []string{"a/4/2"}, "D", trust.Serious, "1 of 3 at 4"},
		{"two above it", []string{"a/8/2", "a/8/3"}, "D", trust.Serious, "2 of 3 at 8"},
		{"one far below", []string{"a/1/3"}, "B", trust.Caution, "1 of 3 at 1"},
		{"the rung above the line", []string{"a/8/1", "a/8/2", "a/8/3"}, "D", trust.Serious, "all at 8"},
	} {
		a := set(c.drop...)
		w := ofWarnings(a, "missing")
		if a.Grade != c.grade || len(w) != min(len(c.drop), 1) {
			t.Errorf("%s: grade %s, %+v", c.name, a.Grade, w)
		}
		if len(w) == 1 && (w[0].Severity != c.severity || !strings.Contains(w[0].Text, c.say)) {
			t.Errorf("%s: %+v", c.name, w)
		}
	}
}

func TestUnusableRecordsAreDoubted(t *testing.T) {
	a := analyse(t, madeUp(meanBelow(1), times3("a", 1, func(_ int, t *result.Trial) {
		t.Damage = []string{"driver-0.jsonl: line 4: unexpected end of JSON input", "driver-1: its records have no end"}
	})...))
	w := ofWarnings(a, "records")
	if len(w) != 3 || w[0].Severity != trust.Serious || !strings.Contains(w[0].Text, "line 4") || !strings.Contains(w[0].Text, "1 more problem") {
		t.Errorf("%+v", w)
	}
}

func ofWarnings(a *Analysis, kind string) (out []trust.Warning) {
	for _, w := range a.Warnings {
		if w.Kind == kind {
			out = append(out, w)
		}
	}
	return out
}
