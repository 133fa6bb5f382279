package blockio

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"plimsoll/internal/study"
)

// shortError is an I/O that moved fewer bytes than it was asked to.
type shortError struct{ offset, got, want int64 }

func (e *shortError) Error() string {
	return fmt.Sprintf("short I/O at offset %d: %d of %d bytes", e.offset, e.got, e.want)
}

// ErrorClass implements workload's classes of errors.
func (*shortError) ErrorClass() string { return "short-io" }

// goneError is an I/O to a volume that is no longer there.
type goneError struct{ error }

func (e goneError) Unwrap() error { return e.error }

// ErrorClass implements workload's classes of errors.
func (goneError) ErrorClass() string { return "volume-gone" }

// ioError says what an I/O was about when the system refused it.
func ioError(read bool, offset, bytes int64, cause error) error {
	verb := map[bool]string{true: "read", false: "write"}[read]
	err := fmt.Errorf("%s of %s at offset %d: %w", verb, study.Bytes(bytes), offset, cause)
	for _, gone := range []unix.Errno{unix.ENXIO, unix.ENODEV, unix.ESTALE, unix.ENOTCONN, unix.ESHUTDOWN, unix.ENOMEDIUM} {
		if errors.Is(cause, gone) {
			return goneError{err}
		}
	}
	return err
}
