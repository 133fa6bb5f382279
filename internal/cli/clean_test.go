package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/journal"
	"plimsoll/test/quick"
)

func gone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there (%v)", path, err)
	}
}

func TestOneBadJournalDoesNotKeepOtherRunsFromBeingCleaned(t *testing.T) {
	s := newSite(t)
	if err := os.MkdirAll("runs/bad/journal.jsonl", 0o755); err != nil { // cannot be read
		t.Fatal(err)
	}
	left := s.KilledRun("good")
	code, out, errs := s.plimsoll("clean")
	if code != command.ExitLeft || !strings.Contains(errs, "runs/bad") || !strings.Contains(out, left) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	gone(t, left)
}

func TestARunOfAnotherMachineIsLeftAlone(t *testing.T) {
	s := newSite(t)
	left := s.KilledRun("received")
	s.Moved("received", map[string]string{journal.MachineID(): strings.Repeat("0", 32)})
	code, out, errs := s.plimsoll("clean")
	if code != 0 || !strings.Contains(out, "another machine") || strings.Contains(out, "Nothing is left") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.plimsoll("clean", "--force"); code != 0 {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	gone(t, left)
}

func TestAJournalOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a file away")
	}
	s := newSite(t)
	left := s.KilledRun("theirs")
	if err := os.Chown("runs/theirs/journal.jsonl", 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.plimsoll("clean"); code != command.ExitLeft || !strings.Contains(errs, "65534") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
}

// A copy of a run's directory has its identifier, too.
func TestACopyOfABusyRunIsBusy(t *testing.T) {
	s := newSite(t)
	left := s.KilledRun("original")
	if err := os.CopyFS("runs/copy", os.DirFS("runs/original")); err != nil {
		t.Fatal(err)
	}
	run, err := rundir.Claim("runs/original")
	if err != nil {
		t.Fatal(err)
	}
	if code, out, _ := s.plimsoll("clean", "runs/copy"); code != 0 || !strings.Contains(out, "skipped") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
	run.Release()
	// Nor does a copy own anything when the original is idle.
	code, _, errs := s.plimsoll("clean", "runs/copy")
	if code != command.ExitLeft || !strings.Contains(errs, "runs/original") || !strings.Contains(errs, "rm -rf "+left) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.plimsoll("clean", "runs/original"); code != 0 {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	gone(t, left)
}

// TestCleanFindsWhatARunLeftWhoseDirectoryIsGone by the register.
func TestCleanFindsWhatARunLeftWhoseDirectoryIsGone(t *testing.T) {
	s := newSite(t)
	left := s.KilledRun("gone")
	if err := os.RemoveAll("runs/gone"); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.plimsoll("clean"); code != 0 || !strings.Contains(out, "runs/gone (gone): removed directory "+left) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	gone(t, left)
	if _, out, _ := s.plimsoll("clean"); strings.Contains(out, left) {
		t.Errorf("it is removed again:\n%s", out)
	}
}

// TestCleanAll cleans the runs below other directories, too, but none in progress.
func TestCleanAll(t *testing.T) {
	t.Setenv("PLIMSOLL_STATE", t.TempDir()) // else it would clean the runs of other tests
	s := newSite(t)
	left, busy := s.KilledRun("elsewhere"), s.KilledRun("busy")
	run, err := rundir.Claim("runs/busy")
	if err != nil {
		t.Fatal(err)
	}
	defer run.Release()
	if code, out, _ := s.plimsoll("clean", "--runs", "none"); code != 0 || !strings.Contains(out, "plimsoll clean --all") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.plimsoll("clean", "--runs", "none", "--all"); code != 0 {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	gone(t, left)
	if _, err := os.Stat(busy); err != nil {
		t.Error(err)
	}
	if code, _, errs := s.plimsoll("clean", "--all", "runs/busy"); code != command.ExitUsage {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// TestCleanNamesWhatNoRegisterKnows with the command that removes it.
func TestCleanNamesWhatNoRegisterKnows(t *testing.T) {
	s := newSite(t)
	stray := filepath.Join(s.Env["PLIMSOLL_WORK"], journal.Name(journal.NewRunID("stray")))
	if err := os.MkdirAll(stray, 0o755); err != nil {
		t.Fatal(err)
	}
	code, _, errs := s.plimsoll("clean")
	if code != command.ExitLeft || !strings.Contains(errs, "rm -rf "+stray) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if _, err := os.Stat(stray); err != nil {
		t.Error(err)
	}
}

// TestEvidenceIsRemovedWithoutFollowingLinks: a run directory may have been received.
func TestEvidenceIsRemovedWithoutFollowingLinks(t *testing.T) {
	s := newSite(t)
	s.KilledRun("linked")
	victim := filepath.Join(s.Dir, "victim")
	for _, dir := range []string{victim + "/1/evidence/precious", "runs/linked/trials/a/c/1/evidence", "runs/linked/trials/a"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(victim, "runs/linked/trials/a/b"); err != nil {
		t.Fatal(err)
	}
	code, _, errs := s.plimsoll("clean", "--evidence", "runs/linked")
	if code != command.ExitLeft || !strings.Contains(errs, "b is not a directory") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if _, err := os.Stat(victim + "/1/evidence/precious"); err != nil {
		t.Error(err)
	}
	gone(t, "runs/linked/trials/a/c/1/evidence")
}

// TestEvidenceOfASkippedRunStays checks that clean does not touch a run that it reports as
// skipped.
func TestEvidenceOfASkippedRunStays(t *testing.T) {
	s := newSite(t)
	s.KilledRun("received")
	s.Moved("received", map[string]string{journal.MachineID(): strings.Repeat("0", 32)})
	if err := os.MkdirAll("runs/received/trials/a/b/1/evidence", 0o755); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.plimsoll("clean", "--evidence"); code != 0 || !strings.Contains(out, "skipped") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if _, err := os.Stat("runs/received/trials/a/b/1/evidence"); err != nil {
		t.Error(err)
	}
	s.plimsoll("clean", "--force")
}

func TestNamesThatCannotBePaths(t *testing.T) {
	s := newSite(t)
	path := s.Write("small.yaml", small)
	for _, name := range []string{"../home", "a/b", ".", "-x", "a b", "a\nb", strings.Repeat("x", 101)} {
		for _, args := range [][]string{{"run", path, "--name=" + name}, {"storage", "up", path, "--name=" + name}} {
			if code, _, errs := s.plimsoll(args...); code != command.ExitUsage || !strings.Contains(errs, "--name") {
				t.Errorf("%q: exit code %d, %s", args, code, errs)
			}
		}
	}
}

// TestCleanFindsRunsWhateverTheirDirectoryIsCalled: a path is no pattern.
func TestCleanFindsRunsWhateverTheirDirectoryIsCalled(t *testing.T) {
	for _, name := range []string{"r[1]", "r[1", `a\b`, "*", "?", "o'hara #1", "ä %d $HOME"} {
		s := newSite(t)
		left := s.KilledRun("one")
		if err := os.Rename("runs", name); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := s.plimsoll("clean", "--runs", name); code != 0 || !strings.Contains(out, left) {
			t.Errorf("%q: exit code %d\n%s%s", name, code, out, errs)
		}
		gone(t, left)
	}
}

func TestRunRefusesDirectoriesThatNoLineCanName(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	for _, flag := range []string{"--runs", "--work", "--cache"} {
		if code, _, errs := s.plimsoll("run", "quickstart", flag, "a\nb"); code != command.ExitUsage || !strings.Contains(errs, "control character") {
			t.Errorf("%s: exit code %d\n%s", flag, code, errs)
		}
	}
}

// TestCleanForgetsAClusterThatIsGone only when asked to, and nothing on the machine.
func TestCleanForgetsAClusterThatIsGone(t *testing.T) {
	s := newSite(t)
	for name, orphaned := range map[string]bool{"there": false, "orphaned": true} {
		left := s.KilledRun(name)
		in := journal.Object{Kind: "cluster namespace", Name: journal.Name(s.Leave(name)), Path: "deleted", Config: filepath.Join(s.Dir, "deleted.kubeconfig")}
		s.Leave(name, in)
		if orphaned {
			if err := os.RemoveAll(filepath.Join("runs", name)); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // it is not forgotten by itself
			if code, out, errs := s.plimsoll("clean"); code != command.ExitLeft || !strings.Contains(errs, "plimsoll clean --forget") || !strings.Contains(errs, in.Name) {
				t.Errorf("%s: exit code %d\n%s%s", name, code, out, errs)
			}
		}
		gone(t, left)
		if code, out, errs := s.plimsoll("clean", "--forget"); code != 0 || !strings.Contains(out, "forgot "+in.String()) {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, errs)
		}
		if code, out, errs := s.plimsoll("clean"); code != 0 || strings.Contains(out, "forgot") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, errs)
		}
	}
}
