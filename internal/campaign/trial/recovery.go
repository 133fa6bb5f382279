package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/platform"
)

// recovery restarts instances after a fault of the platform has ended some of their servers,
// while the users are at work.
type recovery struct {
	busy   sync.WaitGroup
	ctx    context.Context // of those that were begun; nil before the first
	cancel context.CancelFunc

	mu   sync.Mutex
	errs []error
}

// outage is what a fault of the platform did, until all servers that it ended answer again.
type outage struct {
	do    string
	mark  int // the fault's event
	began time.Time
	away  atomic.Int32 // parts of instances that do not answer
}

// platformEvent does an event of the platform. The servers that it ends come back as
// soon as the platform has a place for them: at once, unless the fault lasts.
func (t *trial) platformEvent(ctx context.Context, e event.Event, mark int) error {
	p := t.Platform.Capabilities().Actor
	if p == nil {
		return fmt.Errorf("platform %s does not support faults", t.Parts.Platform.Name())
	}
	var victims []platform.Server
	if !e.Verb.Repairs() {
		var err error
		if victims, err = p.Victims(ctx, e, t.running()); err != nil {
			return err
		}
	}
	hit := t.partsWith(victims)
	for _, i := range hit {
		i.ExpectEnd()
	}
	t.disturbed = true
	o := &outage{do: e.Text, mark: mark, began: time.Now()}
	if err := p.Do(ctx, e, victims); err != nil {
		return err
	}
	o.away.Store(int32(len(hit)))
	for _, i := range hit {
		t.bringBack(ctx, p, i, o)
	}
	if lasts, err := lasting(ctx, p); lasts || err != nil {
		return err
	}
	return t.recovery.wait(ctx)
}

// lasting reports whether a fault of the platform is still in effect.
func lasting(ctx context.Context, p platform.Actor) (bool, error) {
	healthy, err := p.Healthy(ctx)
	return !healthy, err
}

// running are the servers that run now.
func (t *trial) running() (all []platform.Server) {
	for _, i := range t.working() {
		for _, s := range i.Servers {
			if s.Runs() {
				all = append(all, platform.Server{Member: i.App.Variant.Member, Instance: i.Number, Role: s.Role.Name, Process: s.Current()})
			}
		}
	}
	return all
}

// partsWith are the instances with these servers, and of each instance only these.
func (t *trial) partsWith(some []platform.Server) (parts []*instance.Instance) {
	for _, i := range t.instances {
		part := i.With(func(s *instance.Server) bool {
			return slices.ContainsFunc(some, func(v platform.Server) bool { return v.Process == s.Current() })
		})
		if len(part.Servers) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// bringBack starts the servers of a part of an instance again in the background, and
// tries for as long as the fault lasts. The load ends when they cannot be started.
func (t *trial) bringBack(ctx context.Context, p platform.Actor, part *instance.Instance, o *outage) {
	ctx = t.recovery.begin(ctx)
	t.recovery.busy.Go(func() {
		err := t.startDuring(ctx, part, p)
		switch {
		case ctx.Err() != nil:
		case err == nil:
			t.event(fmt.Sprintf("%s answers again %.1f s after %q", part.Title(), time.Since(o.began).Seconds(), o.do))
			if o.away.Add(-1) == 0 {
				t.over(o.mark)
			}
		default:
			err = fmt.Errorf("%s after %q: %w", part.Name, o.do, err)
			t.recovery.fail(err)
			t.ended <- ending{err: timedError{time.Now(), err}}
		}
	})
}

// startDuring starts the servers of an instance again, and tries again after a failure while a fault lasts.
func (t *trial) startDuring(ctx context.Context, i *instance.Instance, p platform.Actor) error {
	for {
		lasts, err := lasting(ctx, p) // before the start: what fails after it fails for good
		if err != nil {
			return err
		}
		if err = t.startAgain(i, ctx); err == nil || !lasts {
			return err
		}
		if sleepUntil(ctx, time.Now().Add(returnInterval)) != nil {
			return err
		}
	}
}

// returnInterval is the time between two tries to start servers again.
const returnInterval = time.Second

// begin gives the context of those that are started again, which ends with halt.
func (r *recovery) begin(ctx context.Context) context.Context {
	if r.ctx == nil || r.ctx.Err() != nil {
		r.ctx, r.cancel = context.WithCancel(ctx)
	}
	return r.ctx
}

func (r *recovery) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}

// wait waits until all are back, or cannot come back.
func (r *recovery) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		r.busy.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failures joins the errors of servers that could not be restarted.
func (r *recovery) failures() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.errs...)
}

// halt gives up those that are not back.
func (r *recovery) halt() {
	if r.cancel != nil {
		r.cancel()
	}
	r.busy.Wait()
}

// healPlatform undoes what faults of the platform left, and waits for the servers that
// had no place.
func (t *trial) healPlatform(ctx context.Context) error {
	if !t.disturbed {
		return nil
	}
	t.begin("undo the faults of the platform")
	done, err := t.Platform.Capabilities().Actor.Repair(ctx) // disturbed says so
	for _, what := range done {
		t.event("after the load: " + what)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healLimit)
	defer cancel()
	if err := t.recovery.wait(ctx); err != nil {
		return fmt.Errorf("wait for the servers that faults ended: %w", err)
	}
	if err := t.recovery.failures(); err != nil {
		return err
	}
	t.disturbed = false
	return nil
}

// repairPlatform undoes what faults of the platform left after a trial that failed
// before it could heal.
func (t *trial) repairPlatform(ctx context.Context) error {
	t.recovery.halt()
	if !t.disturbed {
		return nil
	}
	_, err := t.Platform.Capabilities().Actor.Repair(ctx)
	return err
}
