// Package process measures what programs take that end by themselves.
package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// Used is what a program took.
type Used struct {
	Took time.Duration
	CPU  time.Duration // of all processors
	Peak int64         // largest resident set of the process, in bytes
}

// noDecision is the exit code of a comparison that was made and is inconclusive.
const noDecision = 8

// Run runs a program to its end, and returns its standard output. The error contains its standard
// error.
func Run(ctx context.Context, program string, arguments ...string) (Used, []byte, error) {
	c := exec.CommandContext(ctx, program, arguments...)
	began := time.Now()
	out, err := c.Output()
	took := time.Since(began)
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == noDecision && len(out) > 0 {
		err = nil
	}
	if ended != nil && err != nil {
		err = fmt.Errorf("%w: %s", err, ended.Stderr)
	}
	if err != nil {
		return Used{}, out, err
	}
	usage := c.ProcessState.SysUsage().(*syscall.Rusage) // of Linux always
	return Used{Took: took, CPU: c.ProcessState.UserTime() + c.ProcessState.SystemTime(), Peak: usage.Maxrss << 10}, out, nil
}
