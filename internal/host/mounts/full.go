package mounts

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// FullError names the file system that had no room.
type FullError struct {
	cause error
	where string
}

func (e *FullError) Error() string { return e.cause.Error() + " on " + e.where + ": make room there" }

func (e *FullError) Unwrap() error { return e.cause }

// NameFull adds to an error for lack of space the file system that a path is
// on. Other errors stay as they are, and nil nil.
func NameFull(err error, path string) error {
	var named *FullError
	if !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EDQUOT) || errors.As(err, &named) {
		return err
	}
	dir := filepath.Dir(path)
	m, mountErr := Find(dir)
	s, spaceErr := SpaceOf(dir)
	if mountErr != nil || spaceErr != nil {
		return &FullError{err, "the file system of " + dir}
	}
	return &FullError{err, fmt.Sprintf("the file system at %s (%s on %s, %.1f MiB of which %.1f MiB are free)",
		m.Point, m.Type, m.Source, mebibytes(s.Capacity), mebibytes(s.Free))}
}

func mebibytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
