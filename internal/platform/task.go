package platform

import (
	"context"
	"errors"
	"io"
	"time"

	"plimsoll/internal/host/task"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// Task is work near an instance: this program again, in a place from which the
// instance is reached as its users reach it.
type Task struct {
	Name string // unique among what runs, and part of file names
	Job  task.Job
	// Input gives the frames that follow the job; nil when Job.Input is false.
	// The platform may ask again when it has to begin anew.
	Input func() (io.ReadCloser, error)
	// Deployment is the deployment of the instances that the task reaches. A task near
	// instances of one deployment is not near instances of another.
	Deployment study.Deployment
	// Volumes are those whose paths the job names; the task finds them there.
	Volumes []storage.Volume
}

// Running is a started task. A task.Follower reads its output (Running is a task.Source);
// none of it is read by path.
type Running interface {
	task.Source
	Name() string
	// Err says, once Done is closed, why the task ended, with the tail of its log:
	// nil when it ended by itself without an error, or by Stop. A task that had
	// time to say why it failed says it better in its last frame. It wraps ErrInput
	// when that was the cause.
	Err() error
	// Log reads the task's log. It can be read until Close of the platform.
	Log(ctx context.Context) (io.ReadCloser, error)
	// Stop asks it to end in order, so that all it has goes to its output, and
	// kills it when it does not in time, which is an error.
	Stop(ctx context.Context) error
	// Kill ends it at once and waits for its end.
	Kill() error
	// Remove removes the output of a task that has ended, which can then not be
	// read any more. Close of the platform does it for those that are left.
	Remove(ctx context.Context) error
}

// Clocked is a Running on a machine whose clock is compared with the campaign's again and
// again: they drift apart, or are set. It is found by an assertion, and not among the
// capabilities: it is a running task that has another clock, and not a platform.
type Clocked interface {
	// Ahead is by how much that clock is ahead now.
	Ahead() time.Duration
}

// ErrKilled reports that a task ended because Kill was called.
var ErrKilled = errors.New("was killed by this run")

// ErrTakenAway reports that the pod or group that a task ran in was removed: its own last
// output is not the cause of its end.
var ErrTakenAway = errors.New("what it ran in was taken away")

// ErrInput reports that a task did not get all of its input.
var ErrInput = errors.New("its input could not be handed over")
