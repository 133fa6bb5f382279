package gluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/storage"
)

var _ storage.PowerCutter = (*Pool)(nil)

// CutPower cuts the power of a peer ("peer 2") or of the whole pool with its
// clients: the disks first, then every process dies.
func (p *Pool) CutPower(ctx context.Context, part string, seed uint64) (storage.PowerLoss, error) {
	if part == "" {
		loss, err := p.cutPower(ctx, p.peers, seed)
		return loss, errors.Join(err, p.killClients())
	}
	a, err := parseAction("cut power " + part)
	if err == nil {
		err = a.within(p.p)
	}
	if err != nil {
		return storage.PowerLoss{}, err
	}
	p.faults.note("peer", a.n)
	return p.cutPower(ctx, p.peers[a.n-1:a.n], seed)
}

// cutPower cuts the power of several peers at once. Each disk loses what its
// own seed draws.
func (p *Pool) cutPower(ctx context.Context, peers []*peer, seed uint64) (sum storage.PowerLoss, err error) {
	var mu sync.Mutex
	var all errgroup.Group
	for n, r := range peers {
		all.Go(func() error {
			loss, err := r.cutPower(ctx, seed+uint64(n)<<32)
			mu.Lock()
			defer mu.Unlock()
			sum = sum.Plus(loss)
			return err
		})
	}
	err = all.Wait()
	return sum, err
}

func (r *peer) cutPower(ctx context.Context, seed uint64) (sum storage.PowerLoss, err error) {
	for n, b := range r.bricks {
		disk, ok := b.class.(storage.PowerCutter)
		if !ok {
			return sum, fmt.Errorf("peer %s has no simulated disk whose power could be cut", r.host.Name)
		}
		r.dark = true
		loss, err := disk.CutPower(ctx, "", seed+uint64(n))
		if err != nil {
			return sum, fmt.Errorf("cut the power of brick %d of peer %s: %w", n+1, r.host.Name, err)
		}
		sum = sum.Plus(loss)
	}
	return sum, r.kill(ctx)
}

// RestorePower brings the whole pool back: its disks, its peers, its volumes
// and their clients.
func (p *Pool) RestorePower(ctx context.Context) error {
	// All bricks are mounted before the first peer takes its copy of the mount
	// table.
	if err := p.eachPeer(ctx, (*peer).restorePower); err != nil {
		return err
	}
	if err := p.eachPeer(ctx, (*peer).start); err != nil {
		return err
	}
	p.faults.repairedAll("peer")
	p.faults.repairedAll("brick")
	if err := p.awaitHealthy(ctx); err != nil {
		return err
	}
	if err := p.eachVolume(ctx, (*volume).unmount); err != nil {
		return err
	}
	return p.eachVolume(ctx, (*volume).mount)
}

// restorePower brings the disks of a peer back, if they lost their power.
func (r *peer) restorePower(ctx context.Context) error {
	if !r.dark {
		return nil
	}
	for _, b := range r.bricks {
		if err := b.class.(storage.PowerCutter).RestorePower(ctx); err != nil {
			return err
		}
	}
	r.dark = false
	return nil
}

// killClients ends the clients of all volumes; their mounts stay and answer
// nothing.
func (p *Pool) killClients() error {
	var errs []error
	for _, v := range p.all() {
		if v.client != nil && v.client.Process != nil {
			errs = append(errs, v.client.Process.Kill())
			<-v.ended
		}
	}
	return errors.Join(errs...)
}
