package ceph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
)

// Do does an event of the declaration.
func (p *Pool) Do(ctx context.Context, e event.Event, on []storage.Volume) error {
	if e.Verb.Name == "snapshot" {
		return p.takeSnapshots(ctx, on)
	}
	return p.do(ctx, e.Verb.Words(), e.Number, e.Argument)
}

// do does something to a part of the cluster, with the argument of its verb, if it has one.
func (p *Pool) do(ctx context.Context, words string, n int, argument string) error {
	defer p.touch()
	switch words {
	case "kill peer":
		p.faults.Note("peer", n)
		return p.machines.Peer(n).Kill(ctx)
	case "restart peer":
		return p.restartPeer(ctx, n)
	case "kill osd":
		p.faults.Note("osd", n)
		if d := p.daemon(osdName(n)); d != nil {
			d.kill()
		}
		return nil
	case "restart osd":
		p.faults.Repaired("osd", n)
		return p.startOSDs(ctx, func(osd int) bool { return osd == n })
	case "out osd":
		p.faults.Note("out", n)
		return p.ceph(ctx, nil, "osd", "out", osdName(n))
	case "in osd":
		p.faults.Repaired("out", n)
		return p.ceph(ctx, nil, "osd", "in", osdName(n))
	case "cut link":
		p.faults.Note("link", n)
		p.setCut(n, true)
		return p.machines.CutLink(n)
	case "restore link":
		p.faults.Repaired("link", n)
		p.setCut(n, false)
		return p.machines.RestoreLink(n)
	case "degrade link":
		p.faults.Note("link", n)
		return p.machines.DegradeLink(n, argument)
	}
	return fmt.Errorf("a Ceph cluster cannot %s", words)
}

// touch notes that the cluster has something to notice.
func (p *Pool) touch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.touched = time.Now()
	p.seen.disturbed()
}

func (p *Pool) setCut(node int, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut[node] = cut
}

// restartPeer starts a node and its OSDs.
func (p *Pool) restartPeer(ctx context.Context, n int) error {
	if err := p.machines.Peer(n).Restart(ctx); err != nil {
		return err
	}
	p.faults.Repaired("peer", n)
	return p.startOSDs(ctx, func(osd int) bool { return p.p.nodeOf(osd) == n })
}

// noticed is how far the manager's counts may lag behind events: some of its periods (mgr
// stats period).
const noticed = 5 * time.Second

// hasNoticed reports whether the manager's figures cannot be older than what happened.
func (p *Pool) hasNoticed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	early := time.Since(p.touched) < noticed
	for _, cut := range p.cut {
		early = early || cut
	}
	return !early
}

// Healthy reports whether every OSD is there and every object as often as it should be.
func (p *Pool) Healthy(ctx context.Context) (bool, error) {
	if !p.hasNoticed() {
		return false, nil
	}
	for n := 1; n <= p.p.all(); n++ {
		if p.node(n).Dead() != nil || !p.running(osdName(n)) {
			return false, nil
		}
	}
	s, err := p.status(ctx)
	return err == nil && s.clean(p.p.all()), err
}

// Repair undoes the faults that are left: links first, then nodes, then OSDs, since each
// depends on the one before.
func (p *Pool) Repair(ctx context.Context) (done []string, err error) {
	left := p.faults.Take()
	order := []string{"link", "peer", "osd", "out"}
	slices.SortFunc(left, func(a, b peers.Breakage) int {
		return slices.Index(order, a.What)*1000 + a.Number - slices.Index(order, b.What)*1000 - b.Number
	})
	for _, b := range left {
		words := map[string]string{"link": "restore link", "peer": "restart peer", "osd": "restart osd", "out": "in osd"}[b.What]
		if err := p.do(ctx, words, b.Number, ""); err != nil {
			p.faults.Note(b.What, b.Number)
			return done, fmt.Errorf("repair Ceph cluster %s: %s %d: %w", p.name, words, b.Number, err)
		}
		done = append(done, fmt.Sprintf("%s %d", words, b.Number))
	}
	return done, p.awaitOSDs(ctx, everyOSD)
}
