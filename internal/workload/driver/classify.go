package driver

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"plimsoll/internal/describe/errorclass"
)

// Other is the class of errors that say nothing of themselves and do not come
// from the operating system.
const Other = errorclass.Other

// classifiedError is an error that knows its class, as database errors do.
type classifiedError interface {
	error
	ErrorClass() string
}

// Classify says in one word what went wrong: what the error says itself, or
// what the operating system says.
func Classify(err error) string {
	if own, ok := errors.AsType[classifiedError](err); ok {
		return own.ErrorClass()
	}
	for _, c := range systemClasses() {
		if errors.Is(err, c.err) {
			return c.class
		}
	}
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return errorclass.Timeout
	}
	return Other
}

type systemClass struct {
	err   error
	class string
}

func systemClasses() []systemClass {
	return []systemClass{
		{os.ErrDeadlineExceeded, errorclass.Timeout},
		{context.DeadlineExceeded, errorclass.Timeout},
		{syscall.ETIMEDOUT, errorclass.Timeout},
		{syscall.ECONNREFUSED, errorclass.Refused},
		{syscall.ENOSPC, errorclass.OutOfSpace},
		{syscall.EDQUOT, errorclass.OutOfSpace},
		{syscall.EROFS, errorclass.ReadOnly},
		{syscall.EMFILE, errorclass.NoFiles},
		{syscall.ENFILE, errorclass.NoFiles},
		{syscall.ENOMEM, errorclass.OutOfMemory},
		{syscall.EIO, errorclass.InputOutput},
		{syscall.ECONNRESET, errorclass.ConnectionLost},
		{syscall.EPIPE, errorclass.ConnectionLost},
		{net.ErrClosed, errorclass.ConnectionLost},
		{io.ErrUnexpectedEOF, errorclass.ConnectionLost},
		{io.EOF, errorclass.ConnectionLost},
		{syscall.ENOENT, errorclass.Refused}, // a unix socket that is gone
	}
}
