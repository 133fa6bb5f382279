package gluster

import (
	"context"
	"errors"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/study"
)

var _ storage.PowerCutter = (*Pool)(nil)

// CutPower cuts the power of a peer ("peer 2") or of the whole pool with its
// clients: the disks first, then every process dies.
func (p *Pool) CutPower(ctx context.Context, part string, seed uint64) (storage.PowerLoss, error) {
	if part == "" {
		loss, err := peers.CutPower(ctx, p.machines.Peers(), seed)
		return loss, errors.Join(err, p.killClients())
	}
	e, err := Kind{}.Events(p.p).Parse(study.CutPower + " " + part)
	if err != nil {
		return storage.PowerLoss{}, err
	}
	p.faults.Note("peer", e.Number)
	return peers.CutPower(ctx, []*peers.Peer{p.machines.Peer(e.Number)}, seed)
}

// RestorePower brings the whole pool back: its disks, its peers, its volumes
// and their clients.
func (p *Pool) RestorePower(ctx context.Context) error {
	if err := p.machines.RestorePower(ctx); err != nil {
		return err
	}
	p.faults.RepairedAll("peer")
	p.faults.RepairedAll("brick")
	if err := p.awaitHealthy(ctx); err != nil {
		return err
	}
	if err := p.eachVolume(ctx, (*volume).unmount); err != nil {
		return err
	}
	return p.eachVolume(ctx, (*volume).mount)
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
