package fileio

import (
	"errors"
	"fmt"

	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/text/unit"

	"golang.org/x/sys/unix"
)

// Classes of errors in addition to the common ones (package errorclass) and to wrong
// content (package blockcheck).
const (
	ShortIO    = "short-io"         // it came or went in part
	VolumeGone = "volume-gone"      // the volume is no longer there
	WrongSize  = "wrong-size"       // another program made a file longer or shorter
	Missing    = "missing-file"     // another program removed a file, or put something else in its place
	Handles    = errorclass.NoFiles // the process or the machine has no more of them
)

// ShortError is an I/O that moved fewer bytes than it was asked to.
type ShortError struct{ Offset, Got, Want int64 }

func (e *ShortError) Error() string {
	return fmt.Sprintf("short I/O at offset %d: %d of %d bytes", e.Offset, e.Got, e.Want)
}

// ErrorClass implements workload's classes of errors.
func (*ShortError) ErrorClass() string { return ShortIO }

// classifiedError is an error with its class.
type classifiedError struct {
	error
	class string
}

func (e classifiedError) Unwrap() error { return e.error }

// ErrorClass implements workload's classes of errors.
func (e classifiedError) ErrorClass() string { return e.class }

// Wrong returns an error about wrong content, in a class of such errors.
func Wrong(class, format string, args ...any) error {
	return classifiedError{fmt.Errorf(format, args...), class}
}

// Classify adds a class to an error of the system. An error that has a class already, or
// that fits none, stays as it is.
func Classify(err error) error {
	if _, has := errors.AsType[interface {
		error
		ErrorClass() string
	}](err); err == nil || has {
		return err
	}
	errno, known := errors.AsType[unix.Errno](err)
	if class := classOf(errno); known && class != "" {
		return classifiedError{err, class}
	}
	return err
}

func classOf(errno unix.Errno) string {
	switch errno {
	case unix.ENXIO, unix.ENODEV, unix.ESTALE, unix.ENOTCONN, unix.ESHUTDOWN, unix.ENOMEDIUM:
		return VolumeGone
	case unix.ENOSPC, unix.EDQUOT:
		return errorclass.OutOfSpace
	case unix.EROFS:
		return errorclass.ReadOnly
	case unix.EIO:
		return errorclass.InputOutput
	case unix.ENOENT, unix.ELOOP, unix.ENOTDIR:
		return Missing
	case unix.EMFILE, unix.ENFILE:
		return Handles
	}
	return ""
}

// IOError says what an I/O was about when the system refused it.
func IOError(read bool, offset, bytes int64, cause error) error {
	verb := map[bool]string{true: "read", false: "write"}[read]
	return Classify(fmt.Errorf("%s of %s at offset %d: %w", verb, unit.Bytes(bytes), offset, cause))
}
