package fileio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Dir is an open directory of a volume. Names are those of its own entries:
// nothing else is reached, and no symbolic link is followed.
type Dir struct {
	file *os.File
	path string // within the volume
}

// How says how a file is opened: for reading only, unless it says more.
type How struct {
	Write  bool
	Create bool // it must not exist; also opens for writing
	Direct bool // past the page cache: buffers come from aio.Buffer
	Dsync  bool // every write is on the medium before it is acknowledged
}

func (h How) flags() int {
	flags := unix.O_RDONLY
	switch {
	case h.Create:
		flags = unix.O_RDWR | unix.O_CREAT | unix.O_EXCL
	case h.Write:
		flags = unix.O_RDWR
	}
	if h.Direct {
		flags |= unix.O_DIRECT
	}
	if h.Dsync {
		flags |= unix.O_DSYNC
	}
	return flags | unix.O_NOFOLLOW | unix.O_CLOEXEC
}

// Open opens or creates a file.
func (d *Dir) Open(name string, how How) (*File, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	fd, err := again(func() (int, error) { return unix.Openat(d.descriptor(), name, how.flags(), 0o600) })
	if err != nil {
		return nil, d.refused("open", name, how, err)
	}
	return &File{fd, filepath.Join(d.path, name)}, nil
}

// refused says why a file could not be opened, and what helps.
func (d *Dir) refused(verb, name string, how How, cause error) error {
	path := filepath.Join(d.path, name)
	switch {
	case how.Direct && errors.Is(cause, unix.EINVAL):
		return fmt.Errorf("open %s: the file system has no direct I/O; set workload.parameters.io to buffered", path)
	case errors.Is(cause, unix.EMFILE), errors.Is(cause, unix.ENFILE):
		return Classify(fmt.Errorf("open %s: %w: use fewer users, or raise the limit (ulimit -n, fs.file-max)", path, cause))
	}
	return Classify(fmt.Errorf("%s %s: %w", verb, path, cause))
}

// Remove removes a file.
func (d *Dir) Remove(name string) error {
	if err := single(name); err != nil {
		return err
	}
	return Classify(wrap(unix.Unlinkat(d.descriptor(), name, 0), "remove %s/%s", d.path, name))
}

// Rename moves a file to a name of this directory or another.
func (d *Dir) Rename(name string, to *Dir, newName string) error {
	if err := errors.Join(single(name), single(newName)); err != nil {
		return err
	}
	err := unix.Renameat(d.descriptor(), name, to.descriptor(), newName)
	return Classify(wrap(err, "rename %s/%s to %s/%s", d.path, name, to.path, newName))
}

// Size asks for the size of a file in bytes (stat).
func (d *Dir) Size(name string) (int64, error) {
	if err := single(name); err != nil {
		return 0, err
	}
	var s unix.Stat_t
	if err := unix.Fstatat(d.descriptor(), name, &s, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, Classify(wrap(err, "stat %s/%s", d.path, name))
	}
	if s.Mode&unix.S_IFMT != unix.S_IFREG {
		return 0, Classify(wrap(unix.ELOOP, "stat %s/%s: it is no regular file", d.path, name))
	}
	return s.Size, nil
}

// Names lists the directory, in no order.
func (d *Dir) Names() ([]string, error) {
	if _, err := d.file.Seek(0, io.SeekStart); err != nil {
		return nil, Classify(err)
	}
	names, err := d.file.Readdirnames(0)
	return names, Classify(wrap(err, "list %s", d.path))
}

// Flush has the names in the directory on the medium (fsync).
func (d *Dir) Flush() error {
	_, err := again(func() (int, error) { return 0, unix.Fsync(d.descriptor()) })
	return Classify(wrap(err, "flush %s", d.path))
}

// Close lets go of the directory.
func (d *Dir) Close() error { return d.file.Close() }

func (d *Dir) descriptor() int { return int(d.file.Fd()) }

// single refuses what is no name of a directory's own entry.
func single(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return fmt.Errorf("%q is not the name of a file in a directory", name)
	}
	return nil
}

// again repeats a call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}
