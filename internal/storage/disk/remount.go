package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/volumes"
)

// Remount unmounts the file system, empties the kernel's caches of the device, and mounts
// it again, all without simulated latencies.
func (c *class) Remount(ctx context.Context) (storage.RemountResult, error) {
	err := c.prepare(func(*volumes.Set) error {
		device, err := os.OpenFile(c.loop, os.O_RDWR, 0) // it would go away with its last user
		if err != nil {
			return err
		}
		return errors.Join(c.remount(ctx, device), device.Close())
	})
	if err != nil {
		return storage.RemountResult{}, fmt.Errorf("remount the simulated medium: %w", err)
	}
	return storage.RemountResult{Done: fmt.Sprintf("unmounted the %s of the simulated medium and mounted it again", c.r.fs.name)}, nil
}

func (c *class) remount(ctx context.Context, device *os.File) error {
	if err := unix.Unmount(c.fsMount(), 0); err != nil {
		if busy := users(c.fsMount()); len(busy) > 0 {
			return fmt.Errorf("unmount %s: %w: it is in use by %s", c.fsMount(), err, strings.Join(busy, ", "))
		}
		return fmt.Errorf("unmount %s: %w", c.fsMount(), err)
	}
	ctx, cancel := context.WithTimeout(ctx, copiesLimit)
	defer cancel()
	stillErr := c.unused(ctx)
	flushErr := unix.IoctlSetInt(int(device.Fd()), unix.BLKFLSBUF, 0)
	return errors.Join(c.r.fs.mountAt(c.fsMount(), c.loop, c.r.options), flushErr, stillErr)
}

// copiesLimit is how long copies of the mount may last.
const copiesLimit = 10 * time.Second

// unused waits until the file system is mounted nowhere: a mount namespace that was
// made meanwhile has a copy of the mount. Mounting the device again would then give the
// same file system with its cache.
func (c *class) unused(ctx context.Context) error {
	for {
		device, err := os.OpenFile(c.loop, os.O_RDONLY|unix.O_EXCL, 0)
		if err == nil {
			return device.Close()
		}
		if !errors.Is(err, unix.EBUSY) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s was unmounted, but the page cache was not dropped, because a service or container that began meanwhile has a copy of the mount; end it: it is in use by %s",
				c.fsMount(), strings.Join(namespaces(c.fsMount()), ", "))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
