package local_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// crashVariable turns this test program into the one that crashes.
const crashVariable = "PLIMSOLL_TEST_CRASH"

// What a run leaves when Plimsoll itself is killed is found by its journal.
func TestCrashIsSwept(t *testing.T) {
	if dir := os.Getenv(crashVariable); dir != "" {
		runUntilKilled(t, dir)
		return
	}
	dir, volume := t.TempDir(), localtest.Directory(t, "crash")
	runID := "tcrash" + filepath.Base(filepath.Dir(dir))
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestCrashIsSwept$")
	cmd.Env = append(os.Environ(), crashVariable+"="+strings.Join([]string{dir, runID, volume}, ":"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitLine(t, bufio.NewScanner(out), "ready")
	awaitOrphans(runID)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed

	if left, all := orphans(runID); !all {
		t.Fatalf("the crash left %s, so this test shows nothing", left)
	}
	state, err := journal.Read(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	state.RunID = runID
	for _, r := range journal.Sweep(context.Background(), state) {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Object, r.Err)
		}
	}
	if left := journal.Leftovers(runID); len(left) > 0 {
		t.Errorf("left after the sweep: %v", left)
	}
	if dirs, _ := filepath.Glob("/*/plimsoll-" + runID + "*"); len(dirs) > 0 {
		t.Errorf("directories after the sweep: %v", dirs)
	}
}

// orphans is what belongs to the run, and whether the processes that the test is about
// are among it.
func orphans(runID string) (left string, all bool) {
	left = strings.Join(journal.Leftovers(runID), "\n")
	return left, strings.Contains(left, "orphan-0") && strings.Contains(left, "(sleep) in ")
}

// awaitOrphans waits until they have been started: their shells are there before them.
func awaitOrphans(runID string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if _, all := orphans(runID); all {
			return
		}
	}
}

func awaitLine(t *testing.T, lines *bufio.Scanner, want string) {
	t.Helper()
	for lines.Scan() {
		if lines.Text() == want {
			return
		}
	}
	t.Fatalf("the other process never said %q", want)
}

func runUntilKilled(t *testing.T, where string) {
	parts := strings.Split(where, ":")
	dir, runID, volume := parts[0], parts[1], parts[2]
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"), runID)
	if err != nil {
		t.Fatal(err)
	}
	p, err := local.New(local.Env{RunID: runID, Work: dir, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	uid, gid := p.User("crash")
	if err := os.Chown(volume, uid, gid); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		s := app.Server{
			Name: fmt.Sprintf("orphan-%d", i), Command: []string{"/bin/sh", "-c", "sleep 600 & setsid sleep 600 & wait"},
			Ready: func(context.Context, endpoint.Endpoint) error { return nil }, Unprivileged: true,
		}
		if i > 0 && (local.Kind{}).Deploys(t.Context(), study.Container) == nil {
			s.Place = app.Place{Deployment: study.Container, Instance: "orphans"}
		}
		if _, err := p.Start(t.Context(), s, storage.Volume{Name: "crash", Path: volume}); err != nil {
			t.Fatal(err)
		}
	}
	// Its child loses the server's marker, as the workers of some programs do.
	forgetful := app.Server{Name: "stateless", Command: []string{"/bin/sh", "-c", "env -i sleep 600 & exec env -i sleep 600"}, Unprivileged: true}
	if _, err := p.Start(t.Context(), forgetful, storage.Volume{}); err != nil {
		t.Fatal(err)
	}
	fmt.Println("ready")
	time.Sleep(10 * time.Minute) // until it is killed
}
