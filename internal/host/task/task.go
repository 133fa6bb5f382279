// Package task is the stream between a campaign and work that is done near an instance:
// drive, prepare, audit, probe. A task is this program again, somewhere else: a child
// process, or a pod on another machine. Its standard input is a Job (one line of JSON) and,
// for an audit, receipts. Its standard output is numbered frames, which its parent saves as
// a spool.
//
// A Follower reads a remote spool, frame by frame. The connection may break at any byte,
// repeat earlier data or begin in the middle: each frame is taken once, in order, or the
// follower reports the missing ones. Nothing here holds more than one frame in memory.
package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Job is a task's work. Its text holds passwords: it goes through a pipe and is never in a
// file or on a command line.
type Job struct {
	Kind string          `json:"kind"` // names the Handler: drive, prepare, audit, probe
	Name string          `json:"name"` // of the task, for its first frame
	Spec json.RawMessage `json:"spec"` // for the handler to decode
	// Input reports whether frames follow the job on the same stream, up to an end.
	Input bool `json:"input,omitempty"`
	// Offset is how far the clock of the task's machine is ahead of the
	// platform's, in which all moments of a job are given. The platform fills it
	// in: 0 on the same machine.
	Offset time.Duration `json:"offset,omitempty"`
}

// NewJob encodes a handler's spec into a job.
func NewJob(kind, name string, spec any) (Job, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return Job{}, fmt.Errorf("write down the job of %s: %w", name, err)
	}
	return Job{Kind: kind, Name: name, Spec: text}, nil
}

// Decode reads a JSON value strictly: a field that is not known is a mistake, as
// is anything that follows the value.
func Decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// Hello is the first frame of every task.
type Hello struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Host string `json:"host"` // where it runs, as the machine calls itself
	// Clock is that machine's time when the frame was written, and Offset how far
	// it is ahead of the platform's: a moment M of the task is M-Offset to the
	// campaign.
	Clock  time.Time     `json:"clock"`
	Offset time.Duration `json:"offset,omitempty"`
}

// Progress is how far a task has come.
type Progress struct {
	Share float64 `json:"share"`          // done, 0..1
	Step  string  `json:"step,omitempty"` // the current step, where there are steps
}

// Failure is the error that a task itself gave as the reason of its end.
type Failure string

func (f Failure) Error() string { return string(f) }
