package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/result"
)

// small is a study that takes a few seconds a trial. Frequent samples let the
// users begin earlier.
const small = `study: small
title: Two instances of a small database
workload: {name: dvdstore, parameters: {size: 10MB}}
engine: {name: ENGINE, memory: 256MiB}
storage:
  memory: {class: directory, path: memory}
ladder: [1, 2]
phases: {warmup: 1s, measure: 3s, ramp_rate: 0}
load: {users: 2, think_time: 20ms}
telemetry: {interval: 200ms}
objectives: ["p95 <= 10s", "errors <= 0.1%"]
`

func study(engine string) string { return replace(small, "ENGINE", engine) }

func TestARunGivesAVerdictAndAReport(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"postgres", "mariadb"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			out, _ := s.plimsoll(0, "run", s.write("small.yaml", study(engine)), "--name", "e2e-"+engine, "--min-grade", "F")
			contains(t, out, "memory", "report.html")
			for _, id := range []string{"memory/1/1", "memory/2/1"} {
				trial := s.trial("e2e-"+engine, id)
				if trial.Status != result.Passed || !trial.Audit.Passed {
					t.Fatalf("%s: %s, %+v", id, trial.Status, trial.Failure)
				}
				if trial.Operations["order"].Count == 0 || len(trial.Instances) != trial.Rung {
					t.Fatalf("%s: %d orders, %d instances", id, trial.Operations["order"].Count, len(trial.Instances))
				}
			}
			if info, err := os.Stat(filepath.Join(s.run("e2e-"+engine), "report.html")); err != nil || info.Size() < 10_000 {
				t.Fatalf("report.html: %v", err)
			}
			left, _ := s.plimsoll(0, "clean")
			contains(t, left, "Nothing is left")
			s.plimsoll(0, "report", "--format", "json")
			s.plimsoll(0, "list", "--json")
			s.plimsoll(0, "show", s.run("e2e-"+engine), "memory/2/1")
		})
	}
}

// The orders that the driver saw are what the database holds: the audit that
// passed must not be one that cannot fail.
func TestLittlesLawHoldsOnARealRun(t *testing.T) {
	s := newSite(t)
	s.plimsoll(0, "run", s.write("small.yaml", replace(study("postgres"), "measure: 3s", "measure: 10s", "[1, 2]", "[2]")), "--name", "little", "--min-grade", "F")
	trial := s.trial("little", "memory/2/1")
	order := trial.Operations["order"]
	seconds := trial.MeasureEnd.Sub(trial.MeasureStart).Seconds()
	x := float64(order.Count+order.RolledBack) / seconds
	users := float64(trial.Rung * trial.Variant.Load.Users)
	// N = X (R + Z), Little 1961. Users of a busy machine wake late from thinking.
	// Restocking after a shortage is outside the order, and a short run cuts orders
	// off at both ends, hence the width.
	n := x * (order.Mean + trial.Variant.Load.ThinkTime.D().Seconds() + trial.Drivers[0].LateMean)
	if n < 0.5*users || n > 1.1*users {
		t.Errorf("X (R + Z) = %.2f, but there are %.0f users", n, users)
	}
}
