package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/medium"
	"plimsoll/internal/study"
)

// The faults of a tier, in the words of the medium's process.
const (
	LoseTier    = medium.LoseTier
	RestoreTier = medium.RestoreTier
)

// tieredClass is a class with a medium that can lose its tier.
type tieredClass struct {
	*class
	failed bool // the file system lost its medium and has to be mounted again
}

var (
	_ storage.Faulter      = (*tieredClass)(nil)
	_ storage.FaultChecker = Kind{}
)

// CheckFault implements storage.FaultChecker.
func (Kind) CheckFault(parameters any, action string, before []string) error {
	p, _ := parameters.(*Parameters)
	return p.checkFault(action, before)
}

func (p *Parameters) checkFault(action string, before []string) error {
	lost := lostAfter(before)
	switch {
	case action == study.CutPower && !lost:
		return nil
	case action == study.CutPower:
		return errors.New("the tier is lost at that point; restore it before the power is cut")
	case action != LoseTier && action != RestoreTier:
		return fmt.Errorf("%q is not a fault of a simulated medium; supported: %s, and with a tier %s and %s", action, study.CutPower, LoseTier, RestoreTier)
	case p == nil || p.Tier == nil:
		return fmt.Errorf("the medium has no tier to %q; add `tier:` to it", action)
	case action == LoseTier && lost:
		return errors.New("the tier is already lost at that point")
	case action == RestoreTier && !lost:
		return errors.New("the tier is there at that point: no earlier fault affects it")
	}
	return nil
}

// lostAfter reports whether the tier is away after some actions.
func lostAfter(actions []string) bool {
	for _, action := range slices.Backward(actions) {
		if action == LoseTier || action == RestoreTier {
			return action == LoseTier
		}
	}
	return false
}

// Effect implements storage.Faulter.
func (c *tieredClass) Effect(action string) storage.Effect {
	if action == RestoreTier {
		return storage.Effect{Repairs: true}
	}
	return storage.Effect{Note: c.r.lossNote()}
}

// lossNote describes the consequences for the volumes.
func (r specification) lossNote() string {
	if r.spec.Tier.WriteThrough {
		return "the medium goes on without its cache"
	}
	return "dirty data is on the tier alone: the medium fails as long as the tier is away"
}

// Inject takes the tier away or brings it back. A file system that failed
// meanwhile is mounted again by Repair, once nobody uses it.
func (c *tieredClass) Inject(_ context.Context, action string) error {
	p, _, err := c.ready()
	if err != nil {
		return err
	}
	if err := p.alive(); err != nil {
		return err
	}
	status, err := p.client.Do(action)
	if err != nil {
		return p.explain(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = c.failed || status.Failed
	return nil
}

// Repair brings the tier back and mounts a file system that failed without it.
func (c *tieredClass) Repair(ctx context.Context) (done []string, err error) {
	p, _, err := c.ready()
	if err != nil {
		return nil, err
	}
	status, err := p.status()
	if err != nil {
		return nil, p.explain(err)
	}
	if status.TierLost {
		if err := p.send(RestoreTier); err != nil {
			return nil, err
		}
		done = append(done, RestoreTier)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.failed {
		return done, nil
	}
	if err := c.mountAgain(ctx); err != nil {
		return done, fmt.Errorf("mount the file system again after the loss of its tier: %w", err)
	}
	c.failed = false
	return append(done, "mount the file system again"), nil
}

// Capabilities are those of any medium, and the tier's.
func (c *tieredClass) Capabilities() storage.Capabilities {
	can := c.class.Capabilities()
	can.TierWork = c.TierWork
	return can
}

// TierWork reports the work of the simulated tier.
func (c *tieredClass) TierWork(context.Context) (storage.TierWork, error) {
	p, _, err := c.ready()
	if err != nil {
		return storage.TierWork{}, err
	}
	status, err := p.status()
	if err != nil {
		return storage.TierWork{}, p.explain(err)
	}
	c.mu.Lock()
	before := c.settled.Stats
	c.mu.Unlock()
	now := status.Stats
	return storage.TierWork{
		Hits: now.TierHits - before.TierHits, Misses: now.TierMisses - before.TierMisses, Bypassed: now.Bypassed - before.Bypassed,
		Promoted: now.Promoted - before.Promoted, WrittenBack: now.WrittenBack - before.WrittenBack, Dirty: now.Dirty,
	}, nil
}

// Healthy reports whether the tier is there.
func (c *tieredClass) Healthy(context.Context) (bool, error) {
	p, _, err := c.ready()
	if err != nil {
		return false, err
	}
	status, err := p.status()
	return err == nil && !status.TierLost && !status.Failed, err
}

// mountAgain gives the mount and its loop device up and mounts the medium anew.
func (c *class) mountAgain(ctx context.Context) error {
	if err := c.giveUp(ctx); err != nil {
		return err
	}
	return c.attached(ctx, c.mount)
}
