package driver

import (
	"context"
	"fmt"

	"plimsoll/internal/host/task"
	"plimsoll/internal/host/thread"
	"plimsoll/internal/workload"
)

// TaskKind is the kind of a driver's task.
const TaskKind = "drive"

// Sink takes what a driver records; a task.Writer is one. It is used by several
// goroutines.
type Sink interface {
	// Record takes one result.Record, as JSON.
	Record(line []byte) error
	// Receipts takes packed receipts of an instance (see task.AppendReceipt).
	Receipts(instance int, packed []byte) error
	// Flush makes what was taken outlive this process.
	Flush() error
}

// Handler does the jobs of drivers with the registered workloads. It makes the
// process it is called in cheap for the job.
func Handler(reg workload.Registry) task.Handler {
	return func(ctx context.Context, c task.Call) error { return handle(ctx, c, reg, tuned) }
}

// Simulated is a Handler for tests with simulated time: it leaves the process's settings
// alone.
func Simulated(reg workload.Registry) task.Handler {
	return func(ctx context.Context, c task.Call) error {
		return handle(ctx, c, reg, func(*Job, workload.Workload) thread.Settings { return thread.Settings{} })
	}
}

func handle(ctx context.Context, c task.Call, reg workload.Registry, prepare func(*Job, workload.Workload) thread.Settings) error {
	var job Job
	if err := task.Decode(c.Spec, &job); err != nil {
		return fmt.Errorf("read the driver's job: %w", err)
	}
	w, err := reg.Get(job.Workload)
	if err != nil {
		return err
	}
	used := prepare(&job, w)
	if !job.Start.IsZero() {
		job.Start = job.Start.Add(c.Offset)
	}
	return drive(ctx, job, w, c.Out, used)
}
