// Package commandtest has the world of a command for tests.
package commandtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/text/sanitize"
	"plimsoll/internal/text/version"
)

// Small is a study of two rungs, which is planned and not run.
const Small = `study: small
workload: {name: dvdstore, parameters: {size: 10MB}}
engine: {name: mariadb, memory: 256MiB}
storage:
  memory: {class: directory, path: memory}
ladder: [1, 2]
objectives: ["p95 <= 10s"]
`

// Blocks is a study without a server.
const Blocks = `study: blocks
workload: {name: blockio, parameters: {size: 8MiB, mode: buffered}}
storage: {d: {class: directory, path: disk}}
ladder: [1]
phases: {warmup: 1s, measure: 2s, ramp_rate: 0}
load: {users: 1}
`

// Site is an empty directory, which is the working directory of the test.
type Site struct {
	T   *testing.T
	Dir string
	Env map[string]string // variables of the environment
}

// New changes to an empty directory. Files of runs are kept below it.
func New(t *testing.T) *Site {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PLIMSOLL_STATE", filepath.Join(dir, "state")) // else what runs beside this test left is found, too
	return &Site{T: t, Dir: dir, Env: map[string]string{"PLIMSOLL_CACHE": filepath.Join(dir, "cache"), "PLIMSOLL_WORK": filepath.Join(dir, "work")}}
}

// State is a world without a terminal, in which nothing is shown.
func (s *Site) State() *command.State {
	return &command.State{
		Context: context.Background(), Impatient: context.Background(),
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		Getenv: func(name string) string { return s.Env[name] },
		Strays: s.strays,
	}
}

// strays are those below the directory: the rest of the machine belongs to tests that run at
// the same time.
func (s *Site) strays(places []string) []journal.Stray {
	return slices.DeleteFunc(journal.Strays(places), func(one journal.Stray) bool { return !strings.Contains(one.What, s.Dir) })
}

// Write writes a file of the directory and gives its path.
func (s *Site) Write(name, text string) string {
	s.T.Helper()
	path := filepath.Join(s.Dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.T.Fatal(err)
	}
	return path
}

// Terminal gives all that is written to a terminal of a width in columns, 0 for a file.
func (s *Site) Terminal(width int, write func(*command.State)) string {
	var out bytes.Buffer
	state := s.State()
	state.Stdout, state.Stderr, state.Width = sanitize.Writer(&out), sanitize.Writer(&out), width
	write(state)
	return out.String()
}

// Fits checks that what is written fits terminals of two widths and, where whole is asked for, that
// nothing is lost in a narrow one.
func (s *Site) Fits(whole bool, write func(*command.State)) {
	s.T.Helper()
	wide := s.Terminal(0, write)
	for _, width := range []int{40, 80} {
		narrow := strings.ReplaceAll(s.Terminal(width, write), "> ", "> \n") // who answers a question ends its line
		for line := range strings.Lines(narrow) {
			if n := runewidth.StringWidth(strings.TrimRight(line, "\n")); n > width {
				s.T.Errorf("a line of %d columns in a terminal of %d: %q", n, width, line)
			}
		}
		if whole {
			losesNothing(s.T, wide, narrow)
		}
	}
}

// losesNothing checks that each word is there, but for the names of columns, and for
// figures, which another look at the machine may change.
func losesNothing(t *testing.T, wide, narrow string) {
	t.Helper()
	together := strings.ToUpper(strings.Join(strings.Fields(narrow), ""))
	for _, word := range strings.Fields(wide) {
		if heads := []string{"RUN", "FILE", "TRIAL", "OPERATION", "RESOURCE", "NAME", "MEASURED"}; !slices.Contains(heads, word) && !strings.ContainsAny(word, "0123456789") && !strings.Contains(together, strings.ToUpper(word)) {
			t.Errorf("%q is missing in %s", word, narrow)
		}
	}
}

// KilledRun is a run directory as a killed Plimsoll leaves it, with one
// directory that is still there.
func (s *Site) KilledRun(name string) (left string) {
	s.T.Helper()
	dir, id := filepath.Join(s.Dir, "runs", name), journal.NewRunID(name)
	left = filepath.Join(s.Dir, journal.Name(id))
	for _, d := range []string{dir, filepath.Join(left, "s")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			s.T.Fatal(err)
		}
	}
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"), id)
	if err != nil {
		s.T.Fatal(err)
	}
	defer j.Close()
	if err := errors.Join(j.Started(version.Get()), j.Making(journal.Object{Kind: journal.Directory, Path: left})); err != nil {
		s.T.Fatal(err)
	}
	return left
}

// Leave registers objects of a killed run as left, and gives the run's identifier.
func (s *Site) Leave(name string, objects ...journal.Object) (run string) {
	s.T.Helper()
	path := filepath.Join(s.Dir, "runs", name, "journal.jsonl")
	state, err := journal.Read(path)
	if err != nil {
		s.T.Fatal(err)
	}
	j, err := journal.Open(path, state.RunID)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, o := range objects {
		err = errors.Join(err, j.Making(o))
	}
	if err := errors.Join(err, j.Close()); err != nil {
		s.T.Fatal(err)
	}
	return state.RunID
}

// Moved makes the journal of a killed run look as if it came from elsewhere.
func (s *Site) Moved(name string, detail map[string]string) {
	s.T.Helper()
	path := filepath.Join(s.Dir, "runs", name, "journal.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		s.T.Fatal(err)
	}
	for from, to := range detail {
		text = []byte(strings.ReplaceAll(string(text), from, to))
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.T.Fatal(err)
	}
}
