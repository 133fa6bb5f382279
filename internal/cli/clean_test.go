package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/journal"
)

// killedRun is a run directory as a killed Plimsoll leaves it, with one
// directory that is still there.
func (s *site) killedRun(name string) (left string) {
	s.t.Helper()
	dir := filepath.Join(s.dir, "runs", name)
	left = filepath.Join(s.dir, "plimsoll-"+name)
	for _, d := range []string{dir, filepath.Join(left, "s")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"), name)
	if err != nil {
		s.t.Fatal(err)
	}
	defer j.Close()
	note := j.Note("run-started", map[string]string{"run": name})
	if err := errors.Join(note, j.Making(journal.Object{Kind: journal.Directory, Path: left})); err != nil {
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
