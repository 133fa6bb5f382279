package gluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/nfs"
	"plimsoll/internal/storage/peers"
)

// Pool is a trusted storage pool and the volumes on it.
type Pool struct {
	name     string
	p        *Parameters
	geometry Geometry
	env      storage.Env

	machines *peers.Machines
	up       bool
	// kernelNFS reports whether NFS mounts are the kernel's and not our own client's.
	kernelNFS bool

	mu      sync.Mutex // guards volumes, golden, and when volumes were prompted
	volumes map[string]*volume
	golden  map[string]string
	// serial counts the volumes there were, to deal them out to the peers.
	serial  int
	command sync.Mutex // gluster serves one changing command at a time

	gateways []sync.Mutex // one NFS server of a peer starts at a time

	faults peers.Faults // not yet repaired
}

var (
	_ storage.Class  = (*Pool)(nil)
	_ storage.Healer = (*Pool)(nil)
)

// Capabilities implements storage.Class.
func (p *Pool) Capabilities() storage.Capabilities {
	return storage.Capabilities{Remount: p.Remount, RemoveLimits: p.RemoveLimits, Doubts: p.Doubts, CheckCopies: p.CheckCopies, TierWork: p.TierWork}
}

// Up makes the hosts, the bricks and the pool.
func (p *Pool) Up(ctx context.Context) error {
	if p.up {
		return nil
	}
	p.kernelNFS = p.p.Access == accessNFS && nfs.KernelClient()
	if err := p.makeScratch(); err != nil {
		return err
	}
	if err := p.machines.Up(ctx); err != nil {
		return err
	}
	if err := p.RemoveLimits(); err != nil { // forming the pool is preparation too
		return err
	}
	if err := p.machines.Start(ctx); err != nil {
		return err
	}
	if err := p.probe(ctx); err != nil {
		return err
	}
	if err := p.set(ctx); err != nil {
		return err
	}
	p.up = true
	return nil
}

func (p *Pool) makeScratch() error {
	o := journal.Object{Kind: journal.Directory, Path: p.env.Scratch}
	if err := p.env.Journal.Making(o); err != nil {
		return err
	}
	for _, dir := range []string{"volumes", "log"} {
		if err := safefile.Ensure(filepath.Join(p.env.Scratch, dir), 0o711); err != nil {
			return fmt.Errorf("make the directory of the pool: %w", err)
		}
	}
	return p.env.Journal.Made(o)
}

// probe makes the peers one pool.
func (p *Pool) probe(ctx context.Context) error {
	for _, other := range p.machines.Peers()[1:] {
		if _, err := p.gluster(ctx, "peer", "probe", other.Host.Address); err != nil {
			return fmt.Errorf("join peer %s: %w", other.Host.Name, err)
		}
	}
	return peers.Poll(ctx, time.Minute, "peers to join the pool", func() (bool, error) {
		if err := p.machines.Dead(); err != nil {
			return false, fmt.Errorf("a daemon died while the pool formed: %w", err)
		}
		return p.connected(ctx), nil
	})
}

// connected reports whether every peer sees every other: the first, which
// joined them, is connected to all before they are to each other, and a volume
// is not made until they are.
func (p *Pool) connected(ctx context.Context) bool {
	all := p.machines.Peers()
	for _, r := range all {
		if r.Dead() != nil {
			return false
		}
		out, err := p.glusterOn(ctx, r, "peer", "status")
		if err != nil || strings.Count(out, "Peer in Cluster (Connected)") != len(all)-1 {
			return false
		}
	}
	return true
}

// set sets the options of the pool, one at a time as Gluster wants it.
func (p *Pool) set(ctx context.Context) error {
	for pair := range slices.Chunk(p.p.settings(true), 2) {
		if _, err := p.gluster(ctx, append([]string{"volume", "set", "all"}, pair...)...); err != nil {
			return err
		}
	}
	return nil
}

// Down unmounts and removes everything, as far as it is there.
func (p *Pool) Down(ctx context.Context) error {
	var errs []error
	for _, v := range p.all() {
		errs = append(errs, v.unmount(ctx))
	}
	p.forget()
	errs = append(errs, p.machines.Down(ctx))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("take pool %s down: %w", p.name, err)
	}
	p.up = false
	p.faults.Take()
	if err := os.RemoveAll(p.env.Scratch); err != nil {
		return err
	}
	return p.env.Journal.Removed(journal.Object{Kind: journal.Directory, Path: p.env.Scratch})
}

// forget drops the volumes, which go with the bricks.
func (p *Pool) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.volumes)
	clear(p.golden)
}

func (p *Pool) all() []*volume {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*volume
	for _, v := range p.volumes {
		all = append(all, v)
	}
	return all
}
