package ceph

import (
	"context"
	"fmt"

	"plimsoll/internal/storage"
)

// takeSnapshots takes a snapshot of the image of each volume. They are removed with the
// volumes; until then the first write to each object copies it.
func (p *Pool) takeSnapshots(ctx context.Context, on []storage.Volume) error {
	for _, one := range on {
		p.mu.Lock()
		v := p.volumes[one.Name]
		if v != nil {
			v.snapshots++
		}
		p.mu.Unlock()
		if v == nil {
			return fmt.Errorf("there is no volume %s in Ceph cluster %s", one.Name, p.name)
		}
		if err := p.rbd(ctx, "snap", "create", "--no-progress", fmt.Sprintf("%s@event-%d", v.image(), v.snapshots)); err != nil {
			return fmt.Errorf("take a snapshot of volume %s: %w", one.Name, err)
		}
	}
	return nil
}
