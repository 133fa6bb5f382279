// Package aio keeps many block requests under way from one goroutine: reads,
// writes, synchronous writes and flushes, by io_uring, or by Linux AIO where
// io_uring is not permitted (containers), or by a thread for each request where
// neither is. A Go program that asks with blocking calls
// from many goroutines keeps fewer requests in flight than it means to, and
// measures its own scheduler instead of the medium.
//
// No maintained Go module offers either interface, so that the system calls
// are made here (io_uring_setup(2), io_uring_enter(2), io_submit(2)).
package aio

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Kind is the kind of a request.
type Kind uint8

// The kinds of requests.
const (
	Read Kind = iota
	Write
	WriteDsync // a write that is on the medium when it completes (RWF_DSYNC)
	Flush      // fdatasync
)

// Request is one piece of work. Buffer must stay untouched until it completes;
// direct I/O wants it from Buffer, which aligns it.
type Request struct {
	Kind   Kind
	File   int // descriptor
	Buffer []byte
	Offset int64
	// Tag comes back with the completion.
	Tag int
}

// Completion is a request that has ended.
type Completion struct {
	Tag int
	// N is the number of bytes read or written; fewer than asked for is not an
	// error here.
	N   int
	Err error // a unix.Errno
}

// Queue runs up to its depth of requests concurrently. Only one goroutine may use it. The
// threads that submit must outlive the requests, as the threads of Go's scheduler do; a
// thread that a goroutine was locked to ends with it.
type Queue interface {
	// Name is the name of the kernel's interface: io_uring, libaio, threads.
	Name() string
	// Keep announces that buffers of requests will be parts of this memory, which is freed
	// after Close: where the interface can, each request then costs less.
	Keep(memory []byte)
	// Submit hands requests over; they begin at the latest with the next Wait.
	// No more than the depth may be under way (ErrFull).
	Submit(requests ...Request) error
	// Wait appends what has completed to done and returns it, waiting until
	// there is at least one completion or the time is over. A long wait may end
	// early without one.
	Wait(done []Completion, timeout time.Duration) ([]Completion, error)
	// Close waits for outstanding requests and frees the queue.
	Close() error
}

// ErrFull means that more requests were submitted than the depth permits.
var ErrFull = errors.New("more requests than the queue depth")

// engine makes queues of one interface.
type engine struct {
	name string
	open func(depth int) (Queue, error)
}

// engines come in the order of preference.
func engines() []engine {
	return []engine{{"io_uring", newRing}, {"libaio", newLinuxAIO}, {"threads", newThreads}}
}

// Names lists the engines in the order in which New tries them.
func Names() []string {
	var names []string
	for _, e := range engines() {
		names = append(names, e.name)
	}
	return names
}

// New makes a queue of the first engine that this kernel permits, or of the
// one that is named.
func New(depth int, name string) (Queue, error) {
	if depth < 1 || depth > 4096 {
		return nil, fmt.Errorf("queue depth must be 1 to 4096, got %d", depth)
	}
	var errs []error
	for _, e := range engines() {
		if name != "" && name != e.name {
			continue
		}
		q, err := e.open(depth)
		if err == nil {
			return q, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", e.name, err))
	}
	if errs == nil {
		return nil, fmt.Errorf("unknown engine %q for asynchronous I/O: choose one of %v", name, Names())
	}
	return nil, fmt.Errorf("make a queue for asynchronous I/O: %w", errors.Join(errs...))
}

// hugePage is the size of the kernel's larger pages, and hugeFrom from which size a buffer
// has some. One request of most drivers does not hold 1 MiB in scattered small pages (254
// pieces with virtio), so that the kernel sends two. The rate of sequential reads then
// depends on which pages a buffer got (docs/driver-measurements.md).
const (
	hugePage = 2 << 20
	hugeFrom = 1 << 20
)

// WithBuffer does something with such memory as Buffer gives, and frees it.
func WithBuffer(size int, do func(buffer []byte) error) error {
	buffer, err := Buffer(size)
	if err != nil {
		return err
	}
	return errors.Join(do(buffer), Free(buffer))
}

// Buffer returns memory that direct I/O accepts: a mapping of its own, aligned
// to a page, in huge pages if it is large and the kernel has some. Free gives it back.
func Buffer(size int) ([]byte, error) {
	mapped := size
	if size >= hugeFrom {
		mapped = (size + hugePage - 1) / hugePage * hugePage // the kernel aligns whole ones only
	}
	b, err := unix.Mmap(-1, 0, mapped, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("get %d bytes of memory for direct I/O: %w", size, err)
	}
	if size >= hugeFrom {
		_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // not every kernel has huge pages
	}
	return b[:size], nil
}

// Free frees the memory of a Buffer.
func Free(buffer []byte) error { return unix.Munmap(buffer[:cap(buffer)]) }

// slots remembers the requests under way, so that their buffers are reachable
// and completions find their tags.
type slots struct {
	requests []Request
	free     []int
}

func newSlots(depth int) slots {
	s := slots{requests: make([]Request, depth), free: make([]int, depth)}
	for i := range s.free {
		s.free[i] = depth - 1 - i
	}
	return s
}

func (s *slots) take(r Request) (slot int, ok bool) {
	if len(s.free) == 0 {
		return 0, false
	}
	slot = s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	s.requests[slot] = r
	return slot, true
}

// end gives the slot back; result is the kernel's answer, negative for an error.
func (s *slots) end(slot int, result int64) Completion {
	c := Completion{Tag: s.requests[slot].Tag, N: int(result)}
	if result < 0 {
		c.N, c.Err = 0, unix.Errno(-result)
	}
	s.requests[slot] = Request{}
	s.free = append(s.free, slot)
	return c
}

func (s *slots) busy() int { return len(s.requests) - len(s.free) }

// drain waits until nothing is under way.
func drain(q Queue, busy func() int) error {
	var done []Completion
	var err error
	for busy() > 0 && err == nil {
		done, err = q.Wait(done[:0], time.Second)
	}
	return err
}
