package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunIDsDiffer(t *testing.T) {
	a, b := NewRunID("k1"), NewRunID("k1")
	if a == b || !strings.HasPrefix(a, "k1-") {
		t.Errorf("%s and %s", a, b)
	}
	for _, name := range []string{"", "with space", "ünïcode/..", strings.Repeat("long", 40)} {
		if id := NewRunID(name); !runIDForm.MatchString(id) {
			t.Errorf("%q became %q", name, id)
		}
	}
}

// The name of one run is often the beginning of another's.
func TestNamesAreMatchedExactly(t *testing.T) {
	for name, want := range map[string]bool{
		"plimsoll-k1": true, "plimsoll-k1.ssd": true, Name("k1", "golden", "x"): true,
		"plimsoll-k10": false, "plimsoll-k1-2": false, "k1": false, "x-plimsoll-k1": false, "home": false,
	} {
		if got := owns("k1", name); got != want {
			t.Errorf("owns(k1, %s) = %v", name, got)
		}
	}
	for path, want := range map[string]string{
		"/var/tmp/plimsoll-k1/s/a": "/var/tmp/plimsoll-k1", "/plimsoll-k1": "/plimsoll-k1",
		"/var/tmp/plimsoll-k10/s": "", "plimsoll-k1": "", "/a/plimsoll-k1/../../home": "", "/": "", "": "",
	} {
		if got, _, _ := ownedPart("k1", path); got != want {
			t.Errorf("ownedPart(k1, %s) = %q", path, got)
		}
	}
}

func TestARunIsClaimedOnce(t *testing.T) {
	id := NewRunID("claim")
	first, err := Claim(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(id); !errors.Is(err, ErrClaimed) {
		t.Fatalf("claimed twice: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Claim(id)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// removes sweeps one directory and returns the refusal, if any.
func removes(t *testing.T, s State, path string) error {
	t.Helper()
	s.Objects = []Object{{Kind: Directory, Path: path}}
	return Sweep(context.Background(), s)[0].Err
}

// A received directory named home, with a journal that lists /home.
func TestSweepRefusesAJournalThatNamesAForeignDirectory(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(filepath.Join(home, "ann"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"home", ""} {
		if removes(t, State{RunID: run, UID: os.Geteuid()}, home) == nil {
			t.Errorf("run %q: refused nothing", run)
		}
	}
	// A link in the run's directory leads out of it.
	own := filepath.Join(t.TempDir(), Name("r"))
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(home), filepath.Join(own, "out")); err != nil {
		t.Fatal(err)
	}
	if removes(t, State{RunID: "r", UID: os.Geteuid()}, filepath.Join(own, "out", "home")) == nil {
		t.Error("followed a link out of the run's directory")
	}
	// The run's directory is a link itself.
	planted := filepath.Join(t.TempDir(), Name("r"))
	if err := os.Symlink(filepath.Dir(home), planted); err != nil {
		t.Fatal(err)
	}
	if removes(t, State{RunID: "r", UID: os.Geteuid()}, filepath.Join(planted, "home")) == nil {
		t.Error("followed a link in the place of the run's directory")
	}
	if _, err := os.Stat(filepath.Join(home, "ann")); err != nil {
		t.Error(err)
	}
}

func TestSweepRefusesADirectoryOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a directory away")
	}
	own := filepath.Join(t.TempDir(), Name("r"))
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(own, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if removes(t, State{RunID: "r"}, own) == nil {
		t.Error("removed a directory of uid 65534 for uid 0")
	}
	if err := removes(t, State{RunID: "r", UID: 65534}, own); err != nil {
		t.Errorf("the run's own user: %v", err)
	}
}

func TestSweepRefusesWhatOnlyLooksLikeAControlGroup(t *testing.T) {
	group := filepath.Join(t.TempDir(), Name("r"))
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Fatal(err)
	}
	done := Sweep(t.Context(), State{RunID: "r", Objects: []Object{{Kind: Cgroup, Path: group}}})
	if done[0].Err == nil {
		t.Error("a plain directory was taken for a control group")
	}
}

// What was left on another machine is not looked for on this one.
func TestReplayForgetsAnotherMachine(t *testing.T) {
	j, path := open(t)
	if err := j.Making(Object{Kind: Process, Name: "here"}); err != nil {
		t.Fatal(err)
	}
	if s := state(t, path); s.Machine != MachineID() || s.UID != os.Geteuid() || s.Version != "test" || len(s.Objects) != 1 {
		t.Errorf("%+v", s)
	}
	if err := j.Note(runStarted, map[string]string{"run": j.RunID, "machine": "other", "uid": "12"}); err != nil {
		t.Fatal(err)
	}
	if s := state(t, path); s.Machine != "other" || s.UID != 12 || len(s.Objects) != 1 { // what this machine has registered is still here
		t.Errorf("%+v", s)
	}
}
