package job

import (
	"context"
	"fmt"

	"plimsoll/internal/task"
)

// prepare loads the data set of a Work.
func (r Registries) prepare(ctx context.Context, c task.Call) error {
	var work Work
	if err := task.Decode(c.Spec, &work); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	w, params, err := r.resolve(work)
	if err != nil {
		return err
	}
	return w.Prepare(ctx, work.Target, params, work.Seed, c.Out.Progress)
}
