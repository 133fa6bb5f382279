package aio

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/thread"
)

// Constants of linux/io_uring.h.
const (
	offSubmissions = 0          // IORING_OFF_SQ_RING
	offEntries     = 0x10000000 // IORING_OFF_SQES

	// Since 5.19: completions interrupt nobody, they are worked on in our next
	// system call. IORING_SETUP_DEFER_TASKRUN would cost no less, but binds the
	// ring to one thread: a goroutine that is locked to its thread stands still for
	// two changes of threads whenever Go's scheduler lets others run.
	setupCoopTaskrun = 1 << 8

	featSingleMmap = 1 << 0 // since 5.4
	featExtArg     = 1 << 8 // since 5.11: a wait can end after a time

	enterGetEvents = 1 << 0
	enterExtArg    = 1 << 3

	opFsync      = 3
	opReadFixed  = 4
	opWriteFixed = 5
	opTimeout    = 11
	opRead       = 22
	opWrite      = 23

	registerBuffers = 0

	fsyncDatasync = 1 << 0
	rwfDsync      = 0x2
)

// ringParams is struct io_uring_params.
type ringParams struct {
	sqEntries, cqEntries, flags, sqThreadCPU, sqThreadIdle, features, wqFD uint32
	_                                                                      [3]uint32
	sq                                                                     submissionOffsets
	cq                                                                     completionOffsets
}

// submissionOffsets is struct io_sqring_offsets.
type submissionOffsets struct {
	head, tail, mask, entries, flags, dropped, array, _ uint32
	_                                                   uint64
}

// completionOffsets is struct io_cqring_offsets.
type completionOffsets struct {
	head, tail, mask, entries, overflow, cqes, flags, _ uint32
	_                                                   uint64
}

// submission is struct io_uring_sqe.
type submission struct {
	opcode, flags uint8
	priority      uint16
	fd            int32
	offset, addr  uint64
	length        uint32
	opFlags       uint32 // rw_flags, fsync_flags
	tag           uint64
	_             [3]uint64 // the first two bytes: which of the registered buffers; there is one
}

// completion is struct io_uring_cqe.
type completion struct {
	tag    uint64
	result int32
	flags  uint32
}

// waitArgument is struct io_uring_getevents_arg.
type waitArgument struct {
	mask     uint64
	maskSize uint32
	_        uint32
	timeout  uint64
}

// ring is a Queue by io_uring.
type ring struct {
	slots
	fd             int
	memory         []byte // both rings
	entries        []submission
	entriesMemory  []byte
	sqTail         *uint32
	sqMask         uint32
	cqHead, cqTail *uint32
	cqes           []completion
	waiting        uint32 // in the ring, not yet with the kernel
	batch          uint32 // so many go to the kernel with one call
	alarmed        bool   // an alarm is in the ring
	kept           []byte // memory whose pages the kernel keeps at hand
	// alarm, limit and argument are read by the kernel: memory that does not move.
	alarm, limit unix.Timespec
	argument     waitArgument
}

// An alarm in the ring ends waits, so that only those that must end sooner arm a timer
// of their own, which costs I/Os where one is outstanding (docs/driver-measurements.md).
const (
	alarmInterval = 100 * time.Millisecond
	alarmTag      = ^uint64(0)
)

func newRing(depth int) (Queue, error) {
	params := ringParams{flags: setupCoopTaskrun}
	fd, err := setup(depth+1, &params) // room for the alarm
	if errors.Is(err, unix.EINVAL) {   // a kernel before 5.19
		params = ringParams{}
		fd, err = setup(depth+1, &params)
	}
	if err != nil {
		return nil, fmt.Errorf("io_uring_setup: %w", err)
	}
	r := &ring{slots: newSlots(depth), fd: fd, batch: max(1, uint32(float64(depth)*batchShare)), alarm: unix.NsecToTimespec(int64(alarmInterval))}
	if params.features&featSingleMmap == 0 || params.features&featExtArg == 0 {
		return nil, errors.Join(errors.New("the kernel is older than 5.11"), r.Close())
	}
	if err := r.share(params); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func setup(depth int, params *ringParams) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(depth), uintptr(unsafe.Pointer(params)), 0)
	if errno != 0 {
		return -1, errno
	}
	unix.CloseOnExec(int(fd))
	return int(fd), nil
}

// share maps the memory that the kernel and this process share.
func (r *ring) share(p ringParams) (err error) {
	const word = uint32(unsafe.Sizeof(uint32(0)))
	size := max(p.sq.array+p.sqEntries*word, p.cq.cqes+p.cqEntries*uint32(unsafe.Sizeof(completion{})))
	if r.memory, err = mapRing(r.fd, offSubmissions, int(size)); err != nil {
		return err
	}
	if r.entriesMemory, err = mapRing(r.fd, offEntries, int(p.sqEntries)*int(unsafe.Sizeof(submission{}))); err != nil {
		return err
	}
	at := func(offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.memory[offset])) }
	r.sqTail, r.sqMask = at(p.sq.tail), *at(p.sq.mask)
	r.cqHead, r.cqTail = at(p.cq.head), at(p.cq.tail)
	r.cqes = unsafe.Slice((*completion)(unsafe.Pointer(&r.memory[p.cq.cqes])), p.cqEntries)
	r.entries = unsafe.Slice((*submission)(unsafe.Pointer(&r.entriesMemory[0])), p.sqEntries)
	for i := range p.sqEntries { // entry i is always at place i
		*at(p.sq.array + i*word) = i
	}
	return nil
}

func mapRing(fd int, offset int64, size int) ([]byte, error) {
	memory, err := unix.Mmap(fd, offset, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("map the rings: %w", err)
	}
	return memory, nil
}

func (r *ring) Name() string { return "io_uring" }

// Keep registers the first memory that it gets (io_uring_register(2)): the kernel need not find
// and hold its pages for each request. It counts as locked memory, so that a plain user may be
// refused (RLIMIT_MEMLOCK), who goes on without.
func (r *ring) Keep(memory []byte) {
	if len(memory) == 0 || r.kept != nil {
		return
	}
	v := unix.Iovec{Base: &memory[0], Len: uint64(len(memory))}
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), registerBuffers, uintptr(unsafe.Pointer(&v)), 1, 0, 0)
	if errno == 0 {
		r.kept = memory
	}
}

// keeps reports whether a buffer is in memory that is kept.
func (r *ring) keeps(buffer []byte) bool {
	if len(buffer) == 0 || r.kept == nil {
		return false
	}
	from, first := uintptr(unsafe.Pointer(&r.kept[0])), uintptr(unsafe.Pointer(&buffer[0]))
	return first >= from && first+uintptr(len(buffer)) <= from+uintptr(len(r.kept))
}

// batchShare is the share of the depth that goes to the kernel with one call, at least one
// request. A call costs a fifth of a small request, but requests that wait for a batch
// begin later. Compared with fio on one file, 4 KiB, 16 outstanding: batches of 4 had 0.95
// of its I/Os at 0.80 of its CPU, single requests 1.00 at 0.96. With 64 outstanding,
// batches of 2 had 0.99 at 0.92.
const batchShare = 1.0 / 32

// Submit fills the ring; the kernel gets a batch at once, but for the newest request:
// that one goes with the next batch or with the call that waits.
func (r *ring) Submit(requests ...Request) error {
	for _, request := range requests {
		slot, ok := r.take(request)
		if !ok {
			return ErrFull
		}
		r.put(r.entry(request, slot))
		if r.waiting > r.batch {
			if err := r.enter(r.batch, 0, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *ring) put(e submission) {
	tail := *r.sqTail // only this thread writes it
	r.entries[tail&r.sqMask] = e
	atomic.StoreUint32(r.sqTail, tail+1)
	r.waiting++
}

func (r *ring) entry(q Request, slot int) submission {
	e := submission{fd: int32(q.File), offset: uint64(q.Offset), length: uint32(len(q.Buffer)), tag: uint64(slot)}
	if len(q.Buffer) > 0 {
		e.addr = uint64(uintptr(unsafe.Pointer(&q.Buffer[0])))
	}
	switch q.Kind {
	case Read:
		e.opcode = opRead
	case Write:
		e.opcode = opWrite
	case WriteDsync:
		e.opcode, e.opFlags = opWrite, rwfDsync
	case Flush:
		e.opcode, e.opFlags, e.offset, e.length = opFsync, fsyncDatasync, 0, 0
	}
	if r.keeps(q.Buffer) {
		e.opcode -= opRead - opReadFixed // the same difference as for writes
	}
	return e
}

func (r *ring) Wait(done []Completion, timeout time.Duration) ([]Completion, error) {
	had := len(done)
	done = r.reap(done)
	if r.busy() == 0 || len(done) > had && r.waiting == 0 {
		return done, nil
	}
	least := uintptr(1)
	if len(done) > had { // there is something to do already
		least = 0
	}
	if least > 0 && timeout >= alarmInterval && !r.alarmed {
		r.put(submission{opcode: opTimeout, addr: uint64(uintptr(unsafe.Pointer(&r.alarm))), length: 1, tag: alarmTag})
		r.alarmed = true
	}
	err := r.enter(r.waiting, timeout, least)
	return r.reap(done), err
}

// enter submits the oldest requests in the ring and waits for so many completions, at
// most until the alarm where the time is longer.
func (r *ring) enter(oldest uint32, timeout time.Duration, least uintptr) error {
	r.argument = waitArgument{}
	if timeout < alarmInterval {
		r.limit = unix.NsecToTimespec(int64(timeout))
		r.argument.timeout = uint64(uintptr(unsafe.Pointer(&r.limit)))
	}
	flags := uintptr(enterGetEvents | enterExtArg)
	if least == 0 { // only submit
		flags = enterExtArg
	}
	call := unix.Syscall6
	if thread.Alone() {
		call = unix.RawSyscall6
	}
	n, _, errno := call(unix.SYS_IO_URING_ENTER, uintptr(r.fd), uintptr(oldest), least,
		flags, uintptr(unsafe.Pointer(&r.argument)), unsafe.Sizeof(r.argument))
	switch errno {
	case 0:
		r.waiting -= uint32(n)
		return nil
	case unix.EINTR, unix.ETIME, unix.EAGAIN: // what was not taken is submitted by the next call
		return nil
	}
	return fmt.Errorf("io_uring_enter: %w", errno)
}

// reap takes the completions that are there.
func (r *ring) reap(done []Completion) []Completion {
	head, tail := *r.cqHead, atomic.LoadUint32(r.cqTail)
	for ; head != tail; head++ {
		c := r.cqes[head&uint32(len(r.cqes)-1)]
		if c.tag == alarmTag {
			r.alarmed = false
			continue
		}
		done = append(done, r.end(int(c.tag), int64(c.result)))
	}
	atomic.StoreUint32(r.cqHead, head)
	return done
}

func (r *ring) Close() error {
	err := drain(r, r.busy)
	for _, memory := range [][]byte{r.entriesMemory, r.memory} {
		if memory != nil {
			err = errors.Join(err, unix.Munmap(memory))
		}
	}
	return errors.Join(err, unix.Close(r.fd))
}
