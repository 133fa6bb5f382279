package load

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"plimsoll/internal/workload"
)

// Other is the class of errors that say nothing of themselves and do not come
// from the operating system.
const Other = workload.OtherError

// classed is an error that says its own class, as those of a database do.
type classed interface {
	error
	ErrorClass() string
}

// Classify says in one word what went wrong: what the error says itself, or
// what the operating system says.
func Classify(err error) string {
	if own, ok := errors.AsType[classed](err); ok {
		return own.ErrorClass()
	}
	for _, c := range systemClasses() {
		if errors.Is(err, c.err) {
			return c.class
		}
	}
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return workload.Timeout
	}
	return Other
}

type systemClass struct {
	err   error
	class string
}

func systemClasses() []systemClass {
	return []systemClass{
		{os.ErrDeadlineExceeded, workload.Timeout},
		{context.DeadlineExceeded, workload.Timeout},
		{syscall.ETIMEDOUT, workload.Timeout},
		{syscall.ECONNREFUSED, workload.Refused},
		{syscall.ENOSPC, workload.OutOfSpace},
		{syscall.EDQUOT, workload.OutOfSpace},
		{syscall.EROFS, workload.ReadOnly},
		{syscall.EMFILE, workload.NoFiles},
		{syscall.ENFILE, workload.NoFiles},
		{syscall.ENOMEM, workload.OutOfMemory},
		{syscall.EIO, workload.InputOutput},
		{syscall.ECONNRESET, workload.ConnectionLost},
		{syscall.EPIPE, workload.ConnectionLost},
		{net.ErrClosed, workload.ConnectionLost},
		{io.ErrUnexpectedEOF, workload.ConnectionLost},
		{io.EOF, workload.ConnectionLost},
		{syscall.ENOENT, workload.Refused}, // a unix socket that is gone
	}
}
