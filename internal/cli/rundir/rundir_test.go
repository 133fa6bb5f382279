package rundir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/result/resulttest"
)

// A run is found by its path and by its name below the directory of runs; what is none is refused
// with what was found.
func TestFind(t *testing.T) {
	commandtest.New(t)
	if err := resulttest.Run("runs/one", []string{"ssd"}, []int{1}, 1, 3); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("runs/empty", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"one": "runs/one", "runs/one": "runs/one"} {
		if dir, err := rundir.Find("runs", name); err != nil || dir != want {
			t.Errorf("%s: %s, %v", name, dir, err)
		}
	}
	for name, want := range map[string]string{"two": "nothing is there, nor at runs/two", "empty": "the directory is empty", "runs/one/plan.json": "it is a file"} {
		if _, err := rundir.Find("runs", name); command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := rundir.CheckRuns("runs"); err != nil {
		t.Error(err)
	}
	if err := rundir.CheckRuns("runs/one"); command.ExitCode(err) != command.ExitUsage {
		t.Errorf("a run is taken for a directory of runs: %v", err)
	}
}

// One process at a time works on a run, and on copies of it.
func TestOneProcessClaimsARun(t *testing.T) {
	commandtest.New(t)
	if err := os.MkdirAll("runs", 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := rundir.Claim("runs/one")
	if err != nil {
		t.Fatal(err)
	}
	if !rundir.InProgress("runs/one") || rundir.InProgress("runs/two") || c.ID == "" {
		t.Errorf("it is in progress: %+v", c)
	}
	if _, err := rundir.Claim("runs/one"); command.ExitCode(err) != command.ExitCannotRun || !strings.Contains(command.Hint(err), "wait for it to end") {
		t.Errorf("claimed twice: %v", err)
	}
	c.Release()
	if rundir.InProgress("runs/one") {
		t.Error("it was released")
	}
	again, err := rundir.Claim("runs/one")
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
}

// A name becomes part of paths and is none itself.
func TestCheckName(t *testing.T) {
	for name, good := range map[string]bool{
		"a": true, "20261121-101500-x": true, "A.b_c-9": true, strings.Repeat("x", 100): true,
		"": false, ".": false, "../x": false, filepath.Join("a", "b"): false, "-x": false, "a b": false, "a\n": false, strings.Repeat("x", 101): false, "ä": false,
	} {
		if err := rundir.CheckName(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
