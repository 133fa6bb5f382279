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

	"plimsoll/internal/wire"
)

func TestClassify(t *testing.T) {
	postgres := func(state string) error { return &wire.Error{State: state} }
	mariadb := func(number int) error { return &wire.Error{State: "HY000", Number: number} }
	for _, c := range []struct {
		err  error
		want string
	}{
		{postgres("40P01"), Deadlock},
		{postgres("55P03"), LockTimeout},
		{postgres("40001"), Serialization},
		{postgres("53100"), OutOfSpace},
		{postgres("25006"), ReadOnly},
		{postgres("58030"), InputOutput},
		{postgres("57014"), Timeout},
		{postgres("57P01"), ConnectionLost},
		{postgres("08006"), ConnectionLost},
		{postgres("57P03"), Refused},
		{postgres("53300"), Refused},
		{postgres("28P01"), Refused},
		{postgres("22003"), "other:22003"},
		{mariadb(1213), Deadlock},
		{mariadb(1205), LockTimeout},
		{mariadb(1020), Serialization},
		{mariadb(1114), OutOfSpace},
		{mariadb(1836), ReadOnly},
		{mariadb(1030), InputOutput},
		{mariadb(1969), Timeout},
		{mariadb(1927), ConnectionLost},
		{mariadb(1040), Refused},
		{mariadb(1064), "other:1064"},
		{fmt.Errorf("connection lost: %w: %w", io.ErrUnexpectedEOF, postgres("57P01")), ConnectionLost},
		{fmt.Errorf("connection lost: %w", io.ErrUnexpectedEOF), ConnectionLost},
		{os.NewSyscallError("read", syscall.ECONNRESET), ConnectionLost},
		{os.NewSyscallError("write", syscall.EPIPE), ConnectionLost},
		{fmt.Errorf("no answer: %w", os.ErrDeadlineExceeded), Timeout},
		{fmt.Errorf("connect: %w", context.DeadlineExceeded), Timeout},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, Refused},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENOENT)}, Refused},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, OutOfSpace},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.EROFS}, ReadOnly},
		{&os.PathError{Op: "read", Path: "x", Err: syscall.EIO}, InputOutput},
		{&net.DNSError{IsTimeout: true}, Timeout},
		{errors.New("anything"), Other},
	} {
		if got := Classify(c.err); got != c.want {
			t.Errorf("%v is %s, want %s", c.err, got, c.want)
		}
	}
}
