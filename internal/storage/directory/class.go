package directory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/clone"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/volumes"
)

type class struct {
	name    string
	p       Parameters
	env     storage.Env
	home    string // plimsoll-<run>.<name>, below the path
	mount   mounts.Mount
	reflink bool
	tier    *tier // nil for none
	volumes *volumes.Set

	mu   sync.Mutex
	made bool // home is the run's
	up   bool
}

func newClass(name string, p Parameters, env storage.Env) *class {
	home := filepath.Join(p.where(env.Scratch), journal.Name(env.RunID, name))
	return &class{name: name, p: p, env: env, home: home}
}

// Up makes the run's own directory.
func (c *class) Up(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up {
		return nil
	}
	if err := (Kind{}).Usable(&c.p); err != nil {
		return err
	}
	if err := c.makeHome(); err != nil {
		return err
	}
	if err := c.look(); err != nil {
		return err
	}
	set, err := volumes.New(c.home, c.env.Owner, c.reflink)
	c.volumes, c.up = set, err == nil
	return err
}

func (c *class) makeHome() error {
	o := journal.Object{Kind: journal.Directory, Name: c.name, Path: c.home}
	if err := c.env.Journal.Making(o); err != nil {
		return err
	}
	// Servers under another user pass through it, and see nothing.
	if err := safefile.Make(c.home, 0o711); err != nil {
		return errors.Join(fmt.Errorf("make the directory of the storage class: %w", err), c.env.Journal.Removed(o))
	}
	c.made = true
	return c.env.Journal.Made(o)
}

func (c *class) look() (err error) {
	if c.mount, err = mounts.Find(c.home); err != nil {
		return err
	}
	if c.reflink, err = clone.Reflinks(c.home); err != nil {
		return err
	}
	c.tier, _ = thisKernel().tierOf(c.mount.Devices()) // only who asks for one must know
	return c.p.hasTier(c.home)
}

// Devices are the whole disks below the file system.
func (c *class) Devices() []describe.Device {
	var all []describe.Device
	for _, name := range c.mount.Devices() {
		d := describe.Device{Name: name, Role: "data", Actuators: c.p.Width}
		if d.Actuators == 0 {
			d.Actuators, d.Assumed = mounts.Actuators(name)
		}
		all = append(all, d)
	}
	return all
}

// Nodes are none: a directory has no servers that Plimsoll knows of.
func (c *class) Nodes() []storage.Node { return nil }

func (c *class) Import(ctx context.Context, key, source string) error {
	set, err := c.ready()
	if err != nil {
		return err
	}
	return set.Import(ctx, key, source)
}

func (c *class) Provision(_ context.Context, claim storage.Claim) (storage.Volume, error) {
	set, err := c.ready()
	if err != nil {
		return storage.Volume{}, err
	}
	return set.Provision(claim)
}

func (c *class) Clone(ctx context.Context, key string, claim storage.Claim) (storage.Volume, error) {
	set, err := c.ready()
	if err != nil {
		return storage.Volume{}, err
	}
	return set.Clone(ctx, key, claim)
}

func (c *class) Delete(_ context.Context, v storage.Volume) error {
	set, err := c.ready()
	if err != nil {
		return err
	}
	return set.Delete(v)
}

// Settle writes everything back and drops the volumes' pages from the page cache, file by
// file, which needs no rights and leaves the rest of the machine alone.
func (c *class) Settle(ctx context.Context) (string, error) {
	set, err := c.ready()
	if err != nil {
		return "", err
	}
	return set.Settle(ctx, !c.mount.InMemory())
}

// Down removes the run's directory with everything in it.
func (c *class) Down(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.up = false
	if !c.made { // what has its name is another's
		return nil
	}
	if err := clone.Remove(c.home); err != nil {
		return err
	}
	c.made = false
	return c.env.Journal.Removed(journal.Object{Kind: journal.Directory, Name: c.name, Path: c.home})
}

func (c *class) ready() (*volumes.Set, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.up {
		return nil, errors.New("storage class " + c.name + " is not up")
	}
	return c.volumes, nil
}
