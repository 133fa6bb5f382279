package task

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Source is where the output of a task is read from.
type Source interface {
	// Open returns the stream of frames from one with a number, or from one before
	// it. The stream goes on while the task writes, and ends when it breaks or
	// when the task has ended and everything was given.
	Open(ctx context.Context, from uint64) (io.ReadCloser, error)
	// Done is closed when the task has ended and can write no more.
	Done() <-chan struct{}
}

// ErrUnended reports that a task's output ended without its last record: the task crashed
// or was killed, and its unflushed output is lost.
var ErrUnended = errors.New("its output has no end: it crashed or was killed")

// ErrLost means that frames in the middle of a task's output cannot be had.
var ErrLost = errors.New("a part of its output cannot be read")

// Follower takes the frames of a task.
type Follower struct {
	Source Source
	// Next is the number of the next frame to take: 1 (also when 0), or where an
	// earlier follower stopped.
	Next uint64

	wait func(context.Context, time.Duration) // for tests without time
}

const (
	// A stream that broke is opened again after firstPause, and then after twice
	// that and so on up to longestPause.
	firstPause   = 50 * time.Millisecond
	longestPause = 2 * time.Second
	// patience is the number of consecutive failures of a stream without new frames, and
	// lastLooks the same for a task that has ended.
	patience  = 30
	lastLooks = 3
)

// Run takes frames until the task's end: each once, in order. The error is take's,
// a Failure when the task failed by its own account, or wraps ErrUnended or
// ErrLost. When ctx is cancelled, Next says where to go on.
func (f *Follower) Run(ctx context.Context, take func(Frame) error) error {
	f.Next = max(1, f.Next)
	if f.wait == nil {
		f.wait = wait
	}
	pause, failed, looks := firstPause, 0, 0
	for {
		over, before := isClosed(f.Source.Done()), f.Next
		ended, err := f.stream(ctx, take)
		if stop, ok := errors.AsType[takeError](err); ok {
			return stop.error
		}
		if ended {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f.Next > before {
			pause, failed, looks = firstPause, 0, 0
		}
		failed++
		if err == nil {
			failed = 0 // a stream may be idle
		}
		if over {
			looks++
		}
		if looks >= lastLooks || failed >= patience {
			return f.missing(over, err)
		}
		f.wait(ctx, pause)
		pause = min(2*pause, longestPause)
	}
}

// missing puts into words why the follower gives up.
func (f *Follower) missing(over bool, err error) error {
	switch {
	case over && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)):
		return fmt.Errorf("%w (after frame %d)", ErrUnended, f.Next-1)
	default:
		return fmt.Errorf("%w: frame %d: %w", ErrLost, f.Next, err)
	}
}

// takeError is what ends a follower at once: the taker's own error, or the
// task's.
type takeError struct{ error }

// stream takes the frames of one stream, dropping any that were taken before. ended reports
// whether it had the last frame.
func (f *Follower) stream(ctx context.Context, take func(Frame) error) (ended bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := f.Source.Open(ctx, f.Next)
	if err != nil {
		return false, err
	}
	defer r.Close()
	for frames := NewDecoder(r); ; {
		frame, err := frames.Next()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case frame.Number > f.Next:
			return false, fmt.Errorf("the stream goes on with frame %d", frame.Number)
		case frame.Number < f.Next:
			continue
		}
		if err := take(frame); err != nil {
			return false, takeError{err}
		}
		f.Next++
		if frame.Kind == EndFrame {
			return true, failure(frame)
		}
	}
}

// failure is the failure reported in the last frame.
func failure(end Frame) error {
	if len(end.Payload) == 0 {
		return nil
	}
	return Failure(end.Payload)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
