package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
)

// busyNeighbour keeps every core busy until it is stopped.
func busyNeighbour(t *testing.T) (stop func()) {
	t.Helper()
	var all []*exec.Cmd
	for range runtime.NumCPU() {
		cmd := exec.Command("timeout", "900", "sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	stop = func() {
		for _, cmd := range all {
			_ = cmd.Process.Signal(os.Interrupt) // timeout passes it on
			_ = cmd.Wait()
		}
		all = nil
	}
	t.Cleanup(stop)
	return stop
}

// TestTrialSpoiledByANeighbourIsMeasuredAgain: what a neighbour spoiled is
// measured again, both attempts are kept and one of them counts; which one
// depends on what else this machine does meanwhile. A resumed run does not
// begin again.
func TestTrialSpoiledByANeighbourIsMeasuredAgain(t *testing.T) {
	s := newSite(t)
	stop := busyNeighbour(t)
	text := replace(study("postgres"), "[1, 2]", "[1]")
	run := s.start("run", s.write("small.yaml", text), "--name", "spoiled", "--min-grade", "F", "--retries", "1")
	first := filepath.Join(s.run("spoiled"), "trials", "memory", "1", "1", result.TrialFile)
	run.until("the first attempt is finished", func() bool { return exists(first) })
	stop()
	if code := run.wait(); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, &run.out)
	}
	contains(t, run.out.String(), "measuring memory/1/1 again")
	contains(t, s.shown("report", s.run("spoiled")), "left out")
	s.trial("spoiled", "memory/1/1")
	if again := s.trial("spoiled", "memory/1/1.2"); again.Attempt != 2 {
		t.Errorf("the second attempt says that it is attempt %d", again.Attempt)
	}
	assertOneCounts(t, s)
	out, _ := s.plimsoll(0, "run", "--resume", s.run("spoiled"), "--min-grade", "F", "--retries", "1")
	if strings.Contains(out, "memory/1/1.3") || exists(filepath.Join(s.run("spoiled"), "trials", "memory", "1", "1.3")) {
		t.Errorf("the resumed run measured once more:\n%s", out)
	}
	assertOneCounts(t, s)
}

func assertOneCounts(t *testing.T, s *site) {
	t.Helper()
	out, _ := s.plimsoll(0, "report", s.run("spoiled"), "--format", "json")
	var read struct{ Analysis analysis.Analysis }
	if err := json.Unmarshal([]byte(out), &read); err != nil {
		t.Fatal(err)
	}
	if rung := read.Analysis.Variants[0].Rungs[0]; rung.Repetitions != 1 || len(rung.Trials) != 1 {
		t.Errorf("%d repetitions count: %v", rung.Repetitions, rung.Trials)
	}
	left := 0
	for _, trial := range read.Analysis.Trials {
		if trial.Status == analysis.LeftOut {
			left++
		}
	}
	if left != 1 || len(read.Analysis.Trials) != 2 {
		t.Errorf("%d of %d attempts are left out", left, len(read.Analysis.Trials))
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
