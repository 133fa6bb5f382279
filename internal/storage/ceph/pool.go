package ceph

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/relay"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
)

// Pool is a cluster and the volumes on it.
type Pool struct {
	*clients
	fsid string

	machines *peers.Machines

	// mu guards these too.
	daemons map[string]*daemon
	root    *volume      // the whole of CephFS, where volumes are made and removed
	cut     map[int]bool // nodes off the network
	touched time.Time    // when a fault or repair last changed the cluster

	user   endpoint.Endpoint // how the user of buckets reaches the gateways
	relays []*relay.Relay    // that lead to them

	faults peers.Faults // not yet repaired
	seen   observations
}

var _ storage.Class = (*Pool)(nil)

// Capabilities implements storage.Class.
func (p *Pool) Capabilities() storage.Capabilities {
	return storage.Capabilities{
		Remount: p.Remount, RemoveLimits: p.RemoveLimits, Doubts: p.Doubts, Meters: p.Meters, Happened: p.Happened,
		Do: p.Do, Healer: p, Power: p,
	}
}

// Names of the pools of images: an erasure-coded pool holds only data, because it cannot
// hold the images' tables.
const (
	ownImages  = "plimsoll"
	imagesData = "plimsoll-data"
)

// Up makes the nodes, the cluster on them, and its pools.
func (p *Pool) Up(ctx context.Context) error {
	if p.up {
		return nil
	}
	for _, step := range []func(context.Context) error{
		p.makeScratch, p.machines.Up, p.unlimited, p.machines.Start, p.makeMonitor, p.makeOSDs, p.makePools, p.awaitClean, p.introduce,
	} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("bring Ceph cluster %s up: %w", p.name, err)
		}
	}
	p.up = true
	return nil
}

func (p *Pool) unlimited(context.Context) error { return p.RemoveLimits() } // forming the cluster is preparation too

func (p *Pool) makeScratch(context.Context) error {
	return p.makeDirectories("run", "mon", "mgr", "mds")
}

// makeMonitor makes the monitor's store and starts it and the manager.
func (p *Pool) makeMonitor(ctx context.Context) error {
	p.fsid = newID()
	if err := p.writeFiles(); err != nil {
		return err
	}
	address := p.machines.Client().Address
	if _, err := p.run(ctx, "monmaptool", "--create", "--clobber", "--fsid", p.fsid,
		"--addv", "a", fmt.Sprintf("[v2:%[1]s:3300,v1:%[1]s:6789]", address), p.file("mon.map")); err != nil {
		return err
	}
	if err := safefile.Chmod(p.file("mon.map"), 0o600); err != nil {
		return err
	}
	if _, err := p.run(ctx, "ceph-mon", "-i", "a", "--mkfs", "--monmap", p.file("mon.map"), "--keyring", p.keyring()); err != nil {
		return err
	}
	return p.startControls(ctx)
}

// startControls starts the monitor and the manager, and waits until the monitor answers.
// The manager, which takes longer, is waited for with the placement groups that it counts.
func (p *Pool) startControls(ctx context.Context) error {
	if err := p.startMonitor(); err != nil {
		return err
	}
	if err := p.startManager(); err != nil {
		return err
	}
	return peers.Poll(ctx, startLimit, "the monitor to answer", func() (bool, error) {
		if err := errors.Join(p.dead(p.daemon("mon.a")), p.dead(p.daemon("mgr.x"))); err != nil {
			return false, err
		}
		_, err := p.status(ctx)
		if errors.Is(err, errForm) {
			return false, err
		}
		return err == nil, nil
	})
}

// makeOSDs makes the stores of all OSDs side by side and starts them.
func (p *Pool) makeOSDs(ctx context.Context) error {
	var all errgroup.Group
	for n := 1; n <= p.p.all(); n++ {
		id := newID()
		var given struct{ OSDID *int }
		if err := p.ceph(ctx, &given, "osd", "new", id); err != nil {
			return err
		}
		if given.OSDID == nil || *given.OSDID != n-1 {
			return fmt.Errorf("the cluster gave OSD %d another number: %+v", n-1, given)
		}
		all.Go(func() error { return p.makeOSD(ctx, n, id) })
	}
	if err := all.Wait(); err != nil {
		return err
	}
	return p.startOSDs(ctx, everyOSD)
}

func everyOSD(int) bool { return true }

func (p *Pool) makeOSD(ctx context.Context, n int, id string) error {
	if err := safefile.Ensure(p.osdData(n), 0o700); err != nil {
		return err
	}
	r := p.node(n)
	cmd := r.Command(ctx, "ceph-osd", "-i", fmt.Sprint(n-1), "--mkfs", "--osd-uuid", id, "--conf", p.conf())
	d, err := p.launch("mkfs."+osdName(n), cmd, func(c *exec.Cmd) error { return r.Group.Start(c) })
	if err != nil {
		return err
	}
	<-d.ended
	if err := p.env.Journal.Removed(journal.Object{Kind: journal.Process, Name: p.name + "-" + d.name}); err != nil {
		return err
	}
	if !cmd.ProcessState.Success() {
		return fmt.Errorf("make the store of %s: %s: %s", osdName(n), cmd.ProcessState, strings.TrimSpace(peers.Tail(p.output(d.name))))
	}
	return nil
}

// makePools makes the pools of the volumes.
func (p *Pool) makePools(ctx context.Context) error {
	switch p.p.Access {
	case accessCephFS:
		return p.makeFileSystem(ctx)
	case accessRGW:
		return p.makeStore(ctx)
	}
	return p.makeImages(ctx)
}

// makeImages makes the pools of images.
func (p *Pool) makeImages(ctx context.Context) error {
	// Of clients of earlier series, clones need snapshots that are protected.
	if err := p.ceph(ctx, nil, "osd", "set-require-min-compat-client", "mimic"); err != nil {
		return err
	}
	if err := p.makePool(ctx, p.images, p.p.placementGroups()); err != nil {
		return err
	}
	pools := []string{p.images}
	if p.p.Erasure != "" {
		pools = append(pools, imagesData)
		if err := p.makeDataPool(ctx, imagesData); err != nil {
			return err
		}
	}
	for _, name := range pools {
		if err := p.ceph(ctx, nil, "osd", "pool", "application", "enable", name, "rbd"); err != nil {
			return err
		}
	}
	return p.rbd(ctx, "pool", "init", p.images)
}

// makePool makes a pool with copies.
func (p *Pool) makePool(ctx context.Context, name string, groups int) error {
	return p.ceph(ctx, nil, "osd", "pool", "create", name, fmt.Sprint(groups), fmt.Sprint(groups), "replicated")
}

// makeDataPool makes a pool with the erasure code, or with copies without one.
func (p *Pool) makeDataPool(ctx context.Context, name string) error {
	c := p.p.erasure()
	if c.data == 0 {
		return p.makePool(ctx, name, p.p.placementGroups())
	}
	groups := fmt.Sprint(p.p.placementGroups())
	for _, command := range [][]string{
		{"osd", "erasure-code-profile", "set", name, fmt.Sprintf("k=%d", c.data), fmt.Sprintf("m=%d", c.coding), "crush-failure-domain=" + p.p.apart()},
		{"osd", "pool", "create", name, groups, groups, "erasure", name},
		{"osd", "pool", "set", name, "allow_ec_overwrites", "true"},
	} {
		if err := p.ceph(ctx, nil, command...); err != nil {
			return err
		}
	}
	return nil
}

// cleanLimit is how long placement groups may take to be clean when nothing has to be
// copied.
const cleanLimit = 5 * time.Minute

// awaitClean waits until every placement group is active and clean.
func (p *Pool) awaitClean(ctx context.Context) error {
	var last status
	err := peers.Poll(ctx, cleanLimit, "the placement groups to be active and clean", func() (bool, error) {
		s, err := p.status(ctx)
		if err != nil {
			return false, err
		}
		last = s
		return s.clean(p.p.all()), nil
	})
	if err != nil && last.PGMap != nil {
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// introduce reads the cluster's version and warnings for the results.
func (p *Pool) introduce(ctx context.Context) error {
	var v struct{ Version string }
	if err := p.ask(ctx, 1, "version", &v); err != nil {
		return err
	}
	s, err := p.status(ctx)
	if err != nil {
		return err
	}
	p.version = v.Version
	p.warn(s)
	return nil
}

// Down unmounts and removes everything, as far as it is there.
func (p *Pool) Down(ctx context.Context) error {
	var errs []error
	for _, v := range p.mounted() {
		errs = append(errs, v.discard(ctx))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("take Ceph cluster %s down: %w", p.name, err)
	}
	if err := errors.Join(p.closeRelays(), p.endDaemons(), p.machines.Down(ctx)); err != nil {
		return fmt.Errorf("take Ceph cluster %s down: %w", p.name, err)
	}
	p.mu.Lock()
	clear(p.cut)
	p.root = nil
	p.mu.Unlock()
	p.faults.Take()
	return p.removeDirectories()
}
