package task

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// Call is one job at work.
type Call struct {
	Name string
	Spec []byte // JSON; see Decode
	// Offset is how far this machine's clock is ahead of the one in which the
	// job's moments are given.
	Offset time.Duration
	Input  *Input
	Out    *Writer
}

// Handler does the jobs of one kind. Its error is the reason why the task failed; its
// earlier output counts all the same.
type Handler func(ctx context.Context, c Call) error

// Main is the task's process: it reads a job, has its handler do it and writes frames to
// out. SIGTERM and SIGINT end it early and in order. The error is the handler's, or a
// failure to write.
func Main(ctx context.Context, in io.Reader, out io.Writer, handlers map[string]Handler) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	buffered := bufio.NewReader(in)
	job, jobErr := readJob(buffered)
	w, err := newWriter(out, job)
	if err != nil {
		return errors.Join(jobErr, err)
	}
	err = jobErr
	if err == nil {
		err = do(ctx, job, buffered, w, handlers)
	}
	return errors.Join(err, w.end(err))
}

func do(ctx context.Context, job Job, rest *bufio.Reader, w *Writer, handlers map[string]Handler) error {
	handler, ok := handlers[job.Kind]
	if !ok {
		return fmt.Errorf("unknown kind of task %q; known: %v", job.Kind, slices.Sorted(maps.Keys(handlers)))
	}
	call := Call{Name: job.Name, Spec: job.Spec, Offset: job.Offset, Input: &Input{}, Out: w}
	if job.Input {
		call.Input.frames = &Decoder{r: rest}
	}
	return handler(ctx, call)
}
