package disk

import (
	"context"
	"errors"
	"os"
	"strings"
)

// FileSystem is one that other classes make on devices of their own.
type FileSystem struct{ of fileSystem }

// FileSystemFor is the named one, or else the first that this machine can make and mount.
func FileSystemFor(asked string) FileSystem {
	return FileSystem{fileSystemFor(asked, fileSystem.lacks)}
}

// Name is as mkfs and mount know it: xfs.
func (f FileSystem) Name() string { return f.of.name }

// Reflink reports whether files can share blocks.
func (f FileSystem) Reflink() bool { return f.of.reflink }

// Usable returns an error with everything that this machine lacks to make and mount it.
func (f FileSystem) Usable() error {
	if missing := f.of.lacks(); len(missing) > 0 {
		return errors.New("a file system needs " + strings.Join(missing, "; and "))
	}
	return nil
}

// Make formats a device.
func (f FileSystem) Make(ctx context.Context, device string) error { return f.of.make(ctx, device) }

// Mount mounts a device, which may be the copy of another that is mounted.
func (f FileSystem) Mount(at, device, options string) error {
	if f.of.name == "xfs" {
		options += ",nouuid"
	}
	return f.of.mountAt(at, device, options)
}

// AttachLoop puts a loop device with direct I/O on a file. It goes away with its last
// user, so that it has to be kept open until it is mounted.
func AttachLoop(ctx context.Context, backing string) (*os.File, error) {
	return attachLoop(ctx, backing)
}
