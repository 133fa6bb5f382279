package wire

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// thread is a socket on which the thread that waits for an answer blocks, as a
// program in C would. A round trip then costs two system calls; through the
// poller it costs four, because Go asks the poller twice before it sleeps in it.
// The thread does not tell Go's scheduler that it blocks, which would have its
// monitor look at it some ten thousand times a second, and so keeps its place
// among those that run Go code (GOMAXPROCS). So this is only for as many
// connections as there are places to spare; among many users the poller is the
// cheaper one anyway, which wakes once for several.
//
// The scheduler asks for a thread back by a signal, for the garbage collector or
// after ten milliseconds. The signal ends the wait because the socket has a
// timeout (signal(7)), and the timeout bounds what a lost signal can cost.
type thread struct {
	fd          int
	deadline    atomic.Int64 // nanoseconds since 1970; 0 is none
	interrupted atomic.Bool

	mu     sync.Mutex // for whoever interrupts: descriptors are used again
	closed bool
}

const (
	// spare are the places that are left for all else: timers, the reporter, the
	// garbage collector.
	spare = 2
	// longestBlock is how late a deadline may be noticed.
	longestBlock = 100 * time.Millisecond
)

// blocked counts the connections that may block a thread each.
var blocked atomic.Int32

// newThread takes a socket away from the poller, if there is a place for another
// thread; it is nil if not. The connection's own descriptor may be closed then.
func newThread(raw syscall.RawConn) (*thread, error) {
	if int(blocked.Add(1)) > runtime.GOMAXPROCS(0)-spare {
		blocked.Add(-1)
		return nil, nil
	}
	t := &thread{}
	var failed error
	err := raw.Control(func(fd uintptr) { failed = t.take(fd) })
	if err == nil {
		err = failed
	}
	if err != nil {
		blocked.Add(-1)
		return nil, fmt.Errorf("take a socket from the poller: %w", err)
	}
	return t, nil
}

// take gives the socket a descriptor that the poller does not know.
func (t *thread) take(fd uintptr) error {
	own, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return os.NewSyscallError("fcntl", errno)
	}
	t.fd = int(own)
	timeout := syscall.NsecToTimeval(longestBlock.Nanoseconds())
	for _, option := range []int{syscall.SO_RCVTIMEO, syscall.SO_SNDTIMEO} {
		if err := syscall.SetsockoptTimeval(t.fd, syscall.SOL_SOCKET, option, &timeout); err != nil {
			_ = syscall.Close(t.fd) // the error before counts
			return os.NewSyscallError("setsockopt", err)
		}
	}
	return os.NewSyscallError("fcntl", syscall.SetNonblock(t.fd, false))
}

// write writes all of b.
func (t *thread) write(b []byte) error {
	for len(b) > 0 {
		n, err := t.call(rawWrite, b)
		if err != nil {
			return os.NewSyscallError("write", err)
		}
		b = b[n:]
	}
	return nil
}

// read waits for some bytes; none is the end.
func (t *thread) read(b []byte) (int, error) {
	n, err := t.call(rawRead, b)
	return n, os.NewSyscallError("read", err)
}

// call lets the scheduler and the deadline have their turn whenever the system
// gives the thread back without having read or written.
func (t *thread) call(once func(fd uintptr, b []byte) (int, error), b []byte) (int, error) {
	for {
		n, err := once(uintptr(t.fd), b)
		if err != syscall.EINTR && err != syscall.EAGAIN {
			return n, err
		}
		if t.interrupted.Load() {
			return 0, net.ErrClosed
		}
		if due := t.deadline.Load(); due != 0 && time.Now().UnixNano() >= due {
			return 0, os.ErrDeadlineExceeded
		}
		runtime.Gosched()
	}
}

func (t *thread) setDeadline(at time.Time) {
	if at.IsZero() {
		t.deadline.Store(0)
		return
	}
	t.deadline.Store(at.UnixNano())
}

// interrupt wakes the thread that waits.
func (t *thread) interrupt() {
	t.interrupted.Store(true)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		_ = syscall.Shutdown(t.fd, syscall.SHUT_RDWR) // fails only where the other side has ended it
	}
}

func (t *thread) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	blocked.Add(-1)
	return os.NewSyscallError("close", syscall.Close(t.fd))
}
