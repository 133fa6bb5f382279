// Package fileio is the common base of workloads on files: access confined to a volume;
// reads and writes that are complete or fail with a classified error; content that
// identifies itself; and the identity of a volume.
//
// A workload opens the volume once (Open), makes and removes directories through it, and
// opens the directories that its sessions work in (Root.Dir). A Dir accepts names of one
// part and follows no symbolic link, so each call is a single system call and still cannot
// leave the volume.
package fileio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/mounts"
)

// Root is the directory of a volume. No path reaches out of it, not through
// symbolic links either.
type Root struct {
	root *os.Root
	self *os.File // the directory
	path string
}

// OpenVolume opens the directory of a volume without a server.
func OpenVolume(e endpoint.Endpoint) (*Root, error) {
	v, err := endpoint.As[endpoint.Volume](e)
	if err != nil {
		return nil, fmt.Errorf("open the volume: %w", err)
	}
	return Open(v.Path)
}

// Open opens the directory of a volume.
func Open(path string) (*Root, error) {
	root, err := os.OpenRoot(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, classifiedError{fmt.Errorf("open the volume: %w", err), VolumeGone}
	case err != nil:
		return nil, Classify(fmt.Errorf("open the volume: %w", err))
	}
	self, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(Classify(fmt.Errorf("open the volume: %w", err)), root.Close())
	}
	return &Root{root, self, path}, nil
}

// Path is where the volume is, for messages.
func (r *Root) Path() string { return r.path }

// Close lets go of the directory.
func (r *Root) Close() error { return errors.Join(r.self.Close(), r.root.Close()) }

// Make makes a directory that must not exist, for its owner alone.
func (r *Root) Make(path string) error {
	err := r.root.Mkdir(path, 0o700)
	if errors.Is(err, os.ErrExist) {
		return r.notEmpty(path)
	}
	return Classify(mounts.NameFull(err, filepath.Join(r.path, path)))
}

func (r *Root) notEmpty(path string) error {
	return fmt.Errorf("prepare the volume: %s exists, but the volume must be empty", filepath.Join(r.path, path))
}

// Remove removes a file or a directory with all that is in it, if it is there.
func (r *Root) Remove(path string) error { return Classify(r.root.RemoveAll(path)) }

// CheckSpace makes sure that so many more bytes fit.
func (r *Root) CheckSpace(bytes int64) error {
	space, err := mounts.SpaceOf(r.path)
	if err != nil {
		return err
	}
	if bytes > space.Free {
		return Classify(fmt.Errorf("%d bytes are needed: %w", bytes, mounts.NameFull(unix.ENOSPC, filepath.Join(r.path, identityFile))))
	}
	return nil
}

// Sync writes the volume's file system back to the medium.
func (r *Root) Sync() error {
	return Classify(wrap(unix.Syncfs(int(r.self.Fd())), "write back the file system of %s", r.path))
}

// Dir opens a directory of the volume; "." is the volume's own.
func (r *Root) Dir(path string) (*Dir, error) {
	fd, err := r.openAtOnce(path)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // an old kernel, or a filter of system calls
		fd, err = r.openByParts(path)
	}
	if err != nil {
		return nil, Classify(wrap(err, "open %s", path))
	}
	return &Dir{fd, path}, nil
}

// openAtOnce opens a directory with one call, as programs do. (os.Root takes one for
// each part of the path, which over a network is a round trip each.)
func (r *Root) openAtOnce(path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	return again(func() (int, error) { return unix.Openat2(int(r.self.Fd()), path, &how) })
}

func (r *Root) openByParts(path string) (int, error) {
	f, err := r.root.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return 0, err
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return fd, errors.Join(err, f.Close())
}

// wrap says what was being done when there is an error.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
