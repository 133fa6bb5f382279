package gluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/storage"
)

// prepare does something without simulated times and without the peers' CPU
// limits: making volumes is no part of what is measured. Both hold from Settle
// until volumes are made or deleted again, as for the disks themselves.
func (p *Pool) prepare(do func() error) error {
	if err := p.Lift(); err != nil {
		return err
	}
	return do()
}

// Lift takes simulated times and the peers' CPU limits off.
func (p *Pool) Lift() error {
	p.limits.Lock()
	defer p.limits.Unlock()
	if p.lifted {
		return nil
	}
	var errs []error
	for _, r := range p.peers {
		errs = append(errs, r.group.SetCPU(0))
		for _, b := range r.bricks {
			if medium, simulated := b.class.(storage.Lifter); simulated {
				errs = append(errs, medium.Lift())
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("lift the limits of the peers: %w", err)
	}
	p.lifted = true
	return nil
}

// lower sets the limits of the peers; their disks have theirs from their own
// Settle.
func (p *Pool) lower() error {
	p.limits.Lock()
	defer p.limits.Unlock()
	p.lifted = false
	var errs []error
	for _, r := range p.peers {
		errs = append(errs, r.group.SetCPU(float64(p.p.CPU)))
	}
	return errors.Join(errs...)
}

// Settle writes back what is dirty on the clients and the bricks, and drops
// what they keep in the page cache.
func (p *Pool) Settle(ctx context.Context) (done string, err error) {
	err = p.prepare(func() error {
		for _, v := range p.all() {
			if err := settle(ctx, v.path); err != nil {
				return fmt.Errorf("settle volume %s: %w", v.name, err)
			}
		}
		done, err = p.settleBricks(ctx)
		return errors.Join(err, p.lower())
	})
	return done, err
}

func (p *Pool) settleBricks(ctx context.Context) (string, error) {
	err := p.eachPeer(ctx, func(r *peer, ctx context.Context) error {
		var errs []error
		for _, b := range r.bricks {
			_, err := b.class.Settle(ctx)
			errs = append(errs, err)
		}
		return errors.Join(errs...)
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
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || !d.Type().IsRegular() {
			return errors.Join(err, ctx.Err())
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	})
}

// doubter is a class that knows when its simulation was not true.
type doubter interface {
	Doubts(ctx context.Context) []string
}

// Doubts are those of the bricks' simulated disks, in one sentence: what one
// disk suffers, the others of the machine do too.
func (p *Pool) Doubts(ctx context.Context) []string {
	var peers []string
	var first string
	for _, peer := range p.peers {
		for _, b := range peer.bricks {
			d, ok := b.class.(doubter)
			if !ok {
				continue
			}
			texts := d.Doubts(ctx)
			if len(texts) == 0 {
				continue
			}
			if first == "" {
				first = texts[0]
			}
			if name := "peer" + peer.host.Name; !slices.Contains(peers, name) {
				peers = append(peers, name)
			}
		}
	}
	if first == "" {
		return nil
	}
	return []string{"bricks of " + strings.Join(peers, ", ") + ": " + first}
}
