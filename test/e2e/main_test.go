// Package e2e runs the plimsoll binary as a user does: whole studies on real
// databases, wrong input, interruptions and crashes.
package e2e

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/test/cluster"
	"plimsoll/test/quick"
)

var binary, cache string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if flag.Parse(); testing.Short() {
		return m.Run() // no test needs the binary
	}
	dir, err := os.MkdirTemp("/var/tmp", "plimsoll-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// Servers that run under another user pass through it to the cache.
	if err := os.Chmod(dir, 0o711); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binary, cache = filepath.Join(dir, "plimsoll"), filepath.Join(dir, "cache")
	build := exec.Command("go", "build", "-o", binary, "plimsoll/cmd/plimsoll")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return cluster.Main(m)
}

// site is a bare directory that a test works in.
type site struct {
	t    *testing.T
	dir  string
	runs string   // its directory of runs
	env  []string // of every plimsoll, after the usual
	// netns is the network that it works in, empty for the test's own.
	netns string
}

func newSite(t *testing.T) *site {
	t.Helper()
	quick.Skip(t, quick.Runs)
	s := &site{t: t, dir: t.TempDir(), runs: "runs"}
	t.Cleanup(s.assertNothingLeft)
	return s
}

// write makes a study file.
func (s *site) write(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// command is a plimsoll to be started. Trials that the machine's other work
// spoils are not measured again unless the test says so: how long a test takes,
// and which trials it finds, must not depend on neighbours.
func (s *site) command(args ...string) *exec.Cmd {
	if args[0] == "run" && !slices.Contains(args, "--retries") {
		args = append(args, "--retries", "0")
	}
	cmd := inNetwork(s.netns, append([]string{binary}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = append(append(os.Environ(), "PLIMSOLL_CACHE="+cache), s.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// plimsoll runs the binary to its end and checks the exit code.
func (s *site) plimsoll(want int, args ...string) (stdout, stderr string) {
	s.t.Helper()
	var out, errs bytes.Buffer
	cmd := s.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		s.t.Fatalf("plimsoll %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, want, &out, &errs)
	}
	return out.String(), errs.String()
}

// background is a plimsoll that runs while the test does something to it.
type background struct {
	s    *site
	cmd  *exec.Cmd
	out  transcript
	done chan struct{}
}

// transcript is what a run that goes on has said so far.
type transcript struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.text.String()
}

// measuring reports whether a run that was started with --json has come to
// a measured phase.
func (b *background) measuring() bool { return strings.Contains(b.out.String(), `"phase":"measure"`) }

func (s *site) start(args ...string) *background {
	s.t.Helper()
	b := &background{s: s, cmd: s.command(args...), done: make(chan struct{})}
	b.cmd.Stdout, b.cmd.Stderr = &b.out, &b.out
	if err := b.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		_ = b.cmd.Wait()
		close(b.done)
	}()
	s.t.Cleanup(func() { _ = b.cmd.Process.Kill(); <-b.done })
	return b
}

func (b *background) signal(sig syscall.Signal) {
	b.s.t.Helper()
	if err := b.cmd.Process.Signal(sig); err != nil {
		b.s.t.Fatal(err)
	}
}

// stop interrupts a run that has served its purpose, or has ended by itself in the
// meantime, and waits for its end.
func (b *background) stop() {
	b.s.t.Helper()
	if err := b.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		b.s.t.Fatal(err)
	}
	b.wait()
}

// patience is how long a run, or a part of it, may take on a machine that others
// keep busy: so much that a run which takes longer hangs.
const patience = 12 * time.Minute

// wait gives the exit code, -1 for a signal.
func (b *background) wait() int {
	b.s.t.Helper()
	select {
	case <-b.done:
		return b.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		b.s.t.Fatalf("still running:\n%s", &b.out)
		return 0
	}
}

// until waits for something to become true while the run goes on.
func (b *background) until(what string, ready func() bool) {
	b.s.t.Helper()
	deadline := time.Now().Add(patience)
	for !ready() {
		select {
		case <-b.done:
			b.s.t.Fatalf("ended before %s:\n%s", what, &b.out)
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			b.s.t.Fatalf("waited in vain for %s:\n%s", what, &b.out)
		}
	}
}

func (s *site) run(name string) string { return filepath.Join(s.dir, s.runs, name) }

// trial is a trial of a study without members; see members.
func (s *site) trial(run, id string) *result.Trial {
	s.t.Helper()
	return s.members(run, id)[""]
}

// members are the trials of a trial's members, by their names.
func (s *site) members(run, id string) map[string]*result.Trial {
	s.t.Helper()
	r, err := result.Open(s.run(run))
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]*result.Trial{}
	for _, one := range r.Of(id) {
		all[one.Variant.Member] = one
	}
	if len(all) == 0 {
		s.t.Fatalf("run %s has no trial %s; it has %d; unfinished: %v; problems: %v", run, id, len(r.Trials), r.Unfinished, r.Problems)
	}
	return all
}

// journalOf says what a run's journal holds; nothing before the run has begun.
func (s *site) journalOf(run string) journal.State {
	s.t.Helper()
	state, err := journal.Read(filepath.Join(s.run(run), result.JournalFile))
	if err != nil {
		s.t.Fatal(err)
	}
	return state
}

// processes returns the processes of a run.
func (s *site) processes(run string) []journal.RunProcess {
	return journal.Processes(s.journalOf(run).RunID)
}

// leftovers lists everything on the machine that belongs to a run.
func (s *site) leftovers(run string) []string { return journal.Leftovers(s.journalOf(run).RunID) }

// driving reports whether the users of the run are at work.
func (s *site) driving(run string) func() bool {
	return func() bool {
		for _, p := range s.processes(run) {
			if strings.Contains(p.Object, "driver") {
				return true
			}
		}
		return false
	}
}

// assertNothingLeft is the proof after every test, without plimsoll's word.
func (s *site) assertNothingLeft() {
	runs, _ := os.ReadDir(filepath.Join(s.dir, s.runs))
	for _, r := range runs {
		if left := s.leftovers(r.Name()); len(left) > 0 {
			s.t.Errorf("left behind by %s: %v", r.Name(), left)
		}
	}
}

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}
