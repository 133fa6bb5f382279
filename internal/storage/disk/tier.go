package disk

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/internal/describe/event"
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

// Events declares what can be done to a medium.
func (Kind) Events(parameters any) event.Declaration {
	p, _ := parameters.(*Parameters)
	missing := func(string) error { return nil }
	if p == nil || p.Tier == nil {
		missing = func(do string) error { return fmt.Errorf("the medium has no tier to %q; add `tier:` to it", do) }
	}
	return event.Declaration{Of: "a simulated medium", Order: order, Verbs: []event.Verb{
		{Name: study.CutPower, Breaks: true, CutsPower: true, Text: "cuts the power of the medium, which comes back at once; what no flush covers may be lost"},
		{Name: LoseTier, Breaks: true, Missing: missing(LoseTier), Note: LossNote(p), Text: "takes the tier away, until it is restored"},
		{Name: RestoreTier, Undoes: []string{LoseTier}, Missing: missing(RestoreTier), Text: "brings the tier back"},
	}}
}

// order reports whether an event makes sense after the earlier ones.
func order(e event.Event, earlier []event.Event) error {
	lost := event.Last(earlier, func(e event.Event) bool { return !e.Verb.CutsPower }).Verb.Name == LoseTier
	switch {
	case e.Verb.CutsPower && lost:
		return errors.New("the tier is lost at that point; restore it before the power is cut")
	case e.Verb.Name == LoseTier && lost:
		return errors.New("the tier is already lost at that point")
	case e.Verb.Name == RestoreTier && !lost:
		return errors.New("the tier is there at that point: no earlier fault affects it")
	}
	return nil
}

// LossNote describes the consequences of losing the tier of a medium; empty without one.
func LossNote(p *Parameters) string {
	switch {
	case p == nil || p.Tier == nil:
		return ""
	case p.Tier.WritesThrough():
		return "the medium goes on without its cache"
	}
	return "dirty data is on the tier alone: the medium fails as long as the tier is away"
}

// Do takes the tier away or brings it back. A file system that failed
// meanwhile is mounted again by Repair, once nobody uses it.
func (c *tieredClass) Do(_ context.Context, e event.Event, _ []storage.Volume) error {
	p, _, err := c.ready()
	if err != nil {
		return err
	}
	if err := p.alive(); err != nil {
		return err
	}
	status, err := p.client.Do(e.Verb.Name)
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

// Capabilities adds the tier's to the abilities of any medium.
func (c *tieredClass) Capabilities() storage.Capabilities {
	can := c.class.Capabilities()
	can.TierWork, can.Do, can.Healer = c.TierWork, c.Do, c
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
