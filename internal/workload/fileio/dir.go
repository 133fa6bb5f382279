package fileio

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Dir is an open directory of a volume. Names are names of its own entries: it reaches
// nothing else and follows no symbolic link.
type Dir struct {
	fd   int
	path string // within the volume
}

// Path is where the directory is within the volume.
func (d *Dir) Path() string { return d.path }

// OpenMode is how a file is opened. The zero value opens it for reading only.
type OpenMode struct {
	Write  bool
	Create bool // it must not exist; also opens for writing
	Direct bool // past the page cache: buffers come from aio.Buffer
	Dsync  bool // every write is on the medium before it is acknowledged
}

func (h OpenMode) flags() int {
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
func (d *Dir) Open(name string, how OpenMode) (*File, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	fd, err := again(func() (int, error) { return unix.Openat(d.fd, name, how.flags(), 0o600) })
	if err != nil {
		return nil, d.refused("open", name, how, err)
	}
	return &File{fd, d.path, name}, nil
}

// refused says why a file could not be opened, and what helps.
func (d *Dir) refused(verb, name string, how OpenMode, cause error) error {
	path := filepath.Join(d.path, name)
	switch {
	case how.Direct && errors.Is(cause, unix.EINVAL):
		return fmt.Errorf("open %s: the file system has no direct I/O; set workload.parameters.io to buffered", path)
	case errors.Is(cause, unix.EMFILE), errors.Is(cause, unix.ENFILE):
		return Classify(fmt.Errorf("open %s: %w: use fewer users, or raise the limit (ulimit -n, fs.file-max)", path, cause))
	}
	return d.failed(verb, name, cause)
}

// failed says what was being done when there is an error, to a file of the directory or,
// without a name, to itself.
func (d *Dir) failed(verb, name string, err error) error {
	if err == nil {
		return nil
	}
	return Classify(fmt.Errorf("%s %s: %w", verb, filepath.Join(d.path, name), err))
}

// Remove removes a file.
func (d *Dir) Remove(name string) error {
	if err := single(name); err != nil {
		return err
	}
	return d.failed("remove", name, unix.Unlinkat(d.fd, name, 0))
}

// Rename moves a file to a name of this directory or another.
func (d *Dir) Rename(name string, to *Dir, newName string) error {
	if err := errors.Join(single(name), single(newName)); err != nil {
		return err
	}
	err := unix.Renameat(d.fd, name, to.fd, newName)
	if err == nil {
		return nil
	}
	return d.failed("rename", name, fmt.Errorf("to %s/%s: %w", to.path, newName, err))
}

// Size asks for the size of a file in bytes (stat).
func (d *Dir) Size(name string) (int64, error) {
	if err := single(name); err != nil {
		return 0, err
	}
	var s unix.Stat_t
	if err := unix.Fstatat(d.fd, name, &s, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, d.failed("stat", name, err)
	}
	if s.Mode&unix.S_IFMT != unix.S_IFREG {
		return 0, d.failed("stat", name, fmt.Errorf("it is no regular file: %w", unix.ELOOP))
	}
	return s.Size, nil
}

// Names lists the directory, in no order.
func (d *Dir) Names() (names []string, err error) {
	if _, err := unix.Seek(d.fd, 0, unix.SEEK_SET); err != nil {
		return nil, d.failed("list", "", err)
	}
	buffer := make([]byte, listBytes)
	for {
		n, err := again(func() (int, error) { return unix.ReadDirent(d.fd, buffer) })
		if n <= 0 || err != nil {
			return names, d.failed("list", "", err)
		}
		_, _, names = unix.ParseDirent(buffer[:n], -1, names)
	}
}

// listBytes is as much of a directory as the C library reads at once.
const listBytes = 32 << 10

// Flush has the names in the directory on the medium (fsync).
func (d *Dir) Flush() error {
	_, err := again(func() (int, error) { return 0, unix.Fsync(d.fd) })
	return d.failed("flush", "", err)
}

// Close lets go of the directory.
func (d *Dir) Close() error { return d.failed("close", "", unix.Close(d.fd)) }

// single refuses anything but the name of one of the directory's own entries.
func single(name string) error {
	if name == "" || name == "." || name == ".." || strings.IndexByte(name, '/') >= 0 || strings.IndexByte(name, 0) >= 0 {
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
