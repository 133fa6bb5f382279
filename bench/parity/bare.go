package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"plimsoll/bench/stand"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/describe/endpoint"
)

// bare is what a statement costs at least: a thread that sends the bytes of a point select,
// sleeps until there is an answer and takes it, over and over. It knows no protocol, looks
// at no answer and records nothing.
func bare(ctx context.Context, server *stand.Stand, length time.Duration) (s sample, err error) {
	tapped, err := tap(ctx, server.Target.Endpoint("db"))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, tapped.socket.Close()) }()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, begun, statements := threadSeconds(), time.Now(), 0
	for time.Since(begun) < length {
		for range 100 {
			if err := tapped.ask(); err != nil {
				return s, err
			}
		}
		statements += 100
	}
	seconds, cpu := time.Since(begun).Seconds(), threadSeconds()-before
	return sample{throughput: float64(statements) / seconds, p50: math.NaN(), p95: math.NaN(), p99: math.NaN(), cpu: cpu / float64(statements)}, nil
}

// threadSeconds is the CPU time of the running thread, in seconds.
func threadSeconds() float64 {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &r); err != nil {
		return math.NaN()
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

// question is a connection to a server, a statement that it has prepared, as bytes, and how
// many bytes it answers.
type question struct {
	socket *os.File
	fd     uintptr // of it, which blocks
	asked  []byte
	answer int
}

// ask is one round trip.
func (q *question) ask() error {
	fd := q.fd
	if n, errno := call(unix.SYS_SENDTO, fd, q.asked, unix.MSG_NOSIGNAL); errno != 0 || n < len(q.asked) {
		return fmt.Errorf("sent %d of %d bytes: %w", n, len(q.asked), errno)
	}
	var answer [4096]byte
	for rest := q.answer; rest > 0; {
		p := unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
		_, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, 0, 0, 0, 0)
		if errno == syscall.EINTR { // Go's scheduler looks after its threads
			continue
		}
		n, errno := call(unix.SYS_RECVFROM, fd, answer[:], 0)
		if errno != 0 && errno != syscall.EINTR || n == 0 {
			return fmt.Errorf("%d bytes of the answer are missing: %w", rest, errno)
		}
		rest -= max(n, 0)
	}
	return nil
}

func call(number, fd uintptr, b []byte, flags uintptr) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(number, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(n), 0
}

// tap has the driver's client prepare and ask by way of a listener, which keeps the
// connection to the server and what was said last.
func tap(ctx context.Context, e endpoint.Endpoint) (*question, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &tapped{}
	relayed := make(chan error, 1)
	go func() { relayed <- t.relay(l, e) }()
	by := e
	by.Network, by.Address = "tcp", l.Addr().String()
	failed := pointSelect(ctx, by)
	_ = l.Close() // who has not come by now does not come
	if err := errors.Join(failed, <-relayed); err != nil {
		return nil, fmt.Errorf("listen to a point select: %w", err)
	}
	return &t.question, nil
}

// pointSelect asks once. It ends the connection without a farewell, which would be what was
// said last.
func pointSelect(ctx context.Context, e endpoint.Endpoint) error {
	c, err := dial.Open(ctx, e)
	if err != nil {
		return err
	}
	statement, err := c.Prepare("select c from sbtest1 where id = $1")
	if err != nil {
		return errors.Join(err, c.Close())
	}
	b := new(sqlwire.Batch).Call(statement).Int(1)
	_, err = c.Do(b)
	c.Interrupt()
	if _, after := c.Do(b); after == nil {
		err = errors.Join(err, errors.New("an interrupted connection answers"))
	}
	return errors.Join(err, c.Close())
}

// tapped passes on what both sides say.
type tapped struct {
	mu sync.Mutex
	question
}

// relay ends when the client has gone, and leaves the server's side open.
func (t *tapped) relay(l net.Listener, e endpoint.Endpoint) error {
	client, err := l.Accept()
	if err != nil {
		return err
	}
	defer client.Close()
	server, err := net.Dial(e.Network, e.Address)
	if err != nil {
		return err
	}
	defer server.Close()
	var answers sync.WaitGroup
	answers.Go(func() {
		pass(server, client, func(b []byte) { t.answer += len(b) }, &t.mu)
	})
	pass(client, server, func(b []byte) { t.asked, t.answer = append(t.asked[:0], b...), 0 }, &t.mu)
	if err := server.SetReadDeadline(time.Unix(1, 0)); err != nil {
		return err
	}
	answers.Wait()
	file, ok := server.(interface{ File() (*os.File, error) })
	if !ok {
		return fmt.Errorf("no file of a connection by %s", e.Network)
	}
	if t.socket, err = file.File(); err != nil {
		return err
	}
	t.fd = t.socket.Fd()
	return nil
}

// pass copies from one side to the other until the sender closes its connection. It calls said
// with each piece before the receiver can have it.
func pass(from, to net.Conn, said func([]byte), mu *sync.Mutex) {
	for b := make([]byte, 64<<10); ; {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		mu.Lock()
		said(b[:n])
		mu.Unlock()
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}
