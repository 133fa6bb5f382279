package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// instance is one application with its own volume.
type instance struct {
	t      *trial
	number int
	name   string

	mu      sync.Mutex
	volume  *storage.Volume
	process platform.Process
	killed  []platform.Process // by faults of the study
	suspect bool               // its audit failed
}

// each does something for all instances, so many at once, telling how far it
// is. The first error cancels the rest.
func (t *trial) each(ctx context.Context, what string, atOnce int, do func(*instance, context.Context) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	var done atomic.Int64
	for _, i := range t.instances {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := do(i, ctx); err != nil {
				return fmt.Errorf("%s: %w", i.name, err)
			}
			t.say(Event{Kind: Stage, Text: what, Share: float64(done.Add(1)) / float64(len(t.instances))})
			return nil
		})
	}
	return g.Wait()
}

// downAtOnce is how many instances are taken down at the same time.
const downAtOnce = 16

// downAll takes every instance down; one that fails does not keep the others
// from it. The error has all failures.
func (t *trial) downAll(ctx context.Context) error {
	errs := make([]error, len(t.instances))
	var g errgroup.Group
	g.SetLimit(downAtOnce)
	for n, i := range t.instances {
		g.Go(func() error {
			if err := i.down(ctx); err != nil {
				errs[n] = fmt.Errorf("%s: %w", i.name, err)
			}
			return nil
		})
	}
	return errors.Join(g.Wait(), errors.Join(errs...))
}

func (i *instance) clone(ctx context.Context) error {
	v, err := i.t.class.Clone(ctx, i.t.golden.Key, i.unique())
	if err != nil {
		return fmt.Errorf("clone its volume: %w", err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.volume = &v
	return nil
}

// unique names the instance within the run, so that a volume or process of a
// trial is never taken for one of another.
func (i *instance) unique() string { return i.t.prefix() + i.name }

func (i *instance) server() app.Server {
	engine := i.t.c.parts.Engines[i.t.variant.Engine.Name]
	return engine.Server(i.t.golden.Installation, i.config())
}

func (i *instance) config() app.Config { return i.t.golden.config(i.t.variant, i.unique()) }

func (i *instance) start(ctx context.Context) error { return i.run(ctx, i.server()) }

func (i *instance) run(ctx context.Context, s app.Server) error {
	p, err := i.t.c.platform.Start(ctx, s, *i.volume)
	if err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.process = p
	return nil
}

// stop ends the server cleanly.
func (i *instance) stop(ctx context.Context) error { return i.current().Stop(ctx) }

// restart kills the server and starts it again on the same volume.
func (i *instance) restart(ctx context.Context) error {
	i.doom()
	if err := i.kill(ctx); err != nil {
		return err
	}
	return i.startAgain(ctx)
}

// doom says in advance that a fault of the study is about to end the server.
func (i *instance) doom() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.killed = append(i.killed, i.process)
}

func (i *instance) kill(context.Context) error { return i.current().Kill() }

// startAgain starts the server on the volume of the one that was killed.
func (i *instance) startAgain(ctx context.Context) error {
	old := i.current()
	if err := i.start(ctx); err != nil {
		return fmt.Errorf("start it again: %w", err)
	}
	if now, before := i.current().Endpoint(), old.Endpoint(); now.Address != before.Address {
		return fmt.Errorf("it came back at %s, but its users expect it at %s", now.Address, before.Address)
	}
	go i.reportEnd(i.current(), ctx.Done())
	return nil
}

// wasKilled says that a fault of the study ended the server.
func (i *instance) wasKilled(p platform.Process) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Contains(i.killed, p)
}

// current is the server that runs now.
func (i *instance) current() platform.Process {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.process
}

// target is how users reach the instance.
func (i *instance) target() workload.Target {
	return workload.Target{Instance: i.number, Endpoints: []workload.Endpoint{i.endpoint()}}
}

func (i *instance) endpoint() workload.Endpoint {
	e := i.current().Endpoint()
	e.Role = i.t.role
	return e
}

// down stops the instance, keeps its log when it matters, and deletes its
// volume.
func (i *instance) down(ctx context.Context) error {
	var errs []error
	if i.process != nil {
		errs = append(errs, i.process.Stop(ctx), i.keepLog(ctx))
	}
	if i.volume != nil && i.t.powerCuts == 0 { // else it goes with the storage class
		errs = append(errs, i.t.class.Delete(ctx, *i.volume))
	}
	return errors.Join(errs...)
}

func (i *instance) keepLog(ctx context.Context) error {
	return keepLog(ctx, i.process.Log, filepath.Join(i.t.files.Logs(), i.name+".log"))
}
