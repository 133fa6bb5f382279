package ceph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/volumes"
)

// clients are what clusters of our own and existing ones have in common: the volumes that
// a run has in them, with the programs and directories that lead there.
type clients struct {
	cluster
	name   string
	p      *Parameters
	env    storage.Env
	fs     disk.FileSystem
	images string // the pool of the images; in an existing cluster the CephFS of subvolumes, too
	lent   *loan  // nil in a cluster of our own

	up       bool
	version  string   // 16.2.15; several where the daemons of a cluster differ
	warnings []string // of the cluster's own health, when it was up

	mu      sync.Mutex // guards what follows
	volumes map[string]*volume
	golden  map[string]*golden
	imports int // golden volumes so far
}

func (c *clients) file(names ...string) string {
	return filepath.Join(append([]string{c.env.Scratch}, names...)...)
}

// commands are the programs of Ceph that a run starts and waits for, in the journal.
func (c *clients) commands() journal.Object {
	return journal.Object{Kind: journal.Process, Name: c.name + "-commands"}
}

// markCommands has the programs found after a crash.
func (c *clients) markCommands() error {
	c.marker = c.env.Journal.Marker(c.commands().Name)
	return c.env.Journal.Making(c.commands())
}

// makeDirectories makes the directories of the volumes and their clients, and the others.
func (c *clients) makeDirectories(others ...string) error {
	o := journal.Object{Kind: journal.Directory, Path: c.env.Scratch}
	if err := errors.Join(c.markCommands(), c.env.Journal.Making(o)); err != nil {
		return err
	}
	// Other users pass through to the volumes.
	err := errors.Join(safefile.Ensure(c.env.Scratch, 0o711), safefile.Ensure(c.file("volumes"), 0o711))
	for _, dir := range slices.Concat([]string{"images", "log"}, others) {
		err = errors.Join(err, safefile.Ensure(c.file(dir), 0o700))
	}
	if err != nil {
		return fmt.Errorf("make the directory of the cluster: %w", err)
	}
	return c.env.Journal.Made(o)
}

// removeDirectories ends the use of a cluster whose volumes are gone.
func (c *clients) removeDirectories() error {
	c.mu.Lock()
	clear(c.volumes)
	clear(c.golden)
	c.mu.Unlock()
	c.up, c.warnings = false, nil
	if err := os.RemoveAll(c.env.Scratch); err != nil {
		return err
	}
	return errors.Join(c.env.Journal.Removed(journal.Object{Kind: journal.Directory, Path: c.env.Scratch}), c.env.Journal.Removed(c.commands()))
}

// warn notes the cluster's own warnings.
func (c *clients) warn(s status) {
	for _, text := range s.warnings() {
		c.warnings = append(c.warnings, fmt.Sprintf("the cluster reported %s before the run: %s", s.Health.Status, text))
	}
}

// lastMaintained is the oldest series that upstream still maintained when this was written.
const lastMaintained = 18

// notes are those that every cluster has.
func (c *clients) notes() []string {
	var series int
	if _, err := fmt.Sscanf(c.version, "%d.", &series); err == nil && series < lastMaintained {
		return append(slices.Clone(c.warnings), fmt.Sprintf("Ceph %s is of a series that upstream no longer maintains: newer ones may be faster or slower", c.version))
	}
	return slices.Clone(c.warnings)
}

// throughFUSE is the note on images in results.
const throughFUSE = "images are reached through rbd-fuse and a loop device, which cost more CPU than the kernel's client"

// imageClient and fileClient name what leads to images and to CephFS.
const (
	imageClient = "rbd-fuse and a loop device"
	fileClient  = "ceph-fuse"
)

// onCephFS is the type of file system that its client shows.
const onCephFS = "fuse.ceph-fuse"

func (c *clients) all() (all []*volume) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.volumes {
		all = append(all, v)
	}
	return all
}

// imageSize is how large the image of a claim is.
func (c *clients) imageSize(claim storage.Claim) int64 {
	for _, size := range []int64{int64(c.p.ImageSize), claim.Bytes, c.env.VolumeBytes} {
		if size > 0 {
			return max(size, leastImage)
		}
	}
	return ordinaryImage
}

// volumeName is what images and directories can be called.
var volumeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// makeVolume makes a volume for a claim. If it fails, it removes what it has made so far.
func (c *clients) makeVolume(ctx context.Context, claim storage.Claim, v *volume, do func(*volume) error) (made storage.Volume, err error) {
	kinds := Kind{}.VolumeKinds(c.p)
	if err := claim.Of(kinds...); err != nil {
		return made, err
	}
	if !volumeName.MatchString(claim.Name) {
		return made, fmt.Errorf("%q is not a valid name of a volume: use letters, digits and hyphens", claim.Name)
	}
	if !c.up {
		return made, errors.New("Ceph cluster " + c.name + " is not up")
	}
	c.mu.Lock()
	_, twice := c.volumes[claim.Name]
	if !twice {
		c.volumes[claim.Name] = v
	}
	c.mu.Unlock()
	if twice {
		return made, fmt.Errorf("volume %s already exists", claim.Name)
	}
	if err := errors.Join(ctx.Err(), do(v)); err != nil {
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Minute)
		defer cancel()
		return made, errors.Join(fmt.Errorf("make volume %s: %w", claim.Name, err), c.delete(patient, v))
	}
	return v.made(claim), nil
}

// empty makes the volume as its claim asks for it.
func (v *volume) empty(ctx context.Context, claim storage.Claim) error {
	size := v.of.imageSize(claim)
	if v.of.p.Access == accessDevice {
		return errors.Join(v.create(ctx, size), v.attach(ctx))
	}
	if err := v.fresh(ctx, size); err != nil {
		return err
	}
	uid, gid := v.of.env.Owner.For(claim)
	return safefile.MakeFor(v.data(), 0o700, uid, gid)
}

// data is where the users of a file system find it.
func (v *volume) data() string { return filepath.Join(v.mount(), "data") }

// made is the volume as its users find it.
func (v *volume) made(claim storage.Claim) storage.Volume {
	switch v.of.p.Access {
	case accessDevice:
		return storage.DeviceVolume(v.name, v.device.Name(), v.of.imageSize(claim))
	case accessRGW:
		return storage.Volume{Name: v.name, Reached: v.reached()}
	}
	return storage.Volume{Name: v.name, Path: v.data()}
}

// Delete removes a volume.
func (c *clients) Delete(ctx context.Context, v storage.Volume) error {
	c.mu.Lock()
	own := c.volumes[v.Name]
	c.mu.Unlock()
	ours := c.file("volumes", v.Name, "data")
	switch {
	case c.p.Access == accessRGW:
		ours = ""
	case c.p.Access == accessDevice && own != nil && own.device != nil:
		ours = own.device.Name()
	}
	if v.Path != ours && (c.p.Access != accessDevice || own != nil) {
		return fmt.Errorf("delete volume %s: %s is not a volume of Ceph cluster %s", v.Name, v.Path, c.name)
	}
	if own == nil {
		return nil
	}
	return c.delete(ctx, own)
}

func (c *clients) delete(ctx context.Context, v *volume) error {
	if err := v.remove(ctx); err != nil {
		return fmt.Errorf("delete volume %s: %w", v.name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.volumes, v.name)
	return nil
}

// drop writes back this machine's dirty pages and drops them from the page cache.
func (c *clients) drop(ctx context.Context) error {
	for _, v := range c.all() {
		switch c.p.Access {
		case accessRGW: // its clients keep nothing
			return nil
		case accessDevice:
			if err := flushDevice(v.device); err != nil {
				return fmt.Errorf("volume %s: %w", v.name, err)
			}
			continue
		}
		if _, err := volumes.Drop(ctx, v.mount()); err != nil {
			return fmt.Errorf("volume %s: %w", v.name, err)
		}
	}
	return nil
}

// flushDevice writes a device back and drops it from the page cache.
func flushDevice(device *os.File) error {
	return errors.Join(device.Sync(), unix.IoctlSetInt(int(device.Fd()), unix.BLKFLSBUF, 0))
}

// remounts is how many volumes are unmounted or mounted at once.
const remounts = 4

// again maps a volume and mounts it where it was.
func (v *volume) again(ctx context.Context) error {
	if err := v.attach(ctx); err != nil {
		return err
	}
	return v.mountFS()
}

func (c *clients) eachVolume(ctx context.Context, do func(*volume, context.Context) error) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(remounts)
	for _, v := range c.all() {
		all.Go(func() error {
			if err := do(v, ctx); err != nil {
				return fmt.Errorf("volume %s: %w", v.name, err)
			}
			return nil
		})
	}
	return all.Wait()
}
