// Package untrusted reads files of a directory that another user may have made,
// such as a run that was received: only regular files, only inside the
// directory, and none larger than its reader can use. A pipe does not hang the
// reader, a huge file does not fill its memory, and a link does not lead it to
// other files.
package untrusted

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
)

// Open opens a file below a directory for reading. A link may lead to another
// file below the directory. most is in bytes.
func Open(dir, name string, most int64) (*os.File, error) {
	return open(dir, name, os.O_RDONLY, most)
}

// Append opens or creates a file below a directory for reading and appending.
func Append(dir, name string) (*os.File, error) {
	return open(dir, name, os.O_CREATE|os.O_APPEND|os.O_RDWR, math.MaxInt64)
}

func open(dir, name string, flags int, most int64) (*os.File, error) {
	root, err := rootOf(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Without O_NONBLOCK the opening of a pipe waits for its writer.
	f, err := root.OpenFile(filepath.FromSlash(name), flags|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, refused(name, err)
	}
	info, err := f.Stat()
	if err == nil {
		err = check(info, most)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read reads a whole file below a directory.
func Read(dir, name string, most int64) ([]byte, error) {
	f, err := Open(dir, name, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return whole(f, most)
}

// whole reads a file to its end, or so many bytes of one that grew meanwhile.
func whole(f *os.File, most int64) ([]byte, error) {
	var all bytes.Buffer
	if info, err := f.Stat(); err == nil {
		all.Grow(int(min(info.Size(), most)) + bytes.MinRead)
	}
	_, err := all.ReadFrom(io.LimitReader(f, most))
	return all.Bytes(), err
}

// rootOf opens a directory. On a pipe, os.OpenRoot would wait for a writer.
func rootOf(dir string) (*os.Root, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	return os.OpenRoot(dir)
}

// Inside refuses the name of a file to be written below a directory when a
// link leads out of it.
func Inside(dir, name string) error {
	root, err := rootOf(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return refused(name, err)
	}
	return nil
}

// refused says in words that a link leads out of the directory, the one error
// of os.Root that is not the system's.
func refused(name string, err error) error {
	var path *fs.PathError
	var system syscall.Errno
	if errors.As(err, &path) && !errors.As(err, &system) {
		return &fs.PathError{Op: path.Op, Path: name, Err: errors.New("is a link that points outside its directory")}
	}
	return err
}

func check(info fs.FileInfo, most int64) error {
	switch {
	case info.IsDir():
		return errors.New("is a directory, not a file")
	case !info.Mode().IsRegular():
		return errors.New("is a pipe, socket or device, not a regular file")
	case info.Size() > most:
		return fmt.Errorf("has %d bytes; the limit is %d", info.Size(), most)
	}
	return nil
}
