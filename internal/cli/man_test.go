package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/test/quick"
)

// Every command but the hidden ones has a manual page, which a manual reader takes
// without a warning and which says what the help says.
func TestManualPages(t *testing.T) {
	quick.Skip(t, quick.Commands)
	s := newSite(t)
	if code, _, errs := s.plimsoll("man", "pages"); code != 0 {
		t.Fatalf("code %d: %s", code, errs)
	}
	for _, name := range []string{"plimsoll", "plimsoll-run", "plimsoll-study-new", "plimsoll-storage-up"} {
		if !command.Exists(filepath.Join("pages", name+".1")) {
			t.Errorf("there is no page %s", name)
		}
	}
	for _, name := range []string{"plimsoll-man", "plimsoll-task"} {
		if command.Exists(filepath.Join("pages", name+".1")) {
			t.Errorf("the hidden command %s has a page", name)
		}
	}
	text, err := os.ReadFile("pages/plimsoll-run.1")
	if err != nil || !bytes.Contains(text, []byte("<date>-<time>-<study>")) {
		t.Errorf("markup took part of a text away (%v):\n%s", err, text)
	}
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("man is not installed (package man-db)")
	}
	all, err := filepath.Glob("pages/*.1")
	if err != nil || len(all) < 20 {
		t.Fatalf("%d pages (%v)", len(all), err)
	}
	for _, page := range all {
		cmd := exec.Command("man", "--warnings", "--encoding=UTF-8", "--local-file", page)
		cmd.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=78", "LC_ALL=C.UTF-8")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil || errs.Len() > 0 || !strings.Contains(out.String(), "SYNOPSIS") {
			t.Errorf("%s: %v %s", page, err, errs.String())
		}
	}
}
