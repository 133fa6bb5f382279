// Package flock gives a process the exclusive right to do something, among the processes of
// its user, until it ends, however it ends. It locks a file (flock(2)) in a directory that
// nobody else can write to. Unlike a name that the kernel gives to the first process that
// asks, only processes that may write there can take it.
package flock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/untrusted"
)

// ErrTaken means that another process has the lock.
var ErrTaken = errors.New("another process has the lock")

// Suffix ends the names of the files.
const Suffix = ".lock"

// Lock is one that this process has.
type Lock struct {
	path string
	file *os.File
}

// Take takes the lock of a name below a directory, which only its owner can write to. The
// error is ErrTaken where another process has it.
func Take(dir, name string) (*Lock, error) {
	for {
		f, err := untrusted.Append(dir, name+Suffix)
		if err != nil {
			return nil, fmt.Errorf("open a lock: %w", err)
		}
		l := &Lock{path: filepath.Join(dir, name+Suffix), file: f}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			if errors.Is(err, unix.EWOULDBLOCK) {
				err = ErrTaken
			}
			return nil, errors.Join(err, f.Close())
		}
		if l.named() {
			return l, nil
		}
		if err := f.Close(); err != nil { // who had it has just removed the file
			return nil, err
		}
	}
}

// named reports whether the file still has its name: who takes the lock next locks that one.
func (l *Lock) named() bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	here, err := os.Lstat(l.path)
	return err == nil && os.SameFile(mine, here)
}

// Close removes the file and gives the lock back.
func (l *Lock) Close() error {
	err := os.Remove(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.file.Close())
}
