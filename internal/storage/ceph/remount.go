package ceph

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/storage"
)

var _ storage.Remounter = (*Pool)(nil)

// remounts is how many volumes are unmounted or mounted at once.
const remounts = 4

// Remount unmaps all volumes, which ends their clients with what these keep, empties the
// caches of the OSDs, and maps the volumes again.
func (p *Pool) Remount(ctx context.Context) (r storage.Remounted, err error) {
	if !p.up {
		return r, errors.New("Ceph cluster " + p.name + " is not up")
	}
	err = p.prepare(func() error {
		if err := p.eachVolume(ctx, (*volume).unmap); err != nil {
			return err
		}
		if err := p.dropOSDs(ctx); err != nil {
			return err
		}
		if p.p.Access == accessRGW {
			return p.restartStore(ctx)
		}
		return p.eachVolume(ctx, (*volume).again)
	})
	if err != nil {
		return r, fmt.Errorf("remount the volumes of Ceph cluster %s: %w", p.name, err)
	}
	if p.p.Access == accessRGW {
		r.Done = "emptied the caches of the OSDs, and ended the gateways and started them again"
		return r, nil
	}
	r.Done = "unmounted the volumes, which ends their clients, emptied the caches of the OSDs, and mounted the volumes again"
	return r, nil
}

// again maps a volume and mounts it where it was.
func (v *volume) again(ctx context.Context) error {
	if err := v.attach(ctx); err != nil {
		return err
	}
	return v.mountFS()
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
