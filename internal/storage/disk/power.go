package disk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/medium"
)

var _ storage.PowerCutter = (*class)(nil)

// CutPower cuts the medium's power. Data that the kernel has not written by then cannot
// reach it any more.
func (c *class) CutPower(_ context.Context, part string, seed uint64) (storage.PowerLoss, error) {
	if part != "" {
		return storage.PowerLoss{}, fmt.Errorf("a simulated medium has no part %q to cut the power of", part)
	}
	p, _, err := c.ready()
	if err != nil {
		return storage.PowerLoss{}, err
	}
	if err := p.alive(); err != nil {
		return storage.PowerLoss{}, err
	}
	loss, err := p.client.Cut(seed)
	return storage.PowerLoss(loss), p.explain(err)
}

// RestorePower gives the dead mount and its loop device up, switches the medium
// on and mounts it, which has the file system replay its journal.
func (c *class) RestorePower(ctx context.Context) error {
	p, _, err := c.ready()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.giveUp(ctx); err != nil {
		return fmt.Errorf("unmount after the power cut: %w", err)
	}
	if err := p.send(medium.PowerOn); err != nil {
		return err
	}
	if err := c.attached(ctx, c.mount); err != nil {
		return fmt.Errorf("the file system did not survive the power cut: %w", err)
	}
	return nil
}

// releaseLimit is how long the kernel may take to let go of a file system that
// lost its medium, once nobody uses it.
const releaseLimit = 2 * time.Minute

// giveUp removes the mount and the loop device, so that nothing of the time
// before the cut is left in the kernel.
func (c *class) giveUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, releaseLimit)
	defer cancel()
	old := func(o journal.Object) bool {
		return o.Kind == journal.Loop || o.Kind == journal.Mount && o.Path == c.fsMount()
	}
	state := journal.State{RunID: c.env.RunID}
	for _, o := range c.objects {
		if old(o) {
			state.Objects = append(state.Objects, o)
		}
	}
	err := c.release(ctx, state)
	for err != nil && ctx.Err() == nil {
		err = c.release(ctx, state)
	}
	if err != nil {
		return err
	}
	c.objects = slices.DeleteFunc(c.objects, old)
	return nil
}

func (c *class) release(ctx context.Context, state journal.State) error {
	busy := append(users(c.fsMount()), namespaces(c.fsMount())...)
	err := c.env.Journal.Swept(journal.Sweep(ctx, state))
	if err != nil && len(busy) > 0 {
		return fmt.Errorf("%w; it is in use by %s", err, strings.Join(busy, ", "))
	}
	return err
}
