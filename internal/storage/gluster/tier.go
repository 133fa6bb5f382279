package gluster

import (
	"context"
	"fmt"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
)

// TierWork reports the work of all bricks' tiers together.
func (p *Pool) TierWork(ctx context.Context) (storage.TierWork, error) {
	return p.machines.TierWork(ctx)
}

// loseTier takes the tier of a brick's disk away.
func (p *Pool) loseTier(ctx context.Context, n int) error {
	p.faults.Note("tier", n)
	return p.brick(n).Class.(storage.Actor).Do(ctx, event.Event{Verb: event.Verb{Name: disk.LoseTier}}, nil)
}

// restoreTier brings it back. A disk that failed without it is mounted again,
// for which the peer is restarted: its processes have the file system open.
func (p *Pool) restoreTier(ctx context.Context, n int) error {
	r, class := p.machines.Peer(p.p.peerOf(n)), p.brick(n).Class.(storage.Healer)
	p.faults.Repaired("tier", n)
	running := r.Dead() == nil
	if p.p.Disk.Tier.WritesThrough() || !running {
		_, err := class.Repair(ctx)
		return err
	}
	if err := r.Kill(ctx); err != nil {
		return err
	}
	if _, err := class.Repair(ctx); err != nil {
		return fmt.Errorf("tier %d: %w", n, err)
	}
	if err := r.Start(ctx); err != nil {
		return err
	}
	return p.restartGateways(ctx, r)
}
