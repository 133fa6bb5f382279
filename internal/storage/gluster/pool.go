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

	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/journal"
	"plimsoll/internal/nfsmount"
	"plimsoll/internal/simnet"
	"plimsoll/internal/storage"
)

// Pool is a trusted storage pool and the volumes on it.
type Pool struct {
	name     string
	p        *Parameters
	geometry Geometry
	env      storage.Env

	network *simnet.Network
	client  simnet.Host
	groups  *cgroup.Tree
	peers   []*peer
	up      bool
	// kernelNFS says that NFS mounts are the kernel's and not our own client's.
	kernelNFS bool

	mu      sync.Mutex // guards volumes, golden, and when volumes were prompted
	volumes map[string]*volume
	golden  map[string]string
	// serial counts the volumes there were, to deal them out to the peers.
	serial  int
	command sync.Mutex // gluster serves one changing command at a time

	limits sync.Mutex // guards lifted and the limits themselves
	lifted bool

	faults faults // not yet repaired
}

var (
	_ storage.Class   = (*Pool)(nil)
	_ storage.Faulter = (*Pool)(nil)
	_ storage.Lifter  = (*Pool)(nil)
)

// id names the pool on the machine; it carries the run's identifier.
func (p *Pool) id() string { return journal.Name(p.env.RunID, filepath.Base(p.env.Scratch)) }

// Up makes the hosts, the bricks and the pool.
func (p *Pool) Up(ctx context.Context) error {
	if p.up {
		return nil
	}
	p.kernelNFS = p.p.Access == accessNFS && nfsmount.KernelClient()
	if err := p.makeScratch(); err != nil {
		return err
	}
	if err := p.makeHosts(ctx); err != nil {
		return err
	}
	if err := p.eachPeer(ctx, (*peer).makeBricks); err != nil {
		return err
	}
	if err := p.Lift(); err != nil { // forming the pool is preparation too
		return err
	}
	// All bricks are mounted before the first peer takes its copy of the mount
	// table, and all peers start at once.
	if err := p.eachPeer(ctx, (*peer).start); err != nil {
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
		if err := os.MkdirAll(filepath.Join(p.env.Scratch, dir), 0o711); err != nil {
			return fmt.Errorf("make the directory of the pool: %w", err)
		}
	}
	return p.env.Journal.Made(o)
}

func (p *Pool) makeHosts(ctx context.Context) (err error) {
	var names []string
	for i := 1; i <= p.p.Peers; i++ {
		names = append(names, fmt.Sprint(i))
	}
	p.network = simnet.New(p.id(), p.env.Journal)
	if err := p.network.Up(ctx, append(names, "client")); err != nil {
		return err
	}
	hosts := p.network.Hosts()
	p.client = hosts[len(hosts)-1]
	if p.groups, err = cgroup.New(p.id(), p.env.Journal); err != nil {
		return err
	}
	for _, h := range hosts[:p.p.Peers] {
		group, err := p.groups.Group("peer"+h.Name, cgroup.Limits{CPU: float64(p.p.CPU)})
		if err != nil {
			return fmt.Errorf("peer %s: %w", h.Name, err)
		}
		p.peers = append(p.peers, &peer{pool: p, host: h, group: group, dir: filepath.Join(p.env.Scratch, "p"+h.Name)})
	}
	return p.setLinks()
}

func (p *Pool) setLinks() error {
	if p.p.Link == "" {
		return nil
	}
	rate, err := simnet.ParseRate(p.p.Link)
	if err != nil {
		return err
	}
	for _, h := range p.network.Hosts() {
		if err := p.network.SetRate(h, rate); err != nil {
			return err
		}
	}
	return nil
}

// probe makes the peers one pool.
func (p *Pool) probe(ctx context.Context) error {
	for _, other := range p.peers[1:] {
		if _, err := p.gluster(ctx, "peer", "probe", other.host.Address); err != nil {
			return fmt.Errorf("join peer %s: %w", other.host.Name, err)
		}
	}
	return poll(ctx, time.Minute, "peers to join the pool", func() (bool, error) {
		if err := p.anyDead(); err != nil {
			return false, err
		}
		return p.connected(ctx), nil
	})
}

// connected says whether every peer sees every other: the first, which joined
// them, is connected to all before they are to each other, and a volume is not
// made until they are.
func (p *Pool) connected(ctx context.Context) bool {
	for _, peer := range p.peers {
		if peer.dead() != nil {
			return false
		}
		out, err := peer.gluster(ctx, "peer", "status")
		if err != nil || strings.Count(out, "Peer in Cluster (Connected)") != len(p.peers)-1 {
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

// anyDead says which peer's daemon ended while the pool formed.
func (p *Pool) anyDead() error {
	for _, peer := range p.peers {
		if err := peer.dead(); err != nil {
			return fmt.Errorf("peer %s died while the pool formed: %w", peer.host.Name, err)
		}
	}
	return nil
}

func (p *Pool) eachPeer(ctx context.Context, do func(*peer, context.Context) error) error {
	errs := make([]error, len(p.peers))
	var wg sync.WaitGroup
	for i, peer := range p.peers {
		wg.Go(func() {
			if err := do(peer, ctx); err != nil {
				errs[i] = fmt.Errorf("peer %s: %w", peer.host.Name, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Down unmounts and removes everything, as far as it is there.
func (p *Pool) Down(ctx context.Context) error {
	var errs []error
	for _, v := range p.all() {
		errs = append(errs, v.unmount(ctx))
	}
	p.forget()
	errs = append(errs, p.eachPeer(ctx, (*peer).end), p.eachPeer(ctx, (*peer).removeBricks))
	if p.groups != nil {
		errs = append(errs, p.groups.Close(ctx))
	}
	if p.network != nil {
		errs = append(errs, p.network.Down())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("take pool %s down: %w", p.name, err)
	}
	p.up, p.peers, p.lifted = false, nil, false
	p.faults.take()
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

// poll asks until the answer is yes, an error, or time is up.
func poll(ctx context.Context, limit time.Duration, what string, done func() (bool, error)) error {
	deadline := time.Now().Add(limit)
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("timed out after %s waiting for %s", limit, what)
		}
	}
}
