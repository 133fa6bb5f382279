package untrusted

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Named opens a regular file that a user named. Its path may lead anywhere and through
// links. most is in bytes.
func Named(path string, most int64) (*os.File, error) {
	f, err := Unwaiting(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = check(info, most)
	}
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "read", Path: path, Err: err}, f.Close())
	}
	return f, nil
}

// ReadNamed reads a whole file that Named opens.
func ReadNamed(path string, most int64) ([]byte, error) {
	f, err := Named(path, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return whole(f, most)
}

// Unwaiting opens a file of any type without waiting for the writer of a pipe. The caller
// has to bound the size and the time of reads from it.
func Unwaiting(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("%s is a socket or a device without a driver, not a file", path)
	}
	return f, err
}

// ReadDir lists a directory, sorted, like os.ReadDir, but does not wait for a writer if the
// path is a pipe.
func ReadDir(path string) ([]fs.DirEntry, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Tree is a directory as os.DirFS gives it, links followed, in which a pipe makes nobody wait and
// only regular files and directories are opened.
type Tree string

// Open implements fs.FS.
func (t Tree) Open(name string) (fs.File, error) {
	path, err := t.path("open", name)
	if err != nil {
		return nil, err
	}
	f, err := Unwaiting(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.IsDir() {
		err = check(info, MostRecords)
	}
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: err}, f.Close())
	}
	return f, nil
}

// ReadDir implements fs.ReadDirFS.
func (t Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	path, err := t.path("readdir", name)
	if err != nil {
		return nil, err
	}
	return ReadDir(path)
}

// Stat implements fs.StatFS.
func (t Tree) Stat(name string) (fs.FileInfo, error) {
	path, err := t.path("stat", name)
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

func (t Tree) path(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return filepath.Join(string(t), filepath.FromSlash(name)), nil
}
