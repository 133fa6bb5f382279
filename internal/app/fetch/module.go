package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// ErrNoGo means that the Go toolchain is missing.
var ErrNoGo = errors.New("there is no go command")

// Module builds a program (example.com/module/cmd/program@v1.2.3) with the user's own Go
// toolchain, its settings and mirrors, into a directory. Go verifies its downloads against
// public checksums. It needs no C compiler.
func Module(ctx context.Context, program, into string) error {
	if !HasGo() {
		return ErrNoGo
	}
	cmd := exec.CommandContext(ctx, "go", "install", "-trimpath", program)
	cmd.Dir = into // outside any module, whose versions it would take
	cmd.Env = append(os.Environ(), "GOBIN="+into, "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOTOOLCHAIN=auto")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("build %s: %w: %s", program, err, lastLine(string(out)))
	}
	return nil
}

// HasGo reports whether there is a Go toolchain.
func HasGo() bool {
	_, err := exec.LookPath("go")
	return err == nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
