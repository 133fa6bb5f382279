package medium

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// largestTransfer is the most that one request moves. Larger ones of the host
// are split by the kernel.
const largestTransfer = 256 << 10

// connection is the kernel's side of a FUSE mount. The types of the protocol
// come from go-fuse; the loop is our own (see player), since a goroutine for
// each request costs several times the processor time, which the applications
// under test would lack.
type connection struct {
	fd     int
	buffer []byte // for the request that was read last
}

// errUnmounted ends the loop: the file system is gone.
var errUnmounted = errors.New("unmounted")

// connect mounts a FUSE file system with one root directory.
func connect(name, at string) (*connection, error) {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/fuse: %w; simulated media need it (run: modprobe fuse)", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40700,user_id=%d,group_id=%d", fd, os.Geteuid(), os.Getegid())
	if err := unix.Mount(name, at, "fuse.plimsoll", unix.MS_NODEV|unix.MS_NOSUID, options); err != nil {
		return nil, errors.Join(fmt.Errorf("mount the medium on %s: %w; simulated media need root", at, err), unix.Close(fd))
	}
	// The head of a write comes before its data.
	return &connection{fd: fd, buffer: make([]byte, largestTransfer+unix.Getpagesize())}, nil
}

// wait sleeps until there may be a request or the time is over; a negative
// time is for ever.
func (c *connection) wait(limit int64) error {
	poll := []unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLIN}}
	var timeout *unix.Timespec
	if limit >= 0 {
		t := unix.NsecToTimespec(limit)
		timeout = &t
	}
	_, err := unix.Ppoll(poll, timeout, nil)
	if err != nil && err != unix.EINTR {
		return fmt.Errorf("wait for the kernel: %w", err)
	}
	if poll[0].Revents&unix.POLLERR != 0 {
		return errUnmounted
	}
	return nil
}

// next reads a request; nil when none waits. It is valid until the next call.
func (c *connection) next() (*fuse.InHeader, error) {
	n, err := unix.Read(c.fd, c.buffer)
	switch {
	case err == unix.EAGAIN:
		return nil, nil
	case err == unix.ENODEV:
		return nil, errUnmounted
	case err == unix.EINTR || err == unix.ENOENT: // the request was withdrawn
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read a request: %w", err)
	case n < int(unsafe.Sizeof(fuse.InHeader{})):
		return nil, fmt.Errorf("read a request: it has %d bytes only", n)
	}
	return (*fuse.InHeader)(unsafe.Pointer(&c.buffer[0])), nil
}

// request views the request that was read last as its type.
func request[T any](h *fuse.InHeader) *T { return (*T)(unsafe.Pointer(h)) }

// payload is what follows the head of a write.
func (c *connection) payload(w *fuse.WriteIn) []byte {
	head := int(unsafe.Sizeof(*w))
	return c.buffer[head : head+int(w.Size)]
}

// reply answers with a structure.
func reply[T any](c *connection, unique uint64, answer *T) {
	c.replyBytes(unique, unsafe.Slice((*byte)(unsafe.Pointer(answer)), unsafe.Sizeof(*answer)))
}

// replyError answers with an error number, 0 for success.
func (c *connection) replyError(unique uint64, number unix.Errno) {
	c.send(&fuse.OutHeader{Unique: unique, Status: -int32(number)}, nil)
}

func (c *connection) replyBytes(unique uint64, data []byte) {
	c.send(&fuse.OutHeader{Unique: unique}, data)
}

func (c *connection) send(h *fuse.OutHeader, data []byte) {
	head := unsafe.Slice((*byte)(unsafe.Pointer(h)), unsafe.Sizeof(*h))
	h.Length = uint32(len(head) + len(data))
	parts := [][]byte{head, data}
	if len(data) == 0 {
		parts = parts[:1]
	}
	// It fails only when the host withdrew the request or unmounted.
	_, _ = unix.Writev(c.fd, parts)
}
