package e2e

import (
	"strings"
	"testing"

	"plimsoll/internal/result"
)

// powerCuts is a study of two drives, one of which lies about flushes.
const powerCuts = `study: powercuts
workload: {name: dvdstore, parameters: {size: 10MB}}
engine: {name: postgres, memory: 256MiB}
storage:
  volatile: {class: disk, media: ssd-sas, size: 2GiB, protected: false}
  lying: {class: disk, media: ssd-sas, size: 2GiB, lies: true}
matrix:
  storage: [volatile, lying]
  storage.*.file_system: [xfs, ext4]
  engine.name: [postgres, mariadb]
ladder: [1]
phases: {warmup: 1s, measure: 4s, ramp_rate: 0, end: cut power}
load: {users: 4, think_time: 10ms}
`

// A drive that keeps its word loses no acknowledged order in a power cut, one
// that lies about flushes is caught.
func TestPowerCut(t *testing.T) {
	needDisk(t)
	s := newSite(t)
	text := powerCuts
	if testing.Short() {
		text = replace(text, "[postgres, mariadb]", "[postgres]")
	}
	s.plimsoll(4, "run", s.write("powercuts.yaml", text), "--name", "powercuts", "--min-grade", "F")
	r, err := result.Open(s.run("powercuts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range r.Trials {
		lying := strings.HasPrefix(trial.Variant.Name, "lying")
		switch {
		case !strings.Contains(eventsOf(trial), "the power is cut"):
			t.Errorf("%s: its power was not cut: %s; %+v", trial.ID, eventsOf(trial), trial.Failure)
		case lying && trial.Status == result.Passed:
			t.Errorf("%s: the lies were not caught: %s; %+v", trial.ID, eventsOf(trial), trial.Audit)
		case !lying && (trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0):
			t.Errorf("%s: %+v; %+v; %s", trial.ID, trial.Failure, trial.Audit, eventsOf(trial))
		}
	}
}
