package instance

import (
	"context"
	"errors"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
)

// Prepare makes and fills what belongs to the instance, on volumes of its own or on
// an existing server. Its servers get no limits meanwhile: loading is preparation,
// not measurement.
func (i *Instance) Prepare(ctx context.Context) error {
	err := i.EachServer(func(s *Server) error {
		if err := s.provision(ctx); err != nil {
			return err
		}
		return s.lay(ctx)
	})
	if err != nil {
		return err
	}
	if err := i.App.Borrowed.Claiming(i.borrowed()); err != nil {
		return err
	}
	loadErr := i.prepareBy(ctx, i.unique()+"-load", job.Prepare{Borrowed: i.borrowed(), Run: i.App.Journal.RunID})
	patient, cancel := i.App.Clock.Patient(ctx)
	defer cancel()
	return errors.Join(loadErr, i.Stop(patient))
}

// borrowed lists its servers that are existing ones and keep data, for tasks.
func (i *Instance) borrowed() (all []job.EngineCheck) {
	for _, s := range i.Servers {
		all = append(all, s.by.borrowed(s)...)
	}
	return all
}

// giveBack drops what was made on an existing server, and nothing else.
func (i *Instance) giveBack(ctx context.Context) error {
	return i.App.Borrowed.Release(ctx, i.unique()+"-release", i.borrowed())
}

// prepareBy has a task load the data set.
func (i *Instance) prepareBy(ctx context.Context, name string, how job.Prepare) (err error) {
	if how.Work, err = i.App.work(i.Admin()); err != nil {
		return err
	}
	described, err := task.NewJob(job.PrepareKind, name, how)
	if err != nil {
		return err
	}
	progress := i.App.Watch.Share("load the data set")
	return platform.Do(ctx, i.App.Platform, platform.Task{Name: name, Job: described, Deployment: i.App.Variant.Deployment, Volumes: i.Volumes()}, func(p task.Progress) { progress(p.Share) }, nil)
}
