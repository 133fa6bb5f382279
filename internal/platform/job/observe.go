package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/result"
)

// Observe samples the machine that the task runs on until it is stopped. Its records
// are lists of result.Series, the pieces in the order of their times, without the name
// of the machine; its result is a list of notes.
type Observe struct {
	Interval time.Duration `json:"interval,omitempty"` // 0 is a second
	Start    time.Time     `json:"start"`              // that times count from
	// Network reports whether the task shares the machine's network; otherwise it sees the
	// interfaces of a container.
	Network bool `json:"network,omitempty"`
}

func doObserve(ctx context.Context, c task.Call) error {
	var job Observe
	if err := task.Decode(c.Spec, &job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	var failed error // of the sampler's goroutine until it has ended
	sampler := telemetry.Start(context.WithoutCancel(ctx), telemetry.Config{
		Interval: job.Interval, Start: job.Start.Add(c.Offset),
		Take: func(some []result.Series) { failed = errors.Join(failed, send(c.Out, job, some)) },
	})
	<-ctx.Done()
	notes := sampler.Notes()
	return errors.Join(failed, c.Out.Result(notes))
}

// send writes what tells of the machine, and not of the container that the task is in.
func send(to *task.Writer, job Observe, some []result.Series) error {
	some = slices.DeleteFunc(some, func(s result.Series) bool { return s.Kind == describe.NetworkKind && !job.Network })
	line, err := json.Marshal(some)
	if err != nil {
		return fmt.Errorf("write down samples: %w", err)
	}
	return to.Record(line)
}
