package journal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// testID is no identifier that NewRunID gives: tests of clean, which run at the same time,
// do not take what these tests make for something that was left.
func testID(name string) string { return name + strconv.FormatInt(time.Now().UnixNano(), 36) }

func open(t *testing.T) (*Journal, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j, err := Open(path, testID("test"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	if err := j.Started("test"); err != nil {
		t.Fatal(err)
	}
	return j, path
}

func state(t *testing.T, path string) State {
	t.Helper()
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReplayKeepsWhatWasNotRemoved(t *testing.T) {
	j, path := open(t)
	a := Object{Kind: Directory, Path: "/x/" + Name(j.RunID) + "/a"}
	b := Object{Kind: Process, Name: "db"}
	for _, err := range []error{j.Making(a), j.Making(b), j.Made(Object{Kind: Process, Name: "db", PID: 7}), j.Removed(a)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := state(t, path)
	if len(got.Objects) != 1 || got.Objects[0].PID != 7 || got.RunID != j.RunID {
		t.Fatalf("state %+v", got)
	}
}

// A crash leaves half an entry; the next process's entries are separate from it.
func TestTornEntryIsLostAlone(t *testing.T) {
	j, path := open(t)
	if err := j.Making(Object{Kind: Process, Name: "first"}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"act":"removed","obj`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := state(t, path); len(got.Objects) != 1 {
		t.Fatalf("objects %v", got.Objects)
	}
	next, err := Open(path, j.RunID)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if err := next.Making(Object{Kind: Process, Name: "second"}); err != nil {
		t.Fatal(err)
	}
	if got := state(t, path); len(got.Objects) != 2 {
		t.Errorf("objects %v; the entry after the torn one is lost", got.Objects)
	}
}

func TestALineTooLongIsNoEntry(t *testing.T) {
	j, path := open(t)
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 3*longestLine)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := j.Making(Object{Kind: Process, Name: "after"}); err != nil {
		t.Fatal(err)
	}
	if got := state(t, path); len(got.Objects) != 1 {
		t.Errorf("objects %v", got.Objects)
	}
}

// A process is found by its marker alone: the crash came before its
// identifier was written.
func TestSweepEndsAnnouncedProcess(t *testing.T) {
	j, path := open(t)
	cmd := exec.Command("sleep", "300")
	cmd.Env = append(os.Environ(), j.Marker("sleeper"))
	if err := j.Making(Object{Kind: Process, Name: "sleeper"}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go cmd.Wait() //nolint:errcheck // it is killed
	awaitEnvironment(t, cmd.Process.Pid)
	done := Sweep(context.Background(), state(t, path))
	if len(done) != 1 || !done[0].Found || done[0].Err != nil {
		t.Fatalf("sweep %+v", done)
	}
	if left := Leftovers(j.RunID); len(left) != 0 {
		t.Fatalf("left: %v", left)
	}
}

// awaitEnvironment waits for the end of execve(2), which shows the environment a moment
// after the program has been started.
func awaitEnvironment(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err == nil && len(text) > 0 {
			return
		}
	}
	t.Fatalf("process %d shows no environment", pid)
}

func TestSweepUndoesMountLoopAndDirectory(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount")
	}
	j, path := open(t)
	dir := filepath.Join(t.TempDir(), Name(j.RunID))
	image, point := filepath.Join(dir, "image"), filepath.Join(dir, "mnt")
	for _, o := range []Object{{Kind: Directory, Path: dir}, {Kind: Loop, Path: image}, {Kind: Mount, Path: point}} {
		if err := j.Making(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(point, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(image, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("losetup", "-f", image).CombinedOutput(); err != nil {
		t.Fatalf("losetup: %v %s", err, out)
	}
	if err := unix.Mount("none", point, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	if len(Leftovers(j.RunID)) != 2 {
		t.Fatalf("leftovers before: %v", Leftovers(j.RunID))
	}
	for _, r := range Sweep(context.Background(), state(t, path)) {
		if r.Err != nil || !r.Found {
			t.Errorf("%s: found %v, %v", r.Object, r.Found, r.Err)
		}
	}
	if left := Leftovers(j.RunID); len(left) != 0 {
		t.Fatalf("left: %v", left)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Fatalf("directory still there: %v", err)
	}
}

func TestObjectText(t *testing.T) {
	if s := (Object{Kind: Process, Name: "db", PID: 3}).String(); !strings.Contains(s, "pid 3") {
		t.Fatal(s)
	}
}
