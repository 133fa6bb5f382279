package local_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/platform/local/localtest"
)

func TestTaskThatCannotStartLeavesNothing(t *testing.T) {
	env := localtest.Env(t)
	env.Executable = "/nonexistent/plimsoll"
	p, err := local.New(env)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(t.Context())
	_, err = p.Task(t.Context(), platform.Task{Name: "lame", Job: task.Job{Kind: "count"}})
	if err == nil || !strings.Contains(err.Error(), "lame") || !strings.Contains(err.Error(), env.Executable) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(env.Work, "tasks", "lame")); err == nil {
		t.Error("its directory is left")
	}
}

// The job holds passwords: no command line and no file has them.
func TestJobsLieInNoFile(t *testing.T) {
	env := localtest.Env(t)
	p, err := local.New(env)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(t.Context())
	const secret = "correct horse battery staple"
	job, err := task.NewJob("linger", "secretive", map[string]string{"say": secret})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Task(t.Context(), platform.Task{Name: "secretive", Job: job})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Kill() }()
	err = filepath.WalkDir(env.Work, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		return mustNotHold(path, secret)
	})
	if err != nil {
		t.Error(err)
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		if err := mustNotHold(path, secret); err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
	}
}

func mustNotHold(path, secret string) error {
	text, err := os.ReadFile(path)
	if err == nil && strings.Contains(string(text), secret) {
		return fmt.Errorf("%s holds the job", path)
	}
	if err != nil && strings.HasPrefix(path, "/proc/") {
		return nil // it has ended
	}
	return err
}

// What a task says is for its run alone: another user of the machine does not get at it.
func TestATaskIsClosedToOtherUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root becomes another user")
	}
	env := localtest.Env(t)
	p, err := local.New(env)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(t.Context())
	job, err := task.NewJob("linger", "private", map[string]int{"records": 5})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Task(t.Context(), platform.Task{Name: "private", Job: job})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Kill() }()
	var paths []string
	err = filepath.WalkDir(filepath.Join(env.Work, "tasks"), func(path string, e fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if err != nil || len(paths) < 3 { // two directories and the spool
		t.Fatal(err, paths)
	}
	localtest.Closed(t, nil, paths...)
}
