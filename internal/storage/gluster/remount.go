package gluster

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/volumes"
)

// remounts is how many volumes are unmounted or mounted at once.
const remounts = 4

// Remount unmounts all volumes, which ends their clients and NFS servers with
// what these keep, drops the bricks' files from the page cache and mounts the
// volumes again. The bricks' own file systems stay mounted: their servers run.
func (p *Pool) Remount(ctx context.Context) (r storage.RemountResult, err error) {
	if !p.up {
		return r, errors.New("pool " + p.name + " is not up")
	}
	err = p.prepare(func() error {
		if err := p.eachVolume(ctx, (*volume).unmount); err != nil {
			return err
		}
		if r, err = p.dropBricks(ctx); err != nil {
			return err
		}
		return p.eachVolume(ctx, (*volume).mount)
	})
	if err != nil {
		return r, fmt.Errorf("remount the volumes of pool %s: %w", p.name, err)
	}
	return r, nil
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

// dropBricks drops the kernel's caches of the bricks: data, names and attributes of their
// files.
func (p *Pool) dropBricks(ctx context.Context) (storage.RemountResult, error) {
	sum, err := p.machines.DropDisks(ctx)
	done := fmt.Sprintf("unmounted the volumes, which ends their clients and NFS servers, %s of the bricks, and mounted the volumes again", sum)
	r := storage.RemountResult{Done: done, Kept: sum.Left()}
	if err := volumes.DropNames(); err != nil {
		r.Kept = append(r.Kept, err.Error())
	}
	return r, err
}
