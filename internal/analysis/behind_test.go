package analysis

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// A trial without telemetry is judged by the records of its operations.
func TestCourseOfRecordsAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	l := analysistest.Loop{Instances: 2, Users: 12, Seconds: 60, Service: 0.05, Slow: [3]float64{20, 40, 2}}
	run, err := l.Run(dir)
	if err != nil {
		t.Fatal(err)
	}
	dipped := func(run *result.Run) bool {
		return slices.ContainsFunc(analyse(t, run).Warnings, func(w trust.Warning) bool { return w.Kind == "dip" })
	}
	if !dipped(run) {
		t.Fatal("the dip is not seen")
	}
	trial := filepath.Join(dir, result.TrialsDir, "a", "2", "1")
	if err := os.Rename(dir+".jsonl", filepath.Join(trial, result.RecordsFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(trial, result.TelemetryFile)); err != nil {
		t.Fatal(err)
	}
	run, err = result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !dipped(run) {
		t.Errorf("%+v", analyse(t, run).Warnings)
	}
}
