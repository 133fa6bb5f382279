package instance

import (
	"context"
	"fmt"
	"io"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/storage"
)

// Audit starts the instance without limits, and has a task near it ask the
// engine about its files and the workload about its contents, by the receipts of its users. With
// copies, those that the storage keeps are compared too.
func (i *Instance) Audit(ctx context.Context, receipts func() (io.ReadCloser, error), copies bool) (r describe.Audit, err error) {
	var compared []describe.Check
	if copies {
		if compared, err = i.compareCopies(ctx); err != nil {
			return r, err
		}
	}
	if err := i.startUnlimited(ctx); err != nil {
		return r, fmt.Errorf("start it again: %w", err)
	}
	r, err = i.ask(ctx, receipts)
	r.Checks = append(r.Checks, compared...)
	return r, err
}

// mostExamples bounds what a check says of its offenders.
const mostExamples = 10

// compareCopies compares the copies that the storage keeps of the instance's
// volumes, after faults: a database reads only one of them.
func (i *Instance) compareCopies(ctx context.Context) ([]describe.Check, error) {
	var all storage.Copies
	err := i.EachVolume(func(_ *Server, h *Volume) error {
		check := h.Storage.Capabilities().CheckCopies
		if check == nil {
			return nil
		}
		copies, err := check(ctx, *h.Made)
		all.Files += copies.Files
		all.Different = append(all.Different, copies.Different...)
		return err
	})
	if err != nil || all.Files == 0 {
		return nil, err
	}
	return []describe.Check{{
		Name: "all copies of each file on the storage are identical", Passed: len(all.Different) == 0,
		Expected: int64(all.Files), Found: int64(all.Files - len(all.Different)),
		Examples: all.Different[:min(mostExamples, len(all.Different))],
	}}, nil
}

// ask has a task near the instance ask its engine and its workload.
func (i *Instance) ask(ctx context.Context, receipts func() (io.ReadCloser, error)) (found describe.Audit, err error) {
	work, err := i.App.work(i.Kept())
	if err != nil {
		return found, err
	}
	about := job.Audit{Work: work}
	for _, s := range i.Servers {
		if s.Need.Audit {
			about.Engines = append(about.Engines, s.by.checked(s)...)
		}
	}
	name := i.unique() + "-audit"
	described, err := task.NewJob(job.AuditKind, name, about)
	if err != nil {
		return found, err
	}
	described.Input = true
	input := task.ReceiptsInput(i.Number, receipts)
	err = platform.Do(ctx, i.App.Platform, platform.Task{Name: name, Job: described, Input: input, Deployment: i.App.Variant.Deployment, Volumes: i.Volumes()}, nil, &found)
	return found, err
}
