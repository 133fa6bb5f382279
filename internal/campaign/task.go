package campaign

import (
	"context"
	"encoding/json"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// work describes a variant's workload to tasks.
func (c *Campaign) work(v study.Variant, t workload.Target) (job.Work, error) {
	params, err := json.Marshal(v.Workload.Parameters)
	if err != nil {
		return job.Work{}, fmt.Errorf("write down the parameters of the workload: %w", err)
	}
	return job.Work{Workload: v.Workload.Name, Parameters: params, Seed: c.o.Plan.Study.Seed, Target: t}, nil
}

// prepareBy has a task load the data set.
func (i *instance) prepareBy(ctx context.Context, name string, how job.Prepare) (err error) {
	c := i.t.c
	if how.Work, err = c.work(i.member.variant, i.admin()); err != nil {
		return err
	}
	described, err := task.NewJob(job.PrepareKind, name, how)
	if err != nil {
		return err
	}
	progress := c.progress("load the data set")
	return platform.Do(ctx, c.platform, platform.Task{Name: name, Job: described, Deployment: i.member.variant.Deployment, Volumes: i.volumes()}, func(p task.Progress) { progress(p.Share) }, nil)
}

// ask has a task near the instance ask its engine and its workload.
func (i *instance) ask(ctx context.Context) (found describe.Audit, err error) {
	work, err := i.t.c.work(i.member.variant, i.kept())
	if err != nil {
		return found, err
	}
	about := job.Audit{Work: work}
	for _, s := range i.servers {
		if s.need.Audit {
			about.Engines = append(about.Engines, s.by.checked(s)...)
		}
	}
	name := i.unique() + "-audit"
	described, err := task.NewJob(job.AuditKind, name, about)
	if err != nil {
		return found, err
	}
	described.Input = true
	input := task.ReceiptsInput(i.number, i.member.receipts.open(i.number))
	err = platform.Do(ctx, i.t.c.platform, platform.Task{Name: name, Job: described, Input: input, Deployment: i.member.variant.Deployment, Volumes: i.volumes()}, nil, &found)
	return found, err
}
