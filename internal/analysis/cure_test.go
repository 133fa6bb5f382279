package analysis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// The advice on what shrinks a bound works: measured as advised, the same loop has a bound that is as
// small as was foretold, or smaller.
func TestWhatShrinksABoundDoes(t *testing.T) {
	measured := func(seconds, repetitions int, objectives ...study.Objective) *Analysis {
		l := analysistest.Loop{Instances: 1, Users: 4, Seconds: seconds, Service: 0.01, Objectives: objectives}
		run, err := l.Run(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		run.Plan.Study.Phases.Measure = unit.Duration(time.Duration(seconds) * time.Second)
		analysistest.Sampled(run.Trials[0], "cpu", "", "utilisation", 0.1)
		for n := 1; n < repetitions; n++ {
			again := *run.Trials[0]
			again.Repetition, again.ID = n+1, strings.TrimSuffix(again.ID, "1")+string(rune('1'+n))
			run.Trials = append(run.Trials, &again)
			if err := os.CopyFS(result.TrialDir(run.Dir, again.ID), os.DirFS(result.TrialDir(run.Dir, run.Trials[0].ID))); err != nil {
				t.Fatal(err)
			}
		}
		return analyse(t, run)
	}
	short := measured(6, 1)
	cure := short.Bound.Cure
	if cure == nil || !slices.Equal(cure.Set, []string{"repetitions=3"}) || cure.Idle {
		t.Fatalf("grade %s: %+v, %+v", short.Grade, short.Bound, cure)
	}
	again := measured(6, 3)
	if again.Grade > cure.To || again.Bound.Size() > cure.Left.Size() {
		t.Errorf("measured so, the bound is %+v, not %+v", again.Bound, cure.Left)
	}
	if next := again.Bound.Cure; next != nil && slices.Equal(next.Set, cure.Set) {
		t.Errorf("the same is told again: %+v", next)
	}
	if of := longerOf(again); of == nil || of.Left.Size() >= again.Bound.Size() {
		t.Fatalf("a longer phase is not told to help: %+v", again.Bound)
	}
	if longer := measured(30, 3); longer.Bound.Size() > again.Bound.Size() {
		t.Errorf("a longer phase leaves %+v of %+v", longer.Bound, again.Bound)
	}
	// Far from the limit one repetition shows the line, and only the phase is too short.
	limit := study.Objective{Metric: "p99", Limit: 1, Text: "p99 <= 1s"}
	cure = measured(6, 1, limit).Bound.Cure
	if cure == nil || !slices.Equal(cure.Set, []string{"phases.measure=30s"}) || cure.Idle {
		t.Fatalf("a line: %+v", cure)
	}
	if line := measured(30, 1, limit); line.Grade > cure.To || line.Bound.Size() > cure.Left.Size() {
		t.Errorf("measured so, the bound of a line is %+v, not %+v", line.Bound, cure.Left)
	}
}

// longerOf is the cure of the doubt about short phases.
func longerOf(a *Analysis) *model.Cure {
	for _, d := range a.Bound.Doubts {
		if d.Kind == trust.ShortPhase {
			return d.Cure
		}
	}
	return nil
}

// Users who woke late because of other processes wake in time on a quiet machine. If only
// the run's own servers were there, quiet would not help.
func TestQuietHelpsAgainstWhatComesFromOutside(t *testing.T) {
	for _, outside := range []bool{false, true} {
		twice := sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
			analysistest.Healthy(t)
			t.Drivers = []result.DriverSummary{{LateMean: 0.1}}
			if outside {
				analysistest.Sampled(t, "cpu", "", "utilisation", 0.99)
				analysistest.Sampled(t, "cpu", "", "user", 0.98)
				analysistest.Sampled(t, "instance", "db-000", "cpu", 1)
			}
		}}
		a := analyse(t, madeUp(nil, twice, twice, twice))
		if idle := a.Bound != nil && a.Bound.Cure != nil && a.Bound.Cure.Idle; idle != outside {
			t.Errorf("something else on the machine: %t; quiet helps the grade %s: %t; %+v", outside, a.Grade, idle, a.Bound)
		}
	}
}

// How late users woke is said of all drivers, not of the worst.
func TestLatenessIsThatOfAllDrivers(t *testing.T) {
	twice := sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
		analysistest.Healthy(t)
		t.Drivers = []result.DriverSummary{{LateMean: 0.1, Users: 1}, {LateMean: 0.02, Users: 3}}
	}}
	a := analyse(t, madeUp(meanBelow(1), twice, twice))
	if text := textOf(a, "driver-late"); !strings.Contains(text, "woke 40 ms late on average") {
		t.Errorf("%q", text)
	}
}

func textOf(a *Analysis, kind string) string {
	for _, w := range a.Warnings {
		if string(w.Kind) == kind {
			return w.Text
		}
	}
	return ""
}
