package job

import (
	"context"
	"fmt"

	"plimsoll/internal/host/task"
)

// Find asks an engine which of its programs are there where the task runs, such as in
// an image. Its result is an app.Installation.
type Find struct {
	Engine  string `json:"engine"`
	Version string `json:"version,omitempty"` // as for app.Engine; any when empty
}

func (r Registries) find(ctx context.Context, c task.Call) error {
	var job Find
	if err := task.Decode(c.Spec, &job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	engine, ok := r.Engines[job.Engine]
	if !ok {
		return fmt.Errorf("there is no engine %q", job.Engine)
	}
	found, err := engine.Find(ctx, job.Version, false)
	if err != nil {
		return err
	}
	return c.Out.Result(found)
}
