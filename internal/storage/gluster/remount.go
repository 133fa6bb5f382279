package gluster

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/storage"
	"plimsoll/internal/volumes"
)

var _ storage.Remounter = (*Pool)(nil)

// remounts is how many volumes are unmounted or mounted at once.
const remounts = 4

// Remount unmounts all volumes, which ends their clients and NFS servers with
// what these keep, drops the bricks' files from the page cache and mounts the
// volumes again. The bricks' own file systems stay mounted: their servers run.
func (p *Pool) Remount(ctx context.Context) (done string, err error) {
	if !p.up {
		return "", errors.New("pool " + p.name + " is not up")
	}
	var bricks volumes.Dropped
	err = p.prepare(func() error {
		if err := p.eachVolume(ctx, (*volume).unmount); err != nil {
			return err
		}
		if bricks, err = p.dropBricks(ctx); err != nil {
			return err
		}
		return p.eachVolume(ctx, (*volume).mount)
	})
	if err != nil {
		return "", fmt.Errorf("remount the volumes of pool %s: %w", p.name, err)
	}
	return fmt.Sprintf("unmounted the volumes, %s of the bricks, and mounted the volumes again", bricks), nil
}

func (p *Pool) eachVolume(ctx context.Context, do func(*volume, context.Context) error) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(remounts)
	for _, v := range p.all() {
		all.Go(func() error {
			if err := do(v, ctx); err != nil {
				return fmt.Errorf("volume %s: %w", v.name, err)
			}
			return nil
		})
	}
	return all.Wait()
}

func (p *Pool) dropBricks(ctx context.Context) (sum volumes.Dropped, err error) {
	for _, r := range p.peers {
		for _, b := range r.bricks {
			d, err := volumes.Drop(ctx, b.path)
			if err != nil {
				return sum, fmt.Errorf("brick of peer%s: %w", r.host.Name, err)
			}
			sum.Files += d.Files
			sum.Kept += d.Kept
		}
	}
	return sum, nil
}
