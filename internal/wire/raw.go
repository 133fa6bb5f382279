package wire

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawRead and rawWrite call the system without telling the Go scheduler, which
// is right for sockets that do not block: told, it would hand the running
// thread's place to another thread whenever the call takes longer than some
// microseconds, as a write does that wakes a server. That handing over cost a
// third of the driver's CPU.
func rawRead(fd uintptr, b []byte) (int, error)  { return raw(syscall.SYS_READ, fd, b) }
func rawWrite(fd uintptr, b []byte) (int, error) { return raw(syscall.SYS_WRITE, fd, b) }

// raw calls read or write. EINTR says that a signal came between.
func raw(call, fd uintptr, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// rawPoll waits for an event of one descriptor; 0 says that it did not come in
// time.
func rawPoll(fd int, event int16, limit time.Duration) (int, error) {
	p := unix.PollFd{Fd: int32(fd), Events: event}
	within := unix.NsecToTimespec(limit.Nanoseconds())
	return polled(ppoll(&p, &within))
}

func polled(n uintptr, errno syscall.Errno) (int, error) {
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

//go:norace
//go:nosplit
func ppoll(p *unix.PollFd, within *unix.Timespec) (uintptr, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(p)), 1, uintptr(unsafe.Pointer(within)), 0, 0, 0)
	return n, errno
}
