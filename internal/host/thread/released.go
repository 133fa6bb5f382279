package thread

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Poll waits, by ppoll(2), for an event of one descriptor or for a signal (EINTR). The
// scheduler knows that the thread waits, so that it is neither interrupted nor missed.
//
// With a version of Go whose runtime nobody has tried, it is an ordinary call.
func Poll(p *unix.PollFd) syscall.Errno {
	if !ownRuntime {
		_, _, errno := syscall.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(p)), 1, 0, 0, 0, 0)
		return errno
	}
	return pollReleased(p)
}

// pollReleased must not grow the stack while its place is given away, nor may its callees.
//
//go:norace
//go:nosplit
func pollReleased(p *unix.PollFd) syscall.Errno {
	entersyscallblock()
	_, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(p)), 1, 0, 0, 0, 0)
	exitsyscall()
	return errno
}

// longCall is from how many bytes on a read or write takes longer than the monitor waits,
// 20 µs, even if all is in the page cache. To give the place away and take another costs
// more than a short call (docs/driver-measurements.md).
const longCall = 256 << 10

// Pread is unix.Pread; with many threads, long calls give their place to the scheduler at
// once.
func Pread(fd int, b []byte, offset int64) (int, error) {
	if !ownRuntime || !Many() || len(b) < longCall {
		return unix.Pread(fd, b, offset)
	}
	return moved(released(unix.SYS_PREAD64, fd, unsafe.SliceData(b), len(b), offset))
}

// Pwrite is unix.Pwrite, in the same way.
func Pwrite(fd int, b []byte, offset int64) (int, error) {
	if !ownRuntime || !Many() || len(b) < longCall {
		return unix.Pwrite(fd, b, offset)
	}
	return moved(released(unix.SYS_PWRITE64, fd, unsafe.SliceData(b), len(b), offset))
}

func moved(n uintptr, errno syscall.Errno) (int, error) {
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// released must not grow the stack either.
//
//go:norace
//go:nosplit
func released(call uintptr, fd int, b *byte, length int, offset int64) (uintptr, syscall.Errno) {
	entersyscallblock()
	n, _, errno := syscall.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(b)), uintptr(length), uintptr(offset), 0, 0)
	exitsyscall()
	return n, errno
}
