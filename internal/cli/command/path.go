package command

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Absolute is a path from the root; where that is not known, the path as it is.
func Absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}

// Exists reports whether something is at a path. It also returns true for a path that it may not
// look at. A file has nothing below it.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// AbsoluteOrEmpty is Absolute for a path that may not be given.
func AbsoluteOrEmpty(path string) string {
	if path == "" {
		return ""
	}
	return Absolute(path)
}
