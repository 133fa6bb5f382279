package peers

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/storage"
)

// CutPower cuts the power of several peers at once: the disks first, then every process
// dies. Each disk loses what its own seed draws.
func CutPower(ctx context.Context, peers []*Peer, seed uint64) (sum storage.PowerLoss, err error) {
	var mu sync.Mutex
	var all errgroup.Group
	for n, p := range peers {
		all.Go(func() error {
			loss, err := p.cutPower(ctx, seed+uint64(n)<<32)
			mu.Lock()
			defer mu.Unlock()
			sum = sum.Plus(loss)
			return err
		})
	}
	err = all.Wait()
	return sum, err
}

func (p *Peer) cutPower(ctx context.Context, seed uint64) (sum storage.PowerLoss, err error) {
	for n, d := range p.Disks {
		disk := d.Class.Capabilities().Power
		if disk == nil {
			return sum, fmt.Errorf("peer %s has no simulated disk whose power could be cut", p.Host.Name)
		}
		p.dark = true
		loss, err := disk.CutPower(ctx, "", seed+uint64(n))
		if err != nil {
			return sum, fmt.Errorf("cut the power of %s %d of peer %s: %w", p.machines.config.DiskName, n+1, p.Host.Name, err)
		}
		sum = sum.Plus(loss)
	}
	return sum, p.Kill(ctx)
}

// RestorePower brings the disks of all peers back and starts the daemons. All disks are
// mounted before the first peer takes its copy of the mount table.
func (m *Machines) RestorePower(ctx context.Context) error {
	if err := m.Each(ctx, (*Peer).restoreDisks); err != nil {
		return err
	}
	return m.Start(ctx)
}

// Restart starts a daemon that was killed or lost its power.
func (p *Peer) Restart(ctx context.Context) error {
	if p.Dead() == nil {
		return fmt.Errorf("peer %d is already running", p.Number)
	}
	if err := p.restoreDisks(ctx); err != nil {
		return fmt.Errorf("peer %d: %w", p.Number, err)
	}
	return p.Start(ctx)
}

// restoreDisks brings the disks of a peer back, if they lost their power.
func (p *Peer) restoreDisks(ctx context.Context) error {
	if !p.dark {
		return nil
	}
	for _, d := range p.Disks {
		if err := d.Class.Capabilities().Power.RestorePower(ctx); err != nil {
			return err
		}
	}
	p.dark = false
	return nil
}
