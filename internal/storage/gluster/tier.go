package gluster

import (
	"context"
	"fmt"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
)

var _ storage.Tiered = (*Pool)(nil)

// TierWork is that of the tiers of all bricks together.
func (p *Pool) TierWork(ctx context.Context) (sum storage.TierWork, err error) {
	for _, r := range p.peers {
		for _, b := range r.bricks {
			class, ok := b.class.(storage.Tiered)
			if !ok {
				continue
			}
			work, err := class.TierWork(ctx)
			if err != nil {
				return sum, fmt.Errorf("peer %s: %w", r.host.Name, err)
			}
			sum = sum.Plus(work)
		}
	}
	return sum, nil
}

// loseTier takes the tier of a brick's disk away.
func (p *Pool) loseTier(ctx context.Context, n int) error {
	p.faults.note("tier", n)
	return p.brick(n).class.(storage.Faulter).Inject(ctx, disk.LoseTier)
}

// restoreTier brings it back. A disk that failed without it is mounted again,
// for which the peer is restarted: its processes have the file system open.
func (p *Pool) restoreTier(ctx context.Context, n int) error {
	r, class := p.peer(p.p.peerOf(n)), p.brick(n).class.(storage.Faulter)
	p.faults.repaired("tier", n)
	running := r.dead() == nil
	if p.p.Disk.Tier.WritesThrough() || !running {
		_, err := class.Repair(ctx)
		return err
	}
	if err := r.kill(ctx); err != nil {
		return err
	}
	if _, err := class.Repair(ctx); err != nil {
		return fmt.Errorf("tier %d: %w", n, err)
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	return r.restartGateways(ctx)
}
