package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
)

// Every code in docs/exit-codes.md is returned in its documented case. Codes 4, 130 and 141 are
// also tested on real processes, in test/e2e.
func TestExitCodes(t *testing.T) {
	docs, err := filepath.Abs("../../docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	s.Write("nowhere.yaml", strings.Replace(small, "path: memory", "path: "+filepath.Join(s.Dir, "no-such-directory"), 1))
	if err := resulttest.Run("runs/often", []string{"ssd", "hdd"}, []int{1, 4, 16}, 4, 30); err != nil {
		t.Fatal(err)
	}
	passed, failed := &result.Trial{ID: "a/1/1", Status: result.Passed}, &result.Trial{ID: "a/1/2", Status: result.Failed}
	line := func(args ...string) func() int {
		return func() int {
			code, _, _ := s.plimsoll(args...)
			return code
		}
	}
	coded := func(err error) func() int { return func() int { return command.ExitCode(err) } }
	seen := map[int]func() int{
		0:                       line("version"),
		command.ExitFailure:     line("report", "reference/cns-ds2", "-o", "no/such/file"),
		command.ExitUsage:       line("plan", "nosuch"),
		command.ExitCannotRun:   line("run", "nowhere.yaml"),
		command.ExitTrialFailed: coded(results.VerdictError(&result.Run{Trials: []*result.Trial{passed, failed}}, nil)),
		command.ExitRefused:     coded(results.VerdictError(&result.Run{Trials: []*result.Trial{passed, failed}}, errors.New("graded D"))),
		command.ExitDifferent:   line("compare", "runs/often:ssd", "runs/often:hdd", "--fail-if", "mean > +5%"),
		command.ExitLeft:        func() int { return cleanGoldenInUse(s) },
		// Published figures have no repetitions.
		command.ExitInconclusive: line("compare", "reference/cns-ds2:ssd-16", "reference/cns-ds2:hdd-16", "--fail-if", "throughput < -3%"),
		command.ExitMistake:      coded(fmt.Errorf("analyse: %w", &caught.Panic{Doing: "analyse run x", Value: "index out of range"})),
		command.ExitUnmet:        line("size", s.Write("unmet.yaml", strings.Replace(demand, "instances: 80", "instances: 80\nsurvive: 5", 1))),
		command.ExitInterrupted:  coded(errors.Join(errors.New("a trial"), context.Canceled)),
		command.ExitReaderLeft: func() int {
			return Main(&command.State{Context: t.Context(), Stdout: closedPipe{}, Stderr: closedPipe{}, Getenv: os.Getenv}, []string{"version"})
		},
	}
	for code, get := range seen {
		if got := get(); got != code {
			t.Errorf("exit code %d where %d is documented", got, code)
		}
	}
	for _, code := range documentedCodes(t, docs) {
		if seen[code] == nil {
			t.Errorf("exit code %d is documented and not tested", code)
		}
		delete(seen, code)
	}
	if len(seen) > 0 {
		t.Errorf("exit codes that are not documented: %v", seen)
	}
}

// cleanGoldenInUse holds the lock that a run has on the golden volumes.
func cleanGoldenInUse(s *site) int {
	s.T.Helper()
	if err := os.MkdirAll("cache", 0o755); err != nil {
		s.T.Fatal(err)
	}
	lock, err := os.Create(filepath.Join("cache", "lock"))
	if err != nil {
		s.T.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_SH); err != nil {
		s.T.Fatal(err)
	}
	code, _, _ := s.plimsoll("clean", "--golden")
	return code
}

// closedPipe fails as standard output does when its reader has gone.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: os.Stdout.Name(), Err: unix.EPIPE}
}

func documentedCodes(t *testing.T, docs string) []int {
	t.Helper()
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	var codes []int
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(string(text), -1) {
		code, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, code)
	}
	return codes
}
