package local

import (
	"context"
	"errors"

	"plimsoll/internal/host/clone"
	"plimsoll/internal/storage"
)

// CopyOut copies the volume's directory. Half a copy proves nothing and fills the
// disk, so nothing is left of one that fails.
func (l *Local) CopyOut(ctx context.Context, v storage.Volume, to string) error {
	if _, err := clone.Tree(ctx, v.Path, to, clone.Options{UID: clone.Keep, GID: clone.Keep}); err != nil {
		return errors.Join(err, clone.Remove(to))
	}
	return nil
}
