package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"plimsoll/internal/workload"
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
		{fmt.Errorf("connection lost: %w: %w", io.ErrUnexpectedEOF, itself("deadlock")), workload.Deadlock},
		{fmt.Errorf("connection lost: %w", io.ErrUnexpectedEOF), workload.ConnectionLost},
		{os.NewSyscallError("read", syscall.ECONNRESET), workload.ConnectionLost},
		{os.NewSyscallError("write", syscall.EPIPE), workload.ConnectionLost},
		{fmt.Errorf("no answer: %w", os.ErrDeadlineExceeded), workload.Timeout},
		{fmt.Errorf("connect: %w", context.DeadlineExceeded), workload.Timeout},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, workload.Refused},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}, workload.NoFiles},
		{os.NewSyscallError("open", syscall.ENFILE), workload.NoFiles},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENOENT)}, workload.Refused},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, workload.OutOfSpace},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.EROFS}, workload.ReadOnly},
		{&os.PathError{Op: "read", Path: "x", Err: syscall.EIO}, workload.InputOutput},
		{&net.DNSError{IsTimeout: true}, workload.Timeout},
		{errors.New("anything"), Other},
	} {
		if got := Classify(c.err); got != c.want {
			t.Errorf("%v is %s, want %s", c.err, got, c.want)
		}
	}
}
