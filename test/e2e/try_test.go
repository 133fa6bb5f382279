package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/journal"
	"plimsoll/internal/result"
)

// A first answer for a directory needs no file, leaves everything below its runs, and
// removes what one that was killed left behind.
func TestTryAfterOneThatWasKilled(t *testing.T) {
	s := newSite(t)
	dir, err := os.MkdirTemp("/var/tmp", "plimsoll-e2e-") // where servers' user may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	runs := func() []string {
		all, _ := filepath.Glob(filepath.Join(dir, "runs", "2*-try-*")) // by their dates
		return all
	}
	id := func(run string) string {
		state, err := journal.Read(filepath.Join(run, result.JournalFile))
		if err != nil {
			t.Fatal(err)
		}
		return state.RunID
	}

	b := s.start("try", dir)
	b.until("the first trial is under way", func() bool { return strings.Contains(b.out.String(), "settle storage") })
	b.signal(syscall.SIGKILL)
	b.wait()
	killed := runs()
	made := func() []string {
		all, _ := filepath.Glob(filepath.Join(dir, "runs", "plimsoll-*"))
		return all
	}
	if len(made()) == 0 {
		t.Fatal("a killed try left nothing: the test proves nothing")
	}

	out, _ := s.plimsoll(0, "try", dir)
	if left := made(); len(left) > 0 {
		t.Errorf("left of %v: %v", killed, left)
	}
	contains(t, out, "tried in", "IOPS", "MB/s", "OPM", "report.html", "study.yaml", "plimsoll study new --storage "+dir)
	all := runs()
	want := len(killed) + 3
	if len(all) != want {
		t.Errorf("runs: %v", all)
	}
	for _, run := range all {
		if left := journal.Leftovers(id(run)); len(left) > 0 {
			t.Errorf("%s left %v", run, left)
		}
	}
	for place, entries := range map[string]int{dir: 1, filepath.Join(dir, "runs"): want, s.dir: 0} {
		if found, err := os.ReadDir(place); err != nil || len(found) != entries {
			t.Errorf("%s holds %v (%v)", place, found, err)
		}
	}
	s.plimsoll(0, "plan", filepath.Join(all[len(all)-1], result.StudyFile))
}
