package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/result"
)

// The file system that journal and results are on is full in the middle of a
// run: what was finished stays readable, nothing is left on the machine, the
// error says which file system it is, and the run goes on when there is room.
func TestFullDiskForJournalAndResults(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small file system")
	}
	s := newSite(t)
	runs := filepath.Join(s.dir, "runs")
	if err := os.Mkdir(runs, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("small", runs, "tmpfs", 0, "size=32m"); err != nil {
		t.Skip("this machine does not let file systems be mounted: ", err)
	}
	t.Cleanup(func() {
		s.assertNothingLeft() // while the journals are there
		if err := unix.Unmount(runs, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	b := s.start("run", s.write("long.yaml", replace(long(), "measure: 20s", "measure: 5s")), "--name", "full", "--min-grade", "F")
	b.until("the first trial is finished", func() bool {
		_, err := os.Stat(filepath.Join(result.TrialDir(s.run("full"), "memory/1/1"), result.TrialFile))
		return err == nil
	})
	b.until("the second drives", s.driving("full"))
	filler := filepath.Join(runs, "filler")
	takeAllRoom(t, filler)
	if code := b.wait(); code != 1 {
		t.Fatalf("exit code %d\n%s", code, &b.out)
	}
	contains(t, b.out.String(), "no space left on device", "the file system at "+runs+" (tmpfs on small")
	if n := strings.Count(b.out.String(), "no space left"); n > 4 {
		t.Errorf("the same is said %d times:\n%s", n, &b.out)
	}
	if left := s.leftovers("full"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	before := s.trial("full", "memory/1/1")
	if before.Status != result.Passed {
		t.Errorf("the finished trial: %+v", before.Failure)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	s.plimsoll(0, "clean")
	s.plimsoll(0, "run", "--resume", s.run("full"), "--min-grade", "F")
	if !s.trial("full", "memory/1/1").Ended.Equal(before.Ended) || s.trial("full", "memory/2/1").Status != result.Passed {
		t.Error("the run was not continued where it stood")
	}
}

// takeAllRoom leaves not a page on a file system.
func takeAllRoom(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for page := make([]byte, 4096); ; {
		if _, err := f.Write(page); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A database's volume fills up in mid-run: the first lines of the answer say that, and
// which one it is.
func TestAVolumeFillsUpUnderADatabase(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small file system")
	}
	volumes, err := os.MkdirTemp("/var/tmp", "plimsoll-full-") // where servers' own users get to
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(volumes); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(volumes, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("small", volumes, "tmpfs", 0, "size=256m,mode=755"); err != nil {
		t.Skip("this machine does not let file systems be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(volumes, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := newSite(t)
	text := replace(tiny, "ENGINE", "postgres", "CLASS", "class: directory, path: "+volumes, "measure: 2s", "measure: 60s")
	b := s.start("run", s.write("full.yaml", text), "--name", "full", "--min-grade", "F", "--json")
	b.until("the measured phase has begun", b.measuring)
	filler := filepath.Join(volumes, "filler")
	takeAllRoom(t, filler)
	if code := b.wait(); code != 4 {
		t.Errorf("exit code %d\n%s", code, &b.out)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(s.trial("full", "here/1/1").Failure.Cause, "\n")
	contains(t, first, "no space is left on the file system of "+volumes)
	out, _ := s.plimsoll(0, "report", s.run("full"))
	head, _, _ := strings.Cut(strings.Join(strings.Fields(out), " "), "TPS and response time")
	contains(t, head, "no space is left on the file system of", volumes, "free some there")
}
