package wire

import (
	"syscall"
	_ "unsafe" // for go:linkname

	"golang.org/x/sys/unix"
)

// The runtime keeps these two for callers outside of it (go.dev/issue/67401). The first
// gives the thread's place to the scheduler at once; syscall.Syscall leaves it with the
// thread until the monitor takes it away, which with 64 threads keeps the monitor busy.
//
//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// releasedPoll is rawPoll for one of many threads: the scheduler knows that it waits,
// so that it is neither interrupted nor missed.
func releasedPoll(fd int, event int16) error {
	p := unix.PollFd{Fd: int32(fd), Events: event}
	return polled(releasedCall(&p))
}

// releasedCall must not grow the stack between the two, nor may what it calls.
//
//go:norace
//go:nosplit
func releasedCall(p *unix.PollFd) syscall.Errno {
	entersyscallblock()
	errno := ppoll(p, nil)
	exitsyscall()
	return errno
}
