package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"plimsoll/internal/describe/errorclass"
)

// itself is an error that says its own class.
type itself string

func (e itself) Error() string      { return "an error of class " + string(e) }
func (e itself) ErrorClass() string { return string(e) }

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("connection lost: %w: %w", io.ErrUnexpectedEOF, itself("deadlock")), errorclass.Deadlock},
		{fmt.Errorf("connection lost: %w", io.ErrUnexpectedEOF), errorclass.ConnectionLost},
		{os.NewSyscallError("read", syscall.ECONNRESET), errorclass.ConnectionLost},
		{os.NewSyscallError("write", syscall.EPIPE), errorclass.ConnectionLost},
		{fmt.Errorf("no answer: %w", os.ErrDeadlineExceeded), errorclass.Timeout},
		{fmt.Errorf("connect: %w", context.DeadlineExceeded), errorclass.Timeout},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, errorclass.Refused},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}, errorclass.NoFiles},
		{os.NewSyscallError("open", syscall.ENFILE), errorclass.NoFiles},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENOENT)}, errorclass.Refused},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, errorclass.OutOfSpace},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.EROFS}, errorclass.ReadOnly},
		{&os.PathError{Op: "read", Path: "x", Err: syscall.EIO}, errorclass.InputOutput},
		{&net.DNSError{IsTimeout: true}, errorclass.Timeout},
		{errors.New("anything"), Other},
	} {
		if got := Classify(c.err); got != c.want {
			t.Errorf("%v is %s, want %s", c.err, got, c.want)
		}
	}
}
