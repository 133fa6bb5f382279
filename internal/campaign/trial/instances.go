package trial

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
)

// each does something for all instances that work, at first so many at once, telling how far it
// is. The first error cancels the rest.
func (t *trial) each(ctx context.Context, what string, atOnce int, do func(*instance.Instance, context.Context) error) error {
	return t.eachOf(ctx, t.working(), what, atOnce, do)
}

// eachOf does so for some of them.
func (t *trial) eachOf(ctx context.Context, some []*instance.Instance, what string, atOnce int, do func(*instance.Instance, context.Context) error) error {
	progress := t.newBatch(what, len(some))
	return t.Steps.Each(ctx, what, atOnce, len(some), func(ctx context.Context, n int) error {
		i := some[n]
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := do(i, ctx); errors.As(err, new(tooManyError)) {
			return err // of several
		} else if err != nil {
			return t.memberOf(i).blame(fmt.Errorf("%s: %w", i.Name, err))
		}
		progress.did()
		return nil
	})
}

// telling reports whether it is worth showing that so many of all are done: a hundred times
// is often enough, as each time all instances are looked at.
func telling(done, of int) bool {
	const most = 100
	return done == of || done%max(1, of/most) == 0
}

// downAtOnce is how many instances are taken down at the same time, at first.
const downAtOnce = 16

// downAll takes every instance down, even if some of them fail. The error joins all failures,
// except for instances that were set aside: their machines may be gone, so their failures are
// only noted.
func (t *trial) downAll(ctx context.Context) error {
	errs := make([]error, len(t.instances))
	progress := t.newBatch("tear down", len(errs))
	_ = t.Steps.Each(context.WithoutCancel(ctx), "tear down", downAtOnce, len(t.instances), func(_ context.Context, n int) error {
		i := t.instances[n]
		if err := i.Down(ctx, t.files.Logs(), t.powerCuts > 0); err != nil {
			errs[n] = fmt.Errorf("%s: %w", i.Name, err)
		}
		progress.did()
		return nil
	}) // errs has the errors
	for n, i := range t.instances {
		if errs[n] != nil && t.isGone(i) {
			t.note(fmt.Sprintf("what is left of an instance that was set aside could not be taken down, as plimsoll clean may: %v", errs[n]))
			errs[n] = nil
		}
	}
	return errors.Join(errs...)
}

// devices returns the devices behind all storages.
func (t *trial) devices() (all []describe.Device) {
	for _, s := range t.storages {
		all = append(all, s.Devices()...)
	}
	return all
}

// nodes are the servers of all storages.
func (t *trial) nodes() (all []storage.Node) {
	for _, s := range t.storages {
		all = append(all, s.Nodes()...)
	}
	return all
}

// meters are the daemons of all storages that count what they do.
func (t *trial) meters() (all []storage.Meter) {
	for _, s := range t.storages {
		if meters := s.Capabilities().Meters; meters != nil {
			all = append(all, meters()...)
		}
	}
	return all
}

// noteHappenings makes events of what happened in the storages since the drivers began.
func (t *trial) noteHappenings() {
	for _, s := range t.storages {
		happened := s.Capabilities().Happened
		if happened == nil {
			continue
		}
		for _, h := range happened() {
			if !t.result.Start.IsZero() && !h.At.Before(t.result.Start) {
				t.happened(result.Event{At: h.At, Text: h.Text})
			}
		}
	}
}

// readyInstances is how many of the trial's instances users can reach.
func (t *trial) readyInstances() (n int) {
	for _, i := range t.working() {
		if i.Ready() {
			n++
		}
	}
	return n
}
