package safefile

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Open opens a directory by an absolute path, for access to files below it (O_PATH). It
// needs openat2(2), Linux 5.6.
func Open(path string) (*os.File, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return nil, &os.PathError{Op: "open without following links", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// Root opens a directory by an absolute path, to work in.
func Root(path string) (*os.Root, error) {
	dir, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()))
}

// Resolve returns a path without links in what exists of its directories. The last part
// stays as it is.
func Resolve(path string) string {
	parent, name := filepath.Dir(path), filepath.Base(path)
	if parent == path {
		return path
	}
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		return filepath.Join(real, name)
	}
	return filepath.Join(Resolve(parent), name)
}
