package directory

import (
	"context"

	"plimsoll/internal/storage"
	"plimsoll/internal/volumes"
)

var _ storage.Remounter = (*class)(nil)

// Remount drops the volumes' files from the page cache. The file system is not
// this class's to unmount: its own structures may stay in memory.
func (c *class) Remount(ctx context.Context) (string, error) {
	if _, err := c.ready(); err != nil {
		return "", err
	}
	if c.mount.InMemory() {
		return "the volumes are in memory, so there is no cache to drop", nil
	}
	dropped, err := volumes.Drop(ctx, c.home)
	return dropped.String() + "; the file system stayed mounted", err
}
