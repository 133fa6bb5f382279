package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"plimsoll/internal/job"
	"plimsoll/internal/platform"
	"plimsoll/internal/study"
	"plimsoll/internal/task"
)

// prepareAtOnce is how many instances are prepared in place at once.
const prepareAtOnce = 2

// prepareInPlace has every instance prepared by itself, on volumes of its own or
// on somebody's server.
func (t *trial) prepareInPlace(ctx context.Context) error {
	return t.each(ctx, "prepare instances", prepareAtOnce, (*instance).prepare)
}

// prepare makes and fills what belongs to the instance. Its servers get no
// limits meanwhile: loading is preparation, not measurement.
func (i *instance) prepare(ctx context.Context) error {
	err := i.eachServer(func(s *server) error {
		if !s.onVolume() {
			return nil
		}
		return s.provision(ctx)
	})
	if err == nil {
		err = i.startUnlimited(ctx)
	}
	if err != nil {
		return err
	}
	loadErr := i.prepareBy(ctx, i.unique()+"-load", job.Prepare{Borrowed: i.borrowed(), Run: i.t.c.o.RunID})
	patient, cancel := i.t.c.patient(ctx)
	defer cancel()
	return errors.Join(loadErr, i.stop(patient))
}

// borrowed lists its servers that are somebody's, for tasks.
func (i *instance) borrowed() (all []job.EngineCheck) {
	for _, s := range i.servers {
		if s.existing() {
			all = append(all, job.EngineCheck{Engine: s.spec.Name, Endpoint: s.endpoint(), TakeOver: s.spec.Existing.TakeOver})
		}
	}
	return all
}

// giveBack drops what was made on somebody's server, and nothing else.
func (i *instance) giveBack(ctx context.Context) error {
	borrowed := i.borrowed()
	if len(borrowed) == 0 {
		return nil
	}
	name := i.unique() + "-release"
	described, err := task.NewJob(job.ReleaseKind, name, job.Release{Engines: borrowed, Run: i.t.c.o.RunID})
	if err != nil {
		return err
	}
	return platform.Do(ctx, i.t.c.platform, platform.Task{Name: name, Job: described}, nil, nil)
}

// secretOf reads the password of an existing server from where the study says.
func secretOf(x study.Existing) (string, error) {
	if x.PasswordEnv != "" {
		if p, ok := os.LookupEnv(x.PasswordEnv); ok {
			return p, nil
		}
		return "", fmt.Errorf("the password of %s: the variable %s is not set", x.User, x.PasswordEnv)
	}
	info, err := os.Stat(x.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("the password of %s: %w", x.User, err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return "", fmt.Errorf("the password of %s: others can read %s (mode %o); chmod 600 %s", x.User, x.PasswordFile, mode, x.PasswordFile)
	}
	text, err := os.ReadFile(x.PasswordFile)
	return strings.TrimRight(string(text), "\r\n"), err
}
