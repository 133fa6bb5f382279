package ceph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/peers"
)

// volume is an image of the cluster with what leads to it: the program that shows the image
// as a file, a loop device on that file, and a file system on the device. On CephFS it is a
// directory with the program that mounts it.
type volume struct {
	of   *clients
	pool *Pool // of our own; nil in an existing cluster
	name string
	path string // of the directory in CephFS
	// announced reports whether an existing cluster may have something of it.
	announced bool

	client    *daemon
	snapshots int      // that events took
	device    *os.File // the loop device, which goes away with its last user
}

// leastImage is the smallest image that carries every file system.
const leastImage = 320 << 20

// ordinaryImage is the size of an image without a given size. Images take space as they are
// written.
const ordinaryImage = 2 << 30

// stored names the image in its pool, or the subvolume in its file system.
func (v *volume) stored() string {
	if v.of.lent == nil {
		return v.name
	}
	return v.of.lent.name(v.name)
}

// image names the image as rbd does, with its pool; a subvolume likewise.
func (v *volume) image() string { return v.of.images + "/" + v.stored() }

func (v *volume) shown() string   { return v.of.file("images", v.name) }          // where the image is a file
func (v *volume) block() string   { return filepath.Join(v.shown(), v.stored()) } // the file
func (v *volume) process() string { return "client-" + v.name }

// mount is where the file system is.
func (v *volume) mount() string {
	if v.name == rootName {
		return v.of.file("images", v.name)
	}
	return v.of.file("volumes", v.name)
}

// objects are what stays behind a crash, in the order in which they are made.
func (v *volume) objects() []journal.Object {
	switch v.of.p.Access {
	case accessRGW:
		return nil
	case accessCephFS:
		return []journal.Object{{Kind: journal.Mount, Path: v.mount()}}
	}
	return []journal.Object{
		{Kind: journal.Mount, Path: v.shown()},
		{Kind: journal.Loop, Path: v.block()},
		{Kind: journal.Mount, Path: v.mount()},
	}
}

// create makes an empty image of so many bytes.
func (v *volume) create(ctx context.Context, bytes int64) error {
	return v.makeImage(ctx, "create", v.image(), "--size", fmt.Sprintf("%dM", (bytes+1<<20-1)>>20), "--image-feature", "layering")
}

// makeImage makes the image by a command. In an existing cluster it is in the journal before,
// and is marked as the run's, which an interrupt does not come between.
func (v *volume) makeImage(ctx context.Context, args ...string) error {
	if v.of.lent != nil {
		if err := v.announce(ctx); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx)
	}
	err := v.of.rbd(ctx, append(args, v.of.dataPool()...)...)
	if err != nil || v.of.lent == nil {
		return err
	}
	return v.of.mark(ctx, v.image(), v.of.lent.run)
}

// dataPool puts the data of images in the erasure-coded pool, if there is one.
func (c *clients) dataPool() []string {
	if c.p.Erasure == "" {
		return nil
	}
	return []string{"--data-pool", imagesData}
}

// attach makes a block device of the image.
func (v *volume) attach(ctx context.Context) error {
	switch v.of.p.Access {
	case accessCephFS:
		return v.mountCephFS(ctx)
	case accessRGW:
		return nil
	}
	if err := safefile.Ensure(v.shown(), 0o700); err != nil {
		return err
	}
	c, objects := v.of, v.objects()
	if err := errors.Join(c.env.Journal.Making(objects[0]), c.env.Journal.Making(objects[1])); err != nil {
		return err
	}
	cmd := c.command(context.Background(), slices.Concat([]string{"rbd-fuse", "-f", "-p", c.images, "-r", v.stored(), v.shown()}, c.options)...)
	var err error
	if v.client, err = c.launch(v.process(), cmd, (*exec.Cmd).Start); err != nil {
		return err
	}
	if err := v.awaitFile(ctx); err != nil {
		return err
	}
	if v.device, err = disk.AttachLoop(ctx, v.block()); err != nil {
		return err
	}
	objects[1].Loop = v.device.Name()
	return errors.Join(c.env.Journal.Made(objects[0]), c.env.Journal.Made(objects[1]))
}

// awaitFile waits until the image is there as a file.
func (v *volume) awaitFile(ctx context.Context) error {
	return peers.Poll(ctx, time.Minute, "image "+v.name+" to appear", func() (bool, error) {
		if err := v.of.dead(v.client); err != nil {
			return false, err
		}
		if !slices.Contains(journal.MountPoints(v.shown()), v.shown()) {
			return false, nil
		}
		info, err := os.Stat(v.block())
		return err == nil && info.Size() > 0, nil
	})
}

// mountFS mounts the file system of the image, if it has one.
func (v *volume) mountFS() error {
	if v.of.p.Access != accessRBD {
		return nil
	}
	if err := safefile.Ensure(v.mount(), 0o711); err != nil {
		return err
	}
	o := v.objects()[2]
	if err := v.of.env.Journal.Making(o); err != nil {
		return err
	}
	if err := v.of.fs.Mount(v.mount(), v.device.Name(), "noatime"); err != nil {
		return err
	}
	err := v.device.Close() // from here on the mount is its last user
	v.device = nil
	return errors.Join(err, safefile.Chmod(v.mount(), 0o711), v.of.env.Journal.Made(o))
}

// unmap takes the file system, the device and the client away, also dead ones.
func (v *volume) unmap(ctx context.Context) error {
	c := v.of
	if v.device != nil {
		_ = v.device.Close() // the mount holds it; the journal's sweep detaches it
		v.device = nil
	}
	if err := c.env.Journal.Swept(journal.Sweep(ctx, journal.State{RunID: c.env.RunID, Objects: v.objects()})); err != nil {
		return fmt.Errorf("unmap volume %s: %w", v.name, err)
	}
	if v.client != nil {
		// The client ends with its mount, after writing back its cache.
		select {
		case <-v.client.ended:
		case <-time.After(30 * time.Second):
			v.client.stop(30 * time.Second)
		}
		v.client = nil
	}
	return errors.Join(c.env.Journal.Removed(journal.Object{Kind: journal.Process, Name: c.name + "-" + v.process()}),
		removeDirectory(v.mount()), removeDirectory(v.shown()))
}

// removeDirectory removes an empty directory, if it exists. Nothing may be mounted on it.
func removeDirectory(path string) error {
	if err := unix.Rmdir(path); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// discard takes away what leads to the volume; what its client keeps is not wanted any more.
func (v *volume) discard(ctx context.Context) error {
	err := v.unmap(ctx)
	if err != nil && v.client != nil {
		v.client.kill() // it cannot be written back, as to a full pool
		err = v.unmap(ctx)
	}
	return err
}

// remove removes the image too.
func (v *volume) remove(ctx context.Context) error {
	if err := v.discard(ctx); err != nil {
		return err
	}
	switch {
	case v.of.lent != nil:
		return v.giveBack(ctx)
	case v.of.p.Access == accessCephFS:
		return v.removeCephFS(ctx)
	case v.of.p.Access == accessRGW:
		return v.removeBucket(ctx)
	}
	if v.snapshots > 0 {
		if err := v.of.purge(ctx, v.image()); err != nil {
			return err
		}
	}
	return v.of.removeImage(ctx, v.image())
}
