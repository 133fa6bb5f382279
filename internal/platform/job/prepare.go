package job

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/host/task"
)

// Prepare loads the data set of a Work, whose target is the administrator's.
type Prepare struct {
	Work
	// Borrowed are the servers among the endpoints that are existing ones; Run is who
	// uses them.
	Borrowed []EngineCheck `json:"borrowed,omitempty"`
	Run      string        `json:"run,omitempty"`
}

// Release drops what Prepare made on existing servers for a run.
type Release struct {
	Engines []EngineCheck `json:"engines"`
	Run     string        `json:"run"`
}

func (r Registries) prepare(ctx context.Context, c task.Call) error {
	var job Prepare
	if err := task.Decode(c.Spec, &job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	w, params, err := r.resolve(job.Work)
	if err != nil {
		return err
	}
	err = r.eachBorrowed(job.Borrowed, func(b app.Borrower, e EngineCheck) error { return b.Claim(ctx, e.Endpoint, job.Run, e.TakeOver) })
	if err != nil {
		return err
	}
	loadErr := w.Prepare(ctx, job.Target, params, job.Seed, c.Out.Progress)
	// Objects made before an error are ours, too.
	ctx = context.WithoutCancel(ctx)
	noteErr := r.eachBorrowed(job.Borrowed, func(b app.Borrower, e EngineCheck) error { return b.Note(ctx, e.Endpoint) })
	return errors.Join(loadErr, noteErr)
}

func (r Registries) release(ctx context.Context, c task.Call) error {
	var job Release
	if err := task.Decode(c.Spec, &job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	var failed []error // one that cannot be reached does not keep the others from it
	err := r.eachBorrowed(job.Engines, func(b app.Borrower, e EngineCheck) error {
		if err := b.Release(ctx, e.Endpoint, job.Run); !errors.Is(err, app.ErrClaimed) { // a server that another run has claimed by now needs no release
			failed = append(failed, err)
		}
		return nil
	})
	return errors.Join(err, errors.Join(failed...))
}

func (r Registries) eachBorrowed(all []EngineCheck, do func(app.Borrower, EngineCheck) error) error {
	for _, e := range all {
		b := app.CapabilitiesOf(r.Engines[e.Engine]).Borrower
		if b == nil {
			return fmt.Errorf("engine %s cannot use an existing server", e.Engine)
		}
		if err := do(b, e); err != nil {
			return err
		}
	}
	return nil
}
