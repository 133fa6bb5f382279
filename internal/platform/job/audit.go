package job

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/task"
)

// Audit has engines check their files and has the workload compare an instance's contents
// with its receipts, which are the task's input. Its result is a describe.Audit; with an
// error, it holds the findings up to that point.
type Audit struct {
	Work
	Engines []EngineCheck `json:"engines"`
}

// EngineCheck is a server whose engine may have a check of its own.
type EngineCheck struct {
	Engine   string            `json:"engine"`
	Endpoint endpoint.Endpoint `json:"endpoint"` // the administrator's
	// TakeOver reports whether another run's remains on an existing server may be dropped.
	TakeOver bool `json:"take_over,omitempty"`
}

func (r Registries) audit(ctx context.Context, c task.Call) error {
	var job Audit
	if err := task.Decode(c.Spec, &job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	w, params, err := r.resolve(job.Work)
	if err != nil {
		return err
	}
	checks, checkErr := r.checkEngines(ctx, job.Engines)
	var found describe.Audit
	if audit := w.Capabilities().Audit; audit != nil {
		found, err = audit(ctx, job.Target, params, job.Seed, c.Input.Receipts)
		found.Cut(err)
	}
	found.Checks = append(found.Checks, checks...)
	return errors.Join(checkErr, err, c.Out.Result(found))
}

// checkEngines asks the engines that can check their files.
func (r Registries) checkEngines(ctx context.Context, all []EngineCheck) (found []describe.Check, err error) {
	for _, e := range all {
		check := app.CapabilitiesOf(r.Engines[e.Engine]).Check
		if check == nil {
			continue
		}
		checks, checkErr := check(ctx, e.Endpoint)
		found, err = append(found, checks...), errors.Join(err, checkErr)
	}
	return found, err
}
