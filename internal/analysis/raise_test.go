package analysis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// The advice on raising a grade works: measured as advised, the same loop gets that grade
// or a better one.
func TestWhatRaisesAGradeDoes(t *testing.T) {
	measured := func(seconds, repetitions int) *Analysis {
		l := analysistest.Loop{Instances: 1, Users: 4, Seconds: seconds, Service: 0.01}
		l.Objectives = []study.Objective{{Metric: "p99", Limit: 1, Text: "p99 <= 1s"}}
		run, err := l.Run(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		run.Plan.Study.Phases.Measure = unit.Duration(time.Duration(seconds) * time.Second)
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
	if short.Raise == nil {
		t.Fatalf("grade %s: nothing raises it: %+v", short.Grade, short.Warnings)
	}
	if want := []string{"phases.measure=10s", "repetitions=3"}; !slices.Equal(short.Raise.Set, want) || short.Raise.Idle {
		t.Errorf("%+v", short.Raise)
	}
	raised := measured(10, 3)
	if raised.Grade > short.Raise.To {
		t.Errorf("measured so, the grade is %s, not %s: %+v", raised.Grade, short.Raise.To, raised.Warnings)
	}
	if raised.Grade == "A" && raised.Raise != nil {
		t.Errorf("an A is to be raised: %+v", raised.Raise)
	}
}

// Users who woke late because of other processes wake in time on a quiet machine. If only
// the run's own servers were there, quiet would not help.
func TestQuietRaisesWhatComesFromOutside(t *testing.T) {
	for _, outside := range []bool{false, true} {
		twice := sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
			analysistest.Healthy(t)
			t.Drivers = []result.DriverSummary{{LateMean: 0.1}}
			if outside {
				analysistest.Sampled(t, "cpu", "", "utilisation", 0.99)
				analysistest.Sampled(t, "instance", "db-000", "cpu", 1)
			}
		}}
		a := analyse(t, madeUp(meanBelow(1), twice, twice))
		if idle := a.Raise != nil && a.Raise.Idle; idle != outside {
			t.Errorf("something else on the machine: %t; quiet raises the grade %s: %t", outside, a.Grade, idle)
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
