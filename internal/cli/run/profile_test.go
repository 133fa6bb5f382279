package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
)

// Profiles are whole although the work ended with an error, as after Ctrl-C, and the error stays.
func TestProfilesAreWholeHoweverTheWorkEnds(t *testing.T) {
	s := commandtest.New(t)
	for _, end := range []error{nil, context.Canceled, command.Silent(command.ExitTrialFailed)} {
		dir := t.TempDir()
		o := profileOptions{cpu: filepath.Join(dir, "cpu"), memory: filepath.Join(dir, "memory"), trace: filepath.Join(dir, "trace")}
		if err := profiled(s.State(), &o, func() error { return end }); !errors.Is(err, end) {
			t.Errorf("after %v: %v", end, err)
		}
		for file, begins := range map[string]string{o.cpu: "\x1f\x8b", o.memory: "\x1f\x8b", o.trace: "go 1."} {
			if content, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(content, []byte(begins)) {
				t.Errorf("after %v: %s begins with %.8q, %v", end, filepath.Base(file), content, err)
			}
		}
	}
}

func TestProfilesThatWereNotAskedForAreNotWritten(t *testing.T) {
	if o := (profileOptions{}); o.any() || o.check() != nil {
		t.Error("no profile was asked for")
	}
	worked := false
	if err := profiled(commandtest.New(t).State(), &profileOptions{}, func() error { worked = true; return nil }); err != nil || !worked {
		t.Errorf("worked %t, %v", worked, err)
	}
}

// What cannot be written ends the command before any work is done.
func TestAProfileThatCannotBeWrittenIsRefusedFirst(t *testing.T) {
	s := commandtest.New(t)
	study := s.Write("small.yaml", commandtest.Small)
	run := func(args ...string) error {
		cmd := newRun(s.State())
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(append(args, study))
		return cmd.Execute()
	}
	missing := filepath.Join(t.TempDir(), "missing", "cpu.prof")
	if err := run("--cpuprofile", missing); command.ExitCode(err) != command.ExitFailure || !strings.Contains(err.Error(), missing) || !strings.Contains(command.Hint(err), "name a file") {
		t.Error(err)
	}
	for _, args := range [][]string{{"--cpuprofile", "a", "--trace", "a"}, {"--detach", "--trace", "a"}} {
		if err := run(args...); command.ExitCode(err) != command.ExitUsage {
			t.Errorf("%q: %v", args, err)
		}
	}
}
