package claim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/describe"
	"plimsoll/internal/storage"
)

type class struct {
	name string
	p    Parameters
	env  storage.Env
	is   storage.ClaimClass // of the cluster; known once it is up

	mu      sync.Mutex
	up      bool
	volumes map[string]*volume // by name
	golden  map[string]string  // names of volumes with data sets, by key

	asking sync.Mutex // held while the cluster is asked whether it clones
	clones *answer
}

// volume is one that was asked for.
type volume struct {
	storage.Volume
	made, deleted bool
}

// Capabilities implements storage.Class.
func (c *class) Capabilities() storage.Capabilities {
	return storage.Capabilities{Clones: c.Clones}
}

// Up looks for the StorageClass.
func (c *class) Up(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up {
		return nil
	}
	if c.env.Claims == nil {
		return errors.New("claims are volumes of a cluster; run the study with --platform kubernetes, or use storage of another class")
	}
	is, err := c.env.Claims.ClaimClass(ctx, c.p.className())
	if err != nil {
		return err
	}
	c.is, c.up = is, true
	return nil
}

func (c *class) ready() error {
	if !c.up {
		return errors.New("storage class " + c.name + " is not up")
	}
	return nil
}

// Devices are none that Plimsoll could tell apart on the nodes.
func (c *class) Devices() []describe.Device { return nil }

// Nodes are none: who serves the claims is the cluster's business.
func (c *class) Nodes() []storage.Node { return nil }

// Import remembers which volume holds a data set.
func (c *class) Import(_ context.Context, key, source string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.ready(); err != nil {
		return err
	}
	if v := c.volumes[source]; v == nil || !v.made {
		return fmt.Errorf("storage class %s has no volume %q to clone", c.name, source)
	}
	c.golden[key] = source
	return nil
}

// Provision makes an empty claim.
func (c *class) Provision(ctx context.Context, claim storage.Claim) (storage.Volume, error) {
	return c.make(ctx, storage.PlatformClaim{Claim: claim})
}

// Clone makes a claim with the contents of the volume of a key.
func (c *class) Clone(ctx context.Context, key string, claim storage.Claim) (storage.Volume, error) {
	c.mu.Lock()
	from := c.volumes[c.golden[key]]
	c.mu.Unlock()
	if from == nil {
		return storage.Volume{}, fmt.Errorf("clone volume %s: golden volume %q has not been imported", claim.Name, key)
	}
	way, err := c.way(ctx)
	if err != nil {
		return storage.Volume{}, err
	}
	if !way.clones {
		return storage.Volume{}, fmt.Errorf("clone volume %s: %s", claim.Name, way.why)
	}
	return c.make(ctx, storage.PlatformClaim{Claim: claim, From: &from.Volume, BySnapshot: way.bySnapshot})
}

// make fills in what all claims of the class have in common.
func (c *class) make(ctx context.Context, claim storage.PlatformClaim) (storage.Volume, error) {
	name := claim.Name
	if err := claim.Of(c.p.volumeKind()); err != nil {
		return storage.Volume{}, err
	}
	v, err := c.reserve(name)
	if err != nil {
		return storage.Volume{}, err
	}
	claim.Kind, claim.Class, claim.Bytes, claim.AccessMode = c.p.volumeKind(), c.is.Name, c.bytes(claim.Bytes), c.p.AccessMode
	made, err := c.env.Claims.MakeClaim(ctx, claim)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		delete(c.volumes, name)
		return storage.Volume{}, err
	}
	v.Volume, v.made = made, true
	return made, nil
}

func (c *class) reserve(name string) (*volume, error) {
	if name == "" || strings.Trim(name, ".") == "" || strings.ContainsAny(name, "/\x00") {
		return nil, fmt.Errorf("%q is not a valid volume name: use letters, digits and hyphens", name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.ready(); err != nil {
		return nil, err
	}
	if have := c.volumes[name]; have != nil && !have.deleted {
		return nil, fmt.Errorf("volume %s exists already", name)
	}
	v := &volume{}
	c.volumes[name] = v
	return v, nil
}

// fallbackBytes is the size of claims where the need of instances is unknown.
const fallbackBytes = 10 << 30

func (c *class) bytes(wanted int64) int64 {
	switch {
	case c.p.Size > 0:
		return int64(c.p.Size)
	case wanted > 0:
		return wanted
	case c.env.VolumeBytes > 0:
		return c.env.VolumeBytes
	}
	return fallbackBytes
}

// Delete deletes a claim of this class.
func (c *class) Delete(ctx context.Context, v storage.Volume) error {
	c.mu.Lock()
	mine := c.volumes[v.Name]
	c.mu.Unlock()
	switch {
	case mine == nil || !mine.made || mine.Claim != v.Claim:
		return fmt.Errorf("delete volume %s: it is not a volume of storage class %s", v.Name, c.name)
	case mine.deleted:
		return nil
	}
	if err := c.env.Claims.DeleteClaim(ctx, mine.Volume); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	mine.deleted = true
	return nil
}

// Settle has nothing to do: the caches belong to the nodes.
func (c *class) Settle(context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return "the page caches of the nodes were left as they are", c.ready()
}

// downAtOnce is how many claims are deleted at the same time.
const downAtOnce = 8

// Down deletes the class's remaining claims, golden ones last: snapshots and clones may
// depend on them.
func (c *class) Down(ctx context.Context) error {
	c.mu.Lock()
	c.up = false
	sources := map[string]bool{}
	for _, source := range c.golden {
		sources[source] = true
	}
	var clones, golden []storage.Volume
	for name, v := range c.volumes {
		switch {
		case !v.made || v.deleted:
		case sources[name]:
			golden = append(golden, v.Volume)
		default:
			clones = append(clones, v.Volume)
		}
	}
	c.mu.Unlock()
	return errors.Join(c.deleteAll(ctx, clones), c.deleteAll(ctx, golden))
}

func (c *class) deleteAll(ctx context.Context, all []storage.Volume) error {
	errs := make([]error, len(all))
	var g errgroup.Group
	g.SetLimit(downAtOnce)
	for n, v := range all {
		g.Go(func() error {
			errs[n] = c.Delete(ctx, v)
			return nil
		})
	}
	return errors.Join(g.Wait(), errors.Join(errs...))
}
