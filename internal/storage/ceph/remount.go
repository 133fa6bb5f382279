package ceph

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/internal/storage"
)

// Remount unmaps all volumes, which ends their clients with what these keep, empties the
// caches of the OSDs, and maps the volumes again.
func (p *Pool) Remount(ctx context.Context) (r storage.RemountResult, err error) {
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
