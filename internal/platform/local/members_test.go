package local

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/app"
)

// A process that was killed and is not gone yet is waited for, even though nothing of
// it shows whose it is.
func TestTheEndOfKilledProcessesIsAwaited(t *testing.T) {
	first, child := exec.Command("true"), exec.Command("sleep", "600")
	if err := errors.Join(first.Run(), child.Start()); err != nil {
		t.Fatal(err)
	}
	p := &process{name: "a", cmd: first, local: &Local{env: Env{RunID: "nobody's"}}, place: app.Surroundings{Runtime: t.TempDir()}, members: []int{child.Process.Pid}}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := p.endStrays(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the child runs: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if err := p.endStrays(t.Context()); err != nil {
		t.Errorf("the child is gone: %v", err)
	}
}

// What outlives the first process is ended even though it shows neither whose it is nor
// where it is at home, as a process that is about to end anyway.
func TestTheSessionOfAServerIsEnded(t *testing.T) {
	first := exec.Command("sh", "-c", "sleep 600 > /dev/null 2>&1 & echo $!")
	first.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := first.Output()
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	p := &process{name: "a", cmd: first, local: &Local{env: Env{RunID: "nobody's"}}, place: app.Surroundings{Runtime: t.TempDir()}}
	if strays := p.strays(); len(strays) != 1 || strays[0] != child {
		t.Fatalf("strays are %v, the child is %d", strays, child)
	}
	if err := p.endStrays(t.Context()); err != nil || len(p.strays()) > 0 {
		t.Errorf("%v; left: %v", err, p.strays())
	}
}
