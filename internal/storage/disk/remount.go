package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/storage"
	"plimsoll/internal/volumes"
)

var _ storage.Remounter = (*class)(nil)

// Remount unmounts the file system, empties what the kernel keeps of the
// device, and mounts it again, all without simulated times.
func (c *class) Remount(context.Context) (storage.Remounted, error) {
	err := c.prepare(func(*volumes.Set) error {
		device, err := os.OpenFile(c.loop, os.O_RDWR, 0) // it would go away with its last user
		if err != nil {
			return err
		}
		return errors.Join(c.remount(device), device.Close())
	})
	if err != nil {
		return storage.Remounted{}, fmt.Errorf("remount the simulated medium: %w", err)
	}
	return storage.Remounted{Done: fmt.Sprintf("unmounted the %s of the simulated medium and mounted it again", c.r.fs.name)}, nil
}

func (c *class) remount(device *os.File) error {
	if err := unix.Unmount(c.fsMount(), 0); err != nil {
		if busy := users(c.fsMount()); len(busy) > 0 {
			return fmt.Errorf("unmount %s: %w: it is in use by %s", c.fsMount(), err, strings.Join(busy, ", "))
		}
		return fmt.Errorf("unmount %s: %w", c.fsMount(), err)
	}
	flushErr := unix.IoctlSetInt(int(device.Fd()), unix.BLKFLSBUF, 0)
	return errors.Join(c.r.fs.mountAt(c.fsMount(), c.loop, c.r.options), flushErr)
}
