package analysis

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
	"plimsoll/test/nightly"
)

// disturbedRun is a made-up run of two rungs and three repetitions, of which any trial may have been
// disturbed by others, by a hypervisor, by late users or by none.
func disturbedRun(seed uint64) *result.Run {
	random := rand.New(rand.NewPCG(seed, 0x1e55))
	run := analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: analysistest.MM1(0.05, 20)}},
		Rungs:    []int{2, 8}, Repetitions: 3, Objectives: analysistest.MeanBelow(0.075), Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02},
	}.Run(seed)
	if random.IntN(2) == 0 {
		run.Plan.Study.Objectives = nil
	}
	for _, t := range run.Trials {
		others, steal := 0.0, 0.0
		switch random.IntN(4) {
		case 0:
			others = 0.5 * random.Float64()
		case 1:
			steal = 0.2 * random.Float64()
		case 2:
			t.Drivers = []result.DriverSummary{{LateMean: 0.05 * random.Float64(), Users: 1}}
		}
		busyWith(0.95-others-steal, others, steal)(t)
	}
	return run
}

// No grade is better with less telemetry: of a trial or of all, whatever they show.
func TestNoGradeIsBetterWithLessTelemetry(t *testing.T) {
	grades := map[string]bool{}
	for seed := range uint64(nightly.Times(60, 1000)) {
		whole := analyse(t, disturbedRun(seed))
		grades[whole.Grade] = true
		for _, lost := range [][]int{{0}, {1, 3}, {5}, {0, 1, 2, 3, 4, 5}} {
			run := disturbedRun(seed)
			for _, i := range lost {
				run.Trials[i].Resources = nil
			}
			if a := analyse(t, run); a.Grade < whole.Grade || len(lost) == len(run.Trials) && a.Grade != "F" {
				t.Errorf("seed %d: without the telemetry of %v grade %s, and %s with it: %+v, %+v", seed, lost, a.Grade, whole.Grade, a.Bound, whole.Bound)
			}
		}
	}
	if len(grades) < 4 {
		t.Errorf("the runs have grades %v only", grades)
	}
}

// No grade is better when a file of a trial, or all of one, is gone.
func TestNoGradeIsBetterWithFewerFiles(t *testing.T) {
	for seed := range uint64(nightly.Times(6, 100)) {
		dir := filepath.Join(t.TempDir(), "run")
		if err := analysistest.WriteRun(dir, disturbedRun(seed), nil); err != nil {
			t.Fatal(err)
		}
		whole := analysedIn(t, dir)
		for i, trial := range whole.Trials {
			file := []string{result.TelemetryFile, result.TrialFile, result.RecordsFile, ""}[(int(seed)+i)%4]
			left := filepath.Join(t.TempDir(), fmt.Sprint(i))
			if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(result.TrialDir(left, trial.ID), file)); err != nil {
				t.Fatal(err)
			}
			if a := analysedIn(t, left); a.Grade < whole.Grade {
				t.Errorf("seed %d: without %s of %s grade %s, and %s with it: %+v", seed, file, trial.ID, a.Grade, whole.Grade, a.Bound)
			}
		}
	}
}

// Nor is it when a repetition of those that agree was never made.
func TestNoGradeIsBetterWithFewerRepetitions(t *testing.T) {
	for _, others := range []float64{0, 0.08, 0.3} {
		last := ""
		for n := 5; n > 0; n-- {
			alike := sample{"a", 1, 1200, 0.1, false, busyWith(0.95-others, others, 0)}
			a := analyse(t, madeUp(nil, slices.Repeat([]sample{alike}, n)...))
			if a.Grade < last {
				t.Errorf("others of %g: grade %s of %d repetitions, and %s of one more", others, a.Grade, n, last)
			}
			last = a.Grade
		}
	}
}

// A run of which every trial failed has no grade; the smallest machine has one core.
func TestAFailedRunAndASmallMachine(t *testing.T) {
	failed := sample{"a", 1, 0, 0, true, nil}
	if a := analyse(t, madeUp(meanBelow(1), failed, failed)); a.Bound != nil || a.Grade != "" {
		t.Errorf("all trials failed: grade %q, %+v", a.Grade, a.Bound)
	}
	one := sample{"a", 1, 1200, 0.1, false, func(t *result.Trial) {
		analysistest.Sampled(t, "cpu", "", "user", 1)
		analysistest.Sampled(t, "cpu", "", "utilisation", 1)
		analysistest.Sampled(t, "instance", "db-000", "cpu", 0.9)
	}}
	run := madeUp(nil, one, one, one)
	run.Machine.Cores = 1
	if a := analyse(t, run); a.Grade != "C" || a.Bound.TooLow < 0.1 || a.Bound.TooLow > 0.12 {
		t.Errorf("one core, of which others used a tenth: grade %s, %+v", a.Grade, a.Bound)
	}
}
