package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/result"
)

const onDisk = `study: ondisk
workload: {name: dvdstore, parameters: {size: 10MB}}
engine: {name: postgres, memory: 256MiB}
storage:
  flash: {class: disk, media: ssd-sas, size: 2GiB}
ladder: [1, 2]
phases: {warmup: 1s, measure: 8s, ramp_rate: 0}
load: {users: 2, think_time: 20ms}
objectives: ["p95 <= 10s"]
`

func needDisk(t *testing.T) {
	t.Helper()
	if !haveDisk() {
		t.Skip("simulated disks need root and /dev/fuse")
	}
}

func haveDisk() bool {
	_, err := os.Stat("/dev/fuse")
	return err == nil && os.Geteuid() == 0
}

func TestSimulatedMediaAreLabelled(t *testing.T) {
	t.Parallel()
	needDisk(t)
	s := newSite(t)
	out, _ := s.plimsoll(0, "run", s.write("ondisk.yaml", replace(onDisk, "measure: 8s", "measure: 3s", "[1, 2]", "[2]")), "--name", "labelled", "--min-grade", "F")
	contains(t, strings.ToLower(out), "simulated")
	if trial := s.trial("labelled", "flash/2/1"); !trial.Storage().Simulated || len(trial.Devices) == 0 {
		t.Errorf("storage %+v, devices %v", trial.Storage(), trial.Devices)
	}
}

// The process behind the medium is killed: the volume is gone. The trial fails
// with a reason, nothing hangs, nothing is left.
func TestVolumeGoneWhileRunning(t *testing.T) {
	t.Parallel()
	needDisk(t)
	s := newSite(t)
	b := s.start("run", s.write("ondisk.yaml", onDisk), "--name", "gone", "--min-grade", "F", "--json")
	b.until("the measured phase has begun", b.measuring)
	for _, p := range s.processes("gone") {
		if p.Command == "plimsoll" && !strings.Contains(p.Object, "driver") {
			if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	if code := b.wait(); code == 0 {
		t.Fatalf("exit code 0\n%s", &b.out)
	}
	if trial := s.trial("gone", "flash/1/1"); trial.Status != result.Failed || trial.Failure.Cause == "" {
		t.Errorf("trial: %s %+v", trial.Status, trial.Failure)
	}
	s.plimsoll(0, "clean")
}

func TestKillNineWithASimulatedDisk(t *testing.T) {
	t.Parallel()
	needDisk(t)
	s := newSite(t)
	b := s.start("run", s.write("ondisk.yaml", onDisk), "--name", "ninedisk")
	b.until("the users are at work", s.driving("ninedisk"))
	b.signal(syscall.SIGKILL)
	b.wait()
	if len(s.leftovers("ninedisk")) == 0 {
		t.Fatal("a killed run left nothing: the test proves nothing")
	}
	out, _ := s.plimsoll(0, "clean")
	contains(t, out, "removed mount", "Nothing is left")
}
