package local

import (
	"context"
	"errors"
	"os/exec"
	"plimsoll/internal/app"
	"testing"
	"time"
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
