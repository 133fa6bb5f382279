// Package fileio is what workloads on files share: a volume outside of which
// nothing is reached, reads and writes that are complete or an error with its
// class, content that says what it is, and the identity of a volume.
//
// A workload opens the volume once (Open), makes and removes directories through
// it, and opens those that its sessions work in (Root.Dir). A Dir takes names of
// one part and follows no symbolic link, so that each call is a single system
// call and still cannot leave the volume.
package fileio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plimsoll/internal/mounts"
)

// Root is the directory of a volume. No path reaches out of it, not through
// symbolic links either.
type Root struct {
	root *os.Root
	path string
}

// Open opens the directory of a volume.
func Open(path string) (*Root, error) {
	root, err := os.OpenRoot(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, classed{fmt.Errorf("open the volume: %w", err), VolumeGone}
	case err != nil:
		return nil, Classify(fmt.Errorf("open the volume: %w", err))
	}
	return &Root{root, path}, nil
}

// Path is where the volume is, for messages.
func (r *Root) Path() string { return r.path }

// Close lets go of the directory.
func (r *Root) Close() error { return r.root.Close() }

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
	d, err := r.root.Open(".")
	if err != nil {
		return Classify(err)
	}
	err = unix.Syncfs(int(d.Fd()))
	return errors.Join(Classify(wrap(err, "write back the file system of %s", r.path)), d.Close())
}

// Dir opens a directory of the volume; "." is the volume's own.
func (r *Root) Dir(path string) (*Dir, error) {
	f, err := r.root.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, Classify(err)
	}
	return &Dir{f, path}, nil
}

// wrap says what was being done when there is an error.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
