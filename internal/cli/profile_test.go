package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Profiles are whole although the work ended with an error, as after Ctrl-C, and the error stays.
func TestProfilesAreWholeHoweverTheWorkEnds(t *testing.T) {
	s := newSite(t)
	for _, end := range []error{nil, context.Canceled, silent(exitTrialFailed)} {
		dir := t.TempDir()
		o := profileOptions{cpu: filepath.Join(dir, "cpu"), memory: filepath.Join(dir, "memory"), trace: filepath.Join(dir, "trace")}
		if err := s.state().profiled(&o, func() error { return end }); !errors.Is(err, end) {
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
	if err := newSite(t).state().profiled(&profileOptions{}, func() error { worked = true; return nil }); err != nil || !worked {
		t.Errorf("worked %t, %v", worked, err)
	}
}

// What cannot be written ends the command before any work is done.
func TestAProfileThatCannotBeWrittenIsRefusedFirst(t *testing.T) {
	s := newSite(t)
	missing := filepath.Join(t.TempDir(), "missing", "cpu.prof")
	code, _, errs := s.plimsoll("run", s.write("small.yaml", small), "--cpuprofile", missing)
	if code != exitFailure || !strings.Contains(errs, missing) || !strings.Contains(errs, "name a file") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	for _, args := range [][]string{{"--cpuprofile", "a", "--trace", "a"}, {"--detach", "--trace", "a"}} {
		code, _, errs := s.plimsoll(append([]string{"run", s.write("small.yaml", small)}, args...)...)
		if code != exitUsage {
			t.Errorf("%q: exit code %d\n%s", args, code, errs)
		}
	}
}
