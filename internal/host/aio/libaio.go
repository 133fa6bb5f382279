package aio

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Commands of linux/aio_abi.h.
const (
	commandRead      = 0
	commandWrite     = 1
	commandDatasync  = 3
	controlBlockSize = 64
)

// controlBlock is struct iocb on a little-endian machine.
type controlBlock struct {
	tag            uint64
	_              uint32 // aio_key
	flags          uint32 // aio_rw_flags
	command        uint16
	_              int16 // aio_reqprio
	fd             uint32
	buffer, length uint64
	offset         int64
	_              [2]uint64 // aio_reserved2, aio_flags, aio_resfd
}

// aioEvent is struct io_event.
type aioEvent struct {
	tag, block      uint64
	result, result2 int64
}

var _ [controlBlockSize]byte = [unsafe.Sizeof(controlBlock{})]byte{}

// linuxAIO is a Queue by Linux AIO. Its requests are asynchronous with direct
// I/O; through the page cache they are carried out while they are submitted.
type linuxAIO struct {
	slots
	context  uintptr
	blocks   []controlBlock
	pointers []*controlBlock
	events   []aioEvent
	refused  []Completion // by io_submit; Wait tells
}

func newLinuxAIO(depth int) (Queue, error) {
	a := &linuxAIO{
		slots: newSlots(depth), blocks: make([]controlBlock, depth),
		pointers: make([]*controlBlock, 0, depth), events: make([]aioEvent, depth),
	}
	_, _, errno := unix.Syscall(unix.SYS_IO_SETUP, uintptr(depth), uintptr(unsafe.Pointer(&a.context)), 0)
	if errno == unix.EAGAIN {
		return nil, fmt.Errorf("io_setup: all of fs.aio-max-nr is in use: %w", errno)
	}
	if errno != 0 {
		return nil, fmt.Errorf("io_setup: %w", errno)
	}
	return a, nil
}

func (a *linuxAIO) Name() string { return "libaio" }

// Keep implements Queue; there is nothing to gain.
func (*linuxAIO) Keep([]byte) {}

func (a *linuxAIO) Submit(requests ...Request) error {
	a.pointers = a.pointers[:0]
	for _, q := range requests {
		slot, ok := a.take(q)
		if !ok {
			return ErrFull
		}
		a.blocks[slot] = control(q, slot)
		a.pointers = append(a.pointers, &a.blocks[slot])
	}
	for rest := a.pointers; len(rest) > 0; {
		n, _, errno := unix.Syscall(unix.SYS_IO_SUBMIT, a.context, uintptr(len(rest)), uintptr(unsafe.Pointer(&rest[0])))
		switch errno {
		case 0:
			rest = rest[n:]
		case unix.EAGAIN, unix.EINTR:
		default: // of the first one
			a.refused = append(a.refused, a.end(int(rest[0].tag), -int64(errno)))
			rest = rest[1:]
		}
	}
	return nil
}

func control(q Request, slot int) controlBlock {
	b := controlBlock{tag: uint64(slot), fd: uint32(q.File), length: uint64(len(q.Buffer)), offset: q.Offset}
	if len(q.Buffer) > 0 {
		b.buffer = uint64(uintptr(unsafe.Pointer(&q.Buffer[0])))
	}
	switch q.Kind {
	case Read:
		b.command = commandRead
	case Write:
		b.command = commandWrite
	case WriteDsync:
		b.command, b.flags = commandWrite, rwfDsync
	case Flush:
		b.command, b.buffer, b.length, b.offset = commandDatasync, 0, 0, 0
	}
	return b
}

func (a *linuxAIO) Wait(done []Completion, timeout time.Duration) ([]Completion, error) {
	done = append(done, a.refused...)
	if refused := len(a.refused); refused > 0 || a.busy() == 0 {
		a.refused = a.refused[:0]
		return done, nil
	}
	limit := unix.NsecToTimespec(int64(timeout))
	n, _, errno := unix.Syscall6(unix.SYS_IO_GETEVENTS, a.context, 1, uintptr(len(a.events)),
		uintptr(unsafe.Pointer(&a.events[0])), uintptr(unsafe.Pointer(&limit)), 0)
	runtime.KeepAlive(&limit)
	if errno == unix.EINTR {
		return done, nil
	}
	if errno != 0 {
		return done, fmt.Errorf("io_getevents: %w", errno)
	}
	for _, e := range a.events[:n] {
		done = append(done, a.end(int(e.tag), e.result))
	}
	return done, nil
}

func (a *linuxAIO) Close() error {
	err := drain(a, a.busy)
	if _, _, errno := unix.Syscall(unix.SYS_IO_DESTROY, a.context, 0, 0); errno != 0 {
		err = errors.Join(err, fmt.Errorf("io_destroy: %w", errno))
	}
	return err
}
