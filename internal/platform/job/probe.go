package job

import (
	"context"
	"fmt"

	"plimsoll/internal/host/task"
	"plimsoll/internal/storage/probe"
)

// Probe asks what the storage below a path really does. Its result is a
// probe.Report.
type Probe struct {
	Path    string        `json:"path"` // where the task finds the volume
	Options probe.Options `json:"options"`
}

func doProbe(ctx context.Context, c task.Call) error {
	var job Probe
	if err := task.Decode(c.Spec, &job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	report, err := probe.Probe(ctx, job.Path, job.Options, c.Out.Step)
	if err != nil {
		return err
	}
	return c.Out.Result(report)
}
