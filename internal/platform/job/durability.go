package job

import (
	"context"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/host/task"
)

// Durability reads from servers, as the users of the study, the settings on which
// durability depends. Its result is a map of them for each server.
type Durability struct {
	Engines []EngineCheck `json:"engines"`
}

func (r Registries) durability(ctx context.Context, c task.Call) error {
	var job Durability
	if err := task.Decode(c.Spec, &job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	all := make([]map[string]string, len(job.Engines))
	for i, e := range job.Engines {
		reader := app.CapabilitiesOf(r.Engines[e.Engine]).Durability
		if reader == nil {
			continue
		}
		var err error
		if all[i], err = reader.ReadDurability(ctx, e.Endpoint); err != nil {
			return fmt.Errorf("read the settings of durability from %s: %w", e.Endpoint.Address, err)
		}
	}
	return c.Out.Result(all)
}
