package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/job"
	"plimsoll/internal/platform"
	"plimsoll/internal/study"
	"plimsoll/internal/task"
	"plimsoll/internal/workload"
)

// do runs a task to its end and decodes its result, if it is to have one; that
// of a task which failed as far as there is any. progress may be nil.
func (c *Campaign) do(ctx context.Context, t platform.Task, progress func(share float64), to any) error {
	r, err := c.platform.Task(ctx, t)
	if err != nil {
		return err
	}
	follower := task.Follower{Source: r}
	err = follower.Run(ctx, func(f task.Frame) (err error) {
		switch {
		case f.Kind == task.ProgressFrame && progress != nil:
			share, _ := f.Share() // what is no share is no progress
			progress(share)
		case f.Kind == task.ResultFrame && to != nil:
			err = json.Unmarshal(f.Payload, to)
		}
		return err
	})
	if err == nil || errors.As(err, new(task.Failure)) {
		<-r.Done()
	} else {
		err = errors.Join(err, r.Kill())
	}
	patient, cancel := c.patient(ctx)
	defer cancel()
	return errors.Join(whyEnded(err, r), r.Remove(patient))
}

// whyEnded adds what the platform knows of a task that did not end well.
func whyEnded(err error, r platform.Running) error {
	switch known := r.Err(); {
	case err == nil || known == nil:
		return err
	case errors.Is(known, platform.ErrInput):
		return known
	case errors.As(err, new(task.Failure)) || errors.Is(err, context.Canceled):
		return err // its own words are better
	default:
		return fmt.Errorf("%w; %w", err, known)
	}
}

// work is what tasks are told of a variant's workload.
func (c *Campaign) work(v study.Variant, t workload.Target) (job.Work, error) {
	params, err := json.Marshal(v.Workload.Parameters)
	if err != nil {
		return job.Work{}, fmt.Errorf("write down the parameters of the workload: %w", err)
	}
	return job.Work{Workload: v.Workload.Name, Parameters: params, Seed: c.o.Plan.Study.Seed, Target: t}, nil
}

// prepare has a task load the data set.
func (c *Campaign) prepare(ctx context.Context, name string, v study.Variant, how job.Prepare, admin workload.Target) (err error) {
	if how.Work, err = c.work(v, admin); err != nil {
		return err
	}
	described, err := task.NewJob(job.PrepareKind, name, how)
	if err != nil {
		return err
	}
	return c.do(ctx, platform.Task{Name: name, Job: described}, c.progress("load the data set"), nil)
}

// audit has a task near the instance ask its engine and its workload.
func (i *instance) ask(ctx context.Context) (found describe.Audit, err error) {
	work, err := i.t.c.work(i.t.variant, i.target())
	if err != nil {
		return found, err
	}
	about := job.Audit{Work: work}
	for _, s := range i.servers {
		if s.started() {
			about.Engines = append(about.Engines, job.EngineCheck{Engine: s.spec.Name, Endpoint: s.admin()})
		}
	}
	name := i.unique() + "-audit"
	described, err := task.NewJob(job.AuditKind, name, about)
	if err != nil {
		return found, err
	}
	described.Input = true
	input := task.ReceiptsInput(i.number, i.t.receipts.open(i.number))
	err = i.t.c.do(ctx, platform.Task{Name: name, Job: described, Input: input}, nil, &found)
	return found, err
}
