package ceph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/journal"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/peers"
)

// volume is an image of the cluster with what leads to it: the program that shows the image
// as a file, a loop device on that file, and a file system on the device.
type volume struct {
	pool *Pool
	name string

	client *daemon
	device *os.File // the loop device, which goes away with its last user
}

// leastImage is the smallest image that carries every file system.
const leastImage = 320 << 20

// ordinaryImage is the size of an image where nobody says how large it may become. Images
// take space as they are written.
const ordinaryImage = 2 << 30

// image names the image as rbd does, with its pool.
func (v *volume) image() string { return images + "/" + v.name }

func (v *volume) shown() string   { return v.pool.file("images", v.name) }    // where the image is a file
func (v *volume) block() string   { return filepath.Join(v.shown(), v.name) } // the file
func (v *volume) process() string { return "client-" + v.name }

// mount is where the file system is.
func (v *volume) mount() string {
	if v.name == rootName {
		return v.pool.file("images", v.name)
	}
	return v.pool.file("volumes", v.name)
}

// objects are what stays behind a crash, in the order in which they are made.
func (v *volume) objects() []journal.Object {
	switch v.pool.p.Access {
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
	args := []string{"create", v.image(), "--size", fmt.Sprintf("%dM", (bytes+1<<20-1)>>20), "--image-feature", "layering"}
	return v.pool.rbd(ctx, append(args, v.pool.dataPool()...)...)
}

// dataPool has the data of images lie in the pool of an erasure code, if there is one.
func (p *Pool) dataPool() []string {
	if p.p.Erasure == "" {
		return nil
	}
	return []string{"--data-pool", imagesData}
}

// attach makes a block device of the image.
func (v *volume) attach(ctx context.Context) error {
	switch v.pool.p.Access {
	case accessCephFS:
		return v.mountCephFS(ctx)
	case accessRGW:
		return nil
	}
	if err := os.MkdirAll(v.shown(), 0o700); err != nil {
		return err
	}
	p, objects := v.pool, v.objects()
	if err := errors.Join(p.env.Journal.Making(objects[0]), p.env.Journal.Making(objects[1])); err != nil {
		return err
	}
	cmd := p.machines.Client().Command(context.Background(), "rbd-fuse", "-f", "-c", p.conf(), "-p", images, "-r", v.name, v.shown())
	var err error
	if v.client, err = p.launch(v.process(), cmd, (*exec.Cmd).Start); err != nil {
		return err
	}
	if err := v.awaitFile(ctx); err != nil {
		return err
	}
	if v.device, err = disk.AttachLoop(ctx, v.block()); err != nil {
		return err
	}
	objects[1].Loop = v.device.Name()
	return errors.Join(p.env.Journal.Made(objects[0]), p.env.Journal.Made(objects[1]))
}

// awaitFile waits until the image is there as a file.
func (v *volume) awaitFile(ctx context.Context) error {
	return peers.Poll(ctx, time.Minute, "image "+v.name+" to appear", func() (bool, error) {
		if err := v.pool.dead(v.client); err != nil {
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
	if v.pool.p.Access != accessRBD {
		return nil
	}
	if err := os.MkdirAll(v.mount(), 0o711); err != nil {
		return err
	}
	o := v.objects()[2]
	if err := v.pool.env.Journal.Making(o); err != nil {
		return err
	}
	if err := v.pool.fs.Mount(v.mount(), v.device.Name(), "noatime"); err != nil {
		return err
	}
	return errors.Join(os.Chmod(v.mount(), 0o711), v.pool.env.Journal.Made(o))
}

// unmap takes the file system, the device and the client away, also dead ones.
func (v *volume) unmap(ctx context.Context) error {
	p := v.pool
	if v.device != nil {
		_ = v.device.Close() // what is mounted holds it; the journal's sweep detaches it
		v.device = nil
	}
	for _, r := range journal.Sweep(ctx, journal.State{RunID: p.env.RunID, Objects: v.objects()}) {
		if r.Err != nil {
			return fmt.Errorf("unmap volume %s: %w", v.name, r.Err)
		}
	}
	if v.client != nil {
		// It ends with its mount, and writes back what it keeps before.
		select {
		case <-v.client.ended:
		case <-time.After(30 * time.Second):
			v.client.stop(30 * time.Second)
		}
		v.client = nil
	}
	errs := []error{p.env.Journal.Removed(journal.Object{Kind: journal.Process, Name: p.name + "-" + v.process()})}
	for _, o := range v.objects() {
		errs = append(errs, p.env.Journal.Removed(o))
	}
	return errors.Join(append(errs, removeDirectory(v.mount()), removeDirectory(v.shown()))...)
}

// removeDirectory removes an empty directory, if it is there: what is mounted on it has to
// be gone.
func removeDirectory(path string) error {
	if err := unix.Rmdir(path); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// remove removes the image too. The cluster takes a client that was killed for one that is
// there until it has not heard of it for some time.
func (v *volume) remove(ctx context.Context) error {
	if err := v.unmap(ctx); err != nil {
		return err
	}
	switch v.pool.p.Access {
	case accessCephFS:
		return v.removeCephFS(ctx)
	case accessRGW:
		return v.removeBucket(ctx)
	}
	return peers.Poll(ctx, 2*time.Minute, "image "+v.name+" to be removed", func() (bool, error) {
		err := v.pool.rbd(ctx, "rm", "--no-progress", v.image())
		switch {
		case err == nil || strings.Contains(err.Error(), "No such file"):
			return true, nil
		case strings.Contains(err.Error(), "still open") || strings.Contains(err.Error(), "has watchers"):
			return false, nil
		}
		return false, err
	})
}
