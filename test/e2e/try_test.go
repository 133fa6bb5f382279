package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
)

// A first answer for a directory needs no file, leaves everything below its runs, and
// removes what one that was killed left behind.
func TestTryAfterOneThatWasKilled(t *testing.T) {
	t.Parallel()
	s, tried := newSite(t), newTried(t)
	dir := tried.dir
	b := s.start("try", "--verbose", dir)
	b.until("the first trial is under way", tried.underWay(b))
	b.signal(syscall.SIGKILL)
	b.wait()
	killed := tried.runs()
	if len(tried.made()) == 0 {
		t.Fatal("a killed try left nothing: the test proves nothing")
	}

	out, _ := s.plimsoll(0, "try", dir)
	if left := tried.made(); len(left) > 0 {
		t.Errorf("left of %v: %v", killed, left)
	}
	contains(t, out, "tried in", "grade ", "IOPS", "MB/s", "OPM", "report.html", "study.yaml", "plimsoll study new --storage "+dir)
	all := tried.runs()
	want := len(killed) + 4
	if len(all) != want {
		t.Errorf("runs: %v", all)
	}
	for _, run := range all {
		if left := tried.leftovers(run); len(left) > 0 {
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

// An interrupted try leaves nothing but its runs, and says so by its exit code.
func TestTryThatIsInterrupted(t *testing.T) {
	s, tried := newSite(t), newTried(t)
	b := s.start("try", "--verbose", tried.dir)
	b.until("the first trial is under way", tried.underWay(b))
	b.signal(syscall.SIGINT)
	if code := b.wait(); code != 130 {
		t.Errorf("exit code %d\n%s", code, &b.out)
	}
	if left := tried.made(); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	runs := tried.runs()
	if len(runs) == 0 {
		t.Fatal("no run was begun")
	}
	for _, run := range runs {
		if left := tried.leftovers(run); len(left) > 0 {
			t.Errorf("%s left %v", run, left)
		}
	}
}

// tried is a directory that is to be tried.
type tried struct {
	t   *testing.T
	dir string
}

func newTried(t *testing.T) tried {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "plimsoll-e2e-") // where servers' user may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return tried{t, dir}
}

func (d tried) underWay(b *background) func() bool {
	return func() bool { return strings.Contains(b.out.String(), "settle storage") }
}

// runs returns the directories of all tries of the directory, by date.
func (d tried) runs() []string {
	all, _ := filepath.Glob(filepath.Join(d.dir, "runs", "2*-try-*"))
	return all
}

// made returns the directories that tries keep next to their runs while they go on.
func (d tried) made() []string {
	all, _ := filepath.Glob(filepath.Join(d.dir, "runs", "plimsoll-*"))
	return all
}

// leftovers are what a run left on the machine.
func (d tried) leftovers(run string) []string {
	d.t.Helper()
	state, err := journal.Read(filepath.Join(run, result.JournalFile))
	if err != nil {
		d.t.Fatal(err)
	}
	return journal.Leftovers(state.RunID)
}
