package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/text/version"
	"plimsoll/test/quick"
)

// killedRun is a run directory as a killed Plimsoll leaves it, with one
// directory that is still there.
func (s *site) killedRun(name string) (left string) {
	s.t.Helper()
	dir, id := filepath.Join(s.dir, "runs", name), journal.NewRunID(name)
	left = filepath.Join(s.dir, journal.Name(id))
	for _, d := range []string{dir, filepath.Join(left, "s")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"), id)
	if err != nil {
		s.t.Fatal(err)
	}
	defer j.Close()
	if err := errors.Join(j.Started(version.Get()), j.Making(journal.Object{Kind: journal.Directory, Path: left})); err != nil {
		s.t.Fatal(err)
	}
	return left
}

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
	left := s.killedRun("good")
	code, out, errs := s.plimsoll("clean")
	if code != exitLeft || !strings.Contains(errs, "runs/bad") || !strings.Contains(out, left) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	gone(t, left)
}

// moved makes the journal of a killed run look as if it came from elsewhere.
func (s *site) moved(name string, detail map[string]string) {
	s.t.Helper()
	path := filepath.Join(s.dir, "runs", name, "journal.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	for from, to := range detail {
		text = []byte(strings.ReplaceAll(string(text), from, to))
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func TestARunOfAnotherMachineIsLeftAlone(t *testing.T) {
	s := newSite(t)
	left := s.killedRun("received")
	s.moved("received", map[string]string{journal.MachineID(): strings.Repeat("0", 32)})
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
	left := s.killedRun("theirs")
	if err := os.Chown("runs/theirs/journal.jsonl", 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.plimsoll("clean"); code != exitLeft || !strings.Contains(errs, "65534") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
}

// A copy of a run's directory has its identifier, too.
func TestACopyOfABusyRunIsBusy(t *testing.T) {
	s := newSite(t)
	left := s.killedRun("original")
	if err := os.CopyFS("runs/copy", os.DirFS("runs/original")); err != nil {
		t.Fatal(err)
	}
	run, err := claimRun("runs/original")
	if err != nil {
		t.Fatal(err)
	}
	if code, out, _ := s.plimsoll("clean", "runs/copy"); code != 0 || !strings.Contains(out, "skipped") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
	run.release()
	// Nor does a copy own anything when the original is idle.
	code, _, errs := s.plimsoll("clean", "runs/copy")
	if code != exitLeft || !strings.Contains(errs, "runs/original") || !strings.Contains(errs, "rm -rf "+left) {
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
	left := s.killedRun("gone")
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
	left, busy := s.killedRun("elsewhere"), s.killedRun("busy")
	run, err := claimRun("runs/busy")
	if err != nil {
		t.Fatal(err)
	}
	defer run.release()
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
	if code, _, errs := s.plimsoll("clean", "--all", "runs/busy"); code != exitUsage {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// TestCleanNamesWhatNoRegisterKnows with the command that removes it.
func TestCleanNamesWhatNoRegisterKnows(t *testing.T) {
	s := newSite(t)
	stray := filepath.Join(s.env["PLIMSOLL_WORK"], journal.Name(journal.NewRunID("stray")))
	if err := os.MkdirAll(stray, 0o755); err != nil {
		t.Fatal(err)
	}
	code, _, errs := s.plimsoll("clean")
	if code != exitLeft || !strings.Contains(errs, "rm -rf "+stray) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if _, err := os.Stat(stray); err != nil {
		t.Error(err)
	}
}

// TestEvidenceIsRemovedWithoutFollowingLinks: a run directory may have been received.
func TestEvidenceIsRemovedWithoutFollowingLinks(t *testing.T) {
	s := newSite(t)
	s.killedRun("linked")
	victim := filepath.Join(s.dir, "victim")
	for _, dir := range []string{victim + "/1/evidence/precious", "runs/linked/trials/a/c/1/evidence", "runs/linked/trials/a"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(victim, "runs/linked/trials/a/b"); err != nil {
		t.Fatal(err)
	}
	code, _, errs := s.plimsoll("clean", "--evidence", "runs/linked")
	if code != exitLeft || !strings.Contains(errs, "b is not a directory") {
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
	s.killedRun("received")
	s.moved("received", map[string]string{journal.MachineID(): strings.Repeat("0", 32)})
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

// Nobody can be asked in a test, so the answer is no unless --force says yes.
func TestResumeAsksBeforeItMixesMachinesOrVersions(t *testing.T) {
	for what, from := range map[string]string{"another machine": journal.MachineID(), "started by plimsoll 0": version.Get()} {
		s := newSite(t)
		s.killedRun("theirs")
		s.moved("theirs", map[string]string{from: strings.Repeat("0", 32)})
		c, err := claimRun("runs/theirs")
		if err != nil {
			t.Fatal(err)
		}
		defer c.release()
		state := &State{Stdin: strings.NewReader("yes\n")}
		err = state.agreeToResume(c, false)
		if exitCode(err) != exitCannotRun || !strings.Contains(err.Error(), what) || !strings.Contains(hintOf(err), "--force") {
			t.Errorf("%s: %v", what, err)
		}
		if err := state.agreeToResume(c, true); err != nil {
			t.Errorf("%s: --force: %v", what, err)
		}
	}
}

func TestNamesThatCannotBePaths(t *testing.T) {
	s := newSite(t)
	path := s.write("small.yaml", small)
	for _, name := range []string{"../home", "a/b", ".", "-x", "a b", "a\nb", strings.Repeat("x", 101)} {
		for _, args := range [][]string{{"run", path, "--name=" + name}, {"storage", "up", path, "--name=" + name}} {
			if code, _, errs := s.plimsoll(args...); code != exitUsage || !strings.Contains(errs, "--name") {
				t.Errorf("%q: exit code %d, %s", args, code, errs)
			}
		}
	}
}

// TestCleanFindsRunsWhateverTheirDirectoryIsCalled: a path is no pattern.
func TestCleanFindsRunsWhateverTheirDirectoryIsCalled(t *testing.T) {
	for _, name := range []string{"r[1]", "r[1", `a\b`, "*", "?", "o'hara #1", "ä %d $HOME"} {
		s := newSite(t)
		left := s.killedRun("one")
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
		if code, _, errs := s.plimsoll("run", "quickstart", flag, "a\nb"); code != exitUsage || !strings.Contains(errs, "control character") {
			t.Errorf("%s: exit code %d\n%s", flag, code, errs)
		}
	}
}
