package e2e

import (
	"strings"
	"testing"

	"plimsoll/internal/result"
)

// powerCuts is a study of two drives. One of them reports flushes that it has not made. Each engine
// and each file system occurs; the study power-cut has all pairs.
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
  exclude:
    - {storage.*.file_system: xfs, engine.name: mariadb}
    - {storage.*.file_system: ext4, engine.name: postgres}
ladder: [1]
phases: {warmup: 1s, measure: 4s, ramp_rate: 0, end: cut power}
load: {users: 4, think_time: 10ms}
`

// A drive that keeps its word loses no acknowledged order in a power cut, one
// that lies about flushes is caught.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	needDisk(t)
	s := newSite(t)
	s.plimsoll(4, "run", s.write("powercuts.yaml", powerCuts), "--name", "powercuts", "--min-grade", "F", "--error-limit", "1")
	r, err := result.Open(s.run("powercuts"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Trials) != 4 {
		t.Errorf("%d trials", len(r.Trials))
	}
	for _, trial := range r.Trials {
		lying := strings.HasPrefix(trial.Variant.Name, "lying")
		switch {
		case !strings.Contains(eventsOf(trial), "power cut"):
			t.Errorf("%s: its power was not cut: %s; %+v", trial.ID, eventsOf(trial), trial.Failure)
		case lying && trial.Status == result.Passed:
			t.Errorf("%s: the lies were not caught: %s; %+v", trial.ID, eventsOf(trial), trial.Audit)
		case !lying && (trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0):
			t.Errorf("%s: %+v; %+v; %s", trial.ID, trial.Failure, trial.Audit, eventsOf(trial))
		}
	}
}

// The power goes in the midst of the load, comes back, and goes again at the
// end: users reconnect, and every order is there. The load lasts long enough, and
// no share of failed attempts ends it, for servers that recover slowly.
func TestPowerReturnsUnderLoad(t *testing.T) {
	t.Parallel()
	needDisk(t)
	s := newSite(t)
	text := replace(onDisk, "measure: 8s", "measure: 25s", "media: ssd-sas", "media: ssd-sas, protected: false", "ladder: [1, 2]", "ladder: [2]",
		"ramp_rate: 0}", "ramp_rate: 0, end: cut power}\nfaults: [{at: 1s, do: cut power}]")
	s.plimsoll(0, "run", s.write("ondisk.yaml", text), "--name", "returns", "--min-grade", "F", "--error-limit", "1")
	trial := s.trial("returns", "flash/2/1")
	contains(t, eventsOf(trial), "users connect again")
	if cuts := strings.Count(eventsOf(trial), "all instances answer again"); cuts != 2 || !trial.Audit.Passed {
		t.Errorf("%d power cuts; %+v", cuts, trial.Audit)
	}
}
