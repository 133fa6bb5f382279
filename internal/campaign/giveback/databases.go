package giveback

import (
	"context"
	"fmt"
	"sync/atomic"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/study/plan"
)

// Databases are those on existing servers that a run uses.
type Databases struct {
	Platform platform.Platform
	Journal  *journal.Journal
	// Pending is true if some may not have been given back: by an earlier process of the run, or
	// because that failed.
	Pending atomic.Bool
}

// Claiming writes into the journal that some are about to be claimed.
func (d *Databases) Claiming(some []job.EngineCheck) error {
	for _, e := range some {
		if err := d.Journal.Making(databaseObject(e)); err != nil {
			return err
		}
	}
	return nil
}

// Release has a task drop what this run made in some of them. It is tried again by ReleaseRest
// where that fails.
func (d *Databases) Release(ctx context.Context, name string, some []job.EngineCheck) error {
	err := d.release(ctx, name, some)
	if err != nil {
		d.Pending.Store(true)
	}
	return err
}

func (d *Databases) release(ctx context.Context, name string, some []job.EngineCheck) error {
	if len(some) == 0 {
		return nil
	}
	described, err := task.NewJob(job.ReleaseKind, name, job.Release{Engines: some, Run: d.Journal.RunID})
	if err != nil {
		return err
	}
	if err := platform.Do(ctx, d.Platform, platform.Task{Name: name, Job: described}, nil, nil); err != nil {
		return err
	}
	for _, e := range some {
		if err := d.Journal.Removed(databaseObject(e)); err != nil {
			return err
		}
	}
	return nil
}

// ReleaseRest gives back everything that is still borrowed, either because a process of this run
// crashed or because an earlier attempt to give it back failed.
func (d *Databases) ReleaseRest(ctx context.Context, parts facts.Parts, of *plan.Plan) error {
	if !d.Pending.Load() {
		return nil
	}
	var all []job.EngineCheck
	for _, v := range of.Applications() {
		borrowed, err := parts.BorrowedBy(v)
		if err != nil {
			return fmt.Errorf("give back the databases of existing servers: %w", err)
		}
		all = append(all, borrowed...)
	}
	return d.release(ctx, "release", all)
}
