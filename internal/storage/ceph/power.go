package ceph

import (
	"context"
	"errors"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/study"
)

var _ storage.PowerCutter = (*Pool)(nil)

// CutPower cuts the power of a node ("peer 2") or of the whole cluster with its monitor,
// manager and clients: the disks first, then every process dies.
func (p *Pool) CutPower(ctx context.Context, part string, seed uint64) (storage.PowerLoss, error) {
	defer p.touch()
	if part == "" {
		loss, err := peers.CutPower(ctx, p.machines.Peers(), seed)
		p.killOthers()
		return loss, err
	}
	e, err := Kind{}.Events(p.p).Parse(study.CutPower + " " + part)
	if err != nil {
		return storage.PowerLoss{}, err
	}
	p.faults.Note("peer", e.Number)
	return peers.CutPower(ctx, []*peers.Peer{p.machines.Peer(e.Number)}, seed)
}

// killOthers ends the daemons of the control host and all clients; mounts stay and answer nothing.
func (p *Pool) killOthers() {
	for _, name := range p.controls() {
		if d := p.daemon(name); d != nil {
			d.kill()
		}
	}
	for _, v := range p.mounted() {
		if v.client != nil {
			v.client.kill()
		}
	}
}

// RestorePower brings the whole cluster back: its disks, its processes, and its volumes
// with their clients.
func (p *Pool) RestorePower(ctx context.Context) (err error) {
	for _, v := range p.mounted() {
		if err := v.unmap(ctx); err != nil {
			return err
		}
	}
	if err := p.machines.RestorePower(ctx); err != nil {
		return err
	}
	p.faults.RepairedAll("peer")
	p.faults.RepairedAll("osd")
	if err := p.startControls(ctx); err != nil {
		return err
	}
	if err := p.startOSDs(ctx, everyOSD); err != nil {
		return errors.Join(errors.New("the OSDs did not survive the power cut"), err)
	}
	if err := p.awaitClean(ctx); err != nil {
		return err
	}
	switch p.p.Access {
	case accessCephFS:
		err = p.serveFileSystem(ctx)
	case accessRGW:
		err = p.serveStore(ctx)
	}
	if err != nil {
		return err
	}
	return p.eachVolume(ctx, (*volume).again)
}
