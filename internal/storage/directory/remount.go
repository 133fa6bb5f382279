package directory

import (
	"context"
	"fmt"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/volumes"
)

// Capabilities implements storage.Class.
func (c *class) Capabilities() storage.Capabilities {
	return storage.Capabilities{Remount: c.Remount}
}

// Remount drops the volumes' files from the page cache. The file system is not
// this class's to unmount: its own structures may stay in memory.
func (c *class) Remount(ctx context.Context) (storage.RemountResult, error) {
	if _, err := c.ready(); err != nil {
		return storage.RemountResult{}, err
	}
	if c.mount.InMemory() {
		return storage.RemountResult{Done: "found the volumes in memory, where there is no cache to drop"}, nil
	}
	dropped, err := volumes.Drop(ctx, c.home)
	r := storage.RemountResult{Done: dropped.String() + "; the file system stayed mounted", Kept: dropped.Left()}
	if err := volumes.DropNames(); err != nil {
		r.Kept = append(r.Kept, err.Error())
	}
	if len(c.mount.Devices()) == 0 {
		r.Kept = append(r.Kept, fmt.Sprintf("what the servers and clients behind this mount (%s) have in memory, which cannot be dropped from here", c.mount.Type))
	}
	return r, err
}
