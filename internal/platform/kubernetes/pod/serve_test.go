package pod

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// servedVariable turns this test program into `pod serve`.
const servedVariable = "PLIMSOLL_TEST_SERVE"

// guarded is a log that grows while it is read.
type guarded struct {
	mu   sync.Mutex
	text strings.Builder
}

func (g *guarded) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(p)
}

func (g *guarded) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

// serving starts `pod serve` with a script as a process of its own, because it waits
// for every child that there is. stop asks it to end.
func serving(t *testing.T, s Server, script string) (log *guarded, stop func(), end func() End) {
	t.Helper()
	dir := t.TempDir()
	s.Command, s.Runtime = []string{"/bin/sh", "-c", script}, filepath.Join(dir, "runtime")
	s.Env = append(s.Env, "PATH=/usr/bin:/bin")
	for i := range s.Files {
		s.Files[i].Path = filepath.Join(dir, "runtime", s.Files[i].Path)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	description, termination := filepath.Join(dir, "server.json"), filepath.Join(dir, "termination")
	if err := os.WriteFile(description, text, 0o600); err != nil {
		t.Fatal(err)
	}
	log = &guarded{}
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestServed$")
	cmd.Env = append(os.Environ(), servedVariable+"="+description+":"+termination)
	cmd.Stdout = log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return log, func() { in.Close() }, func() (e End) {
		defer in.Close()
		_ = cmd.Wait() // its message counts, not its exit code
		text, err := os.ReadFile(termination)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &e); err != nil || len(text) > messageLimit {
			t.Fatalf("%d bytes: %v", len(text), err)
		}
		return e
	}
}

// TestServed is `pod serve`, which ends with its input.
func TestServed(t *testing.T) {
	description, termination, ok := strings.Cut(os.Getenv(servedVariable), ":")
	if !ok {
		t.Skip("it is run by the other tests")
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		cancel()
	}()
	if Serve(ctx, description, termination, os.Stdout) != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

func TestAServerGetsItsFilesAndVariables(t *testing.T) {
	s := Server{Env: []string{"GREETING=hello"}, Files: []File{{Path: "site/page", Content: "welcome", Mode: 0o640}}}
	log, _, end := serving(t, s, `stat -c %a . site/page; cat site/page; echo " $GREETING"`)
	if e := end(); e.How != "" || log.String() != "700\n640\nwelcome hello\n" || e.Tail == "" {
		t.Errorf("%+v, log %q", e, log)
	}
}

// In the pod of the next server the process that a lock names is another, and may be there.
func TestTheLockOfAKilledServerIsRemoved(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "server.pid")
	if err := os.WriteFile(lock, []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		log, _, end := serving(t, Server{Lock: lock}, "test -e "+lock+" || echo free")
		if e := end(); e.Never != "" || log.String() != "free\n" {
			t.Errorf("%+v, log %q", e, log)
		}
	}
}

func TestTheEndOfAServerIsTold(t *testing.T) {
	_, _, end := serving(t, Server{}, `yes 'no space "left"' | head -n 1000; exit 3`)
	if e := end(); e.How != "exit status 3" || !strings.HasSuffix(e.Tail, `no space "left"`) || e.Stopped {
		t.Errorf("%+v", e)
	}
	_, _, end = serving(t, Server{}, `kill -9 $$`)
	if e := end(); !e.Killed || e.How != "signal: killed" {
		t.Errorf("%+v", e)
	}
	_, _, end = serving(t, Server{Files: []File{{Path: "a"}, {Path: "a/b"}}}, `true`)
	if e := end(); e.Never == "" {
		t.Errorf("%+v", e)
	}
}

func TestAServerIsStoppedByItsSignal(t *testing.T) {
	script := `trap 'echo interrupted; exit 0' INT; trap "" TERM; echo ready; while :; do sleep 0.05; done`
	for _, c := range []struct {
		signal  string
		overdue bool
	}{{"INT", false}, {"TERM", true}} {
		s := Server{Stop: c.signal, StopTimeout: 30 * time.Second}
		if c.overdue {
			s.StopTimeout = 200 * time.Millisecond
		}
		log, stop, end := serving(t, s, `(setsid sh -c 'kill -0 $$; exit') & `+script)
		for deadline := time.Now().Add(time.Minute); !strings.Contains(log.String(), "ready"); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("it never said that it is ready")
			}
		}
		stop()
		if e := end(); !e.Stopped || e.Overdue != c.overdue || !c.overdue && !strings.Contains(log.String(), "interrupted") {
			t.Errorf("%s: %+v, log %q", c.signal, e, log)
		}
	}
}

func TestInstall(t *testing.T) {
	dir := t.TempDir()
	if err := Install(dir); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadFile(filepath.Join(dir, Accounts))
	if err != nil || !strings.Contains(string(names), fmt.Sprintf(":x:%d:", os.Geteuid())) {
		t.Errorf("its user is called %q, %v", names, err)
	}
	own, err := os.Stat("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "plimsoll")); err != nil || info.Size() != own.Size() || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestNothingIsKilledOutsideAContainer(t *testing.T) {
	if err := killAll(); err == nil || !strings.Contains(err.Error(), "pod serve") {
		t.Errorf("err %v", err)
	}
}
