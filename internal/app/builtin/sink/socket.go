package sink

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/thread"
)

// Socket is the socket of a stream. Its calls block a thread, as in a program in C. Where
// there is a place for another thread (package thread), Go's scheduler is not informed: its
// monitor would look at the thread some ten thousand times a second. One goroutine reads,
// and one writes.
type Socket struct {
	fd     int
	placed bool
	turns  thread.Turns
}

const (
	// longestBlock is how late the end of a context may be noticed. A call with a limit
	// is also the only one that the signals of the scheduler end (signal(7)).
	longestBlock = 100 * time.Millisecond
	// turnInterval is how often others have their turn.
	turnInterval = 8 * time.Millisecond
)

// adopt takes a socket away from Go's poller.
func adopt(conn net.Conn) (*Socket, error) {
	defer conn.Close()
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &Socket{}
	var failed error
	err = raw.Control(func(fd uintptr) {
		s.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, fmt.Errorf("take a socket from the poller: %w", err)
	}
	limit := unix.NsecToTimeval(longestBlock.Nanoseconds())
	for _, err := range []error{
		unix.SetNonblock(s.fd, false),
		unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit),
		unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit),
	} {
		if err != nil {
			_ = unix.Close(s.fd)
			return nil, fmt.Errorf("let a socket block: %w", err)
		}
	}
	s.placed = thread.TakePlace()
	return s, nil
}

// setBuffers gives both buffers a size; 0 leaves them to the system. The kernel doubles it
// for its own bookkeeping (socket(7)).
func setBuffers(conn syscall.RawConn, bytes int) error {
	if bytes == 0 {
		return nil
	}
	var failed error
	err := conn.Control(func(fd uintptr) {
		for _, option := range []int{unix.SO_SNDBUF, unix.SO_RCVBUF} {
			if failed == nil {
				failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, option, bytes)
			}
		}
	})
	if err == nil {
		err = failed
	}
	return err
}

// waitFor has Read wait for so many bytes, for the end of the stream or for
// longestBlock; 0 leaves it at one byte.
func (s *Socket) waitFor(bytes int) error {
	if bytes == 0 {
		return nil
	}
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, bytes))
}

// Read waits for some bytes; io.EOF means that the other end sends no more.
func (s *Socket) Read(ctx context.Context, b []byte) (int, error) {
	for {
		n, errno := s.call(syscall.SYS_READ, b)
		switch {
		case n > 0:
			return n, nil
		case errno == 0:
			return 0, io.EOF
		case !passing(errno):
			return 0, os.NewSyscallError("read", errno)
		case ctx.Err() != nil:
			return 0, ctx.Err()
		}
	}
}

// Write writes all of b. It returns the number of bytes written.
func (s *Socket) Write(ctx context.Context, b []byte) (written int, err error) {
	for written < len(b) {
		n, errno := s.call(syscall.SYS_WRITE, b[written:])
		switch {
		case n > 0:
			written += n
		case errno != 0 && !passing(errno):
			return written, os.NewSyscallError("write", errno)
		case ctx.Err() != nil:
			return written, ctx.Err()
		}
	}
	return written, nil
}

// passing reports whether a call may be tried again: its time was over, or a signal came.
func passing(errno syscall.Errno) bool { return errno == syscall.EAGAIN || errno == syscall.EINTR }

func (s *Socket) call(number uintptr, b []byte) (n int, errno syscall.Errno) {
	pointer, length := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))
	if !s.placed {
		done, _, errno := syscall.Syscall(number, uintptr(s.fd), pointer, length)
		return counted(done, errno)
	}
	done, _, errno := syscall.RawSyscall(number, uintptr(s.fd), pointer, length)
	if errno != 0 {
		runtime.Gosched()
	}
	return counted(done, errno)
}

func counted(done uintptr, errno syscall.Errno) (int, syscall.Errno) {
	if errno != 0 {
		return 0, errno
	}
	return int(done), 0
}

// Yield lets others have the thread, if they have not had it for long. It is called
// between messages with the time.
func (s *Socket) Yield(now time.Time) { s.turns.Yield(now, turnInterval) }

// Sleep waits until a moment.
func (s *Socket) Sleep(ctx context.Context, due time.Time) {
	if s.placed && time.Until(due) < longestBlock {
		thread.SleepUntil(due)
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(due)):
	}
}

// CloseWrite announces the end of the data.
func (s *Socket) CloseWrite() error {
	return os.NewSyscallError("shutdown", unix.Shutdown(s.fd, unix.SHUT_WR))
}

// Close closes the socket.
func (s *Socket) Close() error {
	if s.placed {
		thread.GivePlace()
	}
	return os.NewSyscallError("close", unix.Close(s.fd))
}
