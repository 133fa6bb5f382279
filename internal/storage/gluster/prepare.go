package gluster

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/volumes"
)

// prepare calls do without simulated latencies and the peers' CPU limits, since making
// volumes is not part of the measurement. Both apply from Settle until volumes are next
// made or deleted, as for the disks themselves.
func (p *Pool) prepare(do func() error) error {
	if err := p.RemoveLimits(); err != nil {
		return err
	}
	return do()
}

// RemoveLimits takes simulated times and the peers' CPU limits off.
func (p *Pool) RemoveLimits() error { return p.machines.RemoveLimits() }

// Settle writes back dirty data on the clients and the bricks, and drops their page caches.
func (p *Pool) Settle(ctx context.Context) (done string, err error) {
	err = p.prepare(func() error {
		for _, v := range p.all() {
			if err := settle(ctx, v.path); err != nil {
				return fmt.Errorf("settle volume %s: %w", v.name, err)
			}
		}
		return errors.Join(p.machines.SettleDisks(ctx), p.machines.SetLimits())
	})
	return "wrote back dirty pages of clients and bricks, without simulated timing and CPU limits, and dropped them from the page cache", err
}

// settle flushes a mount and drops its files from the client's page cache
// (posix_fadvise(2)).
func settle(ctx context.Context, dir string) error {
	mount, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer mount.Close()
	if err := unix.Syncfs(int(mount.Fd())); err != nil {
		return fmt.Errorf("write back: %w", err)
	}
	return volumes.EachFile(ctx, dir, func(f *os.File) error {
		return errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	})
}

// Doubts lists the doubts about the bricks' simulated disks.
func (p *Pool) Doubts(ctx context.Context) []storage.Doubt { return p.machines.Doubts(ctx) }
