package socket

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawRead and rawWrite call the system without telling the Go scheduler, which is right
// for sockets that do not block. Otherwise it would hand the running thread's place to
// another thread whenever a call takes longer than some microseconds, as a write that
// wakes a server does; docs/driver-measurements.md has what that costs. They call recv
// and send, which take a shorter way through the system than read and write.
func rawRead(fd uintptr, b []byte) (int, error) { return raw(unix.SYS_RECVFROM, fd, b, 0) }
func rawWrite(fd uintptr, b []byte) (int, error) {
	return raw(unix.SYS_SENDTO, fd, b, unix.MSG_NOSIGNAL)
}

// raw calls recvfrom or sendto. EINTR says that a signal came between.
func raw(call, fd uintptr, b []byte, flags uintptr) (int, error) {
	n, _, errno := syscall.RawSyscall6(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// rawPoll is ppoll(2) for one descriptor.
func rawPoll(p *unix.PollFd, within *unix.Timespec) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(p)), 1, uintptr(unsafe.Pointer(within)), 0, 0, 0)
	return errno
}
