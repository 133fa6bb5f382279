// Package socket sends and receives on a TCP or unix socket with as few system calls as
// possible, so that a driver can load a server without becoming the bottleneck. It wraps an
// established connection in a Link, whose buffers a protocol reads and writes itself
// (packages below sqlwire), or connects and returns a net.Conn for protocols that a library
// reads (package httpwire).
package socket

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

// Link is the socket below a connection, with one buffer for each direction
// that lives as long as the connection.
//
// A round trip through net.Conn costs four system calls: write, a read that
// finds nothing, the poller's wait, and the read that finds the answer. The
// link writes from inside the read callback of syscall.RawConn and returns "not
// ready" at once, so that the goroutine goes to the poller without the vain
// read. The poller is armed before the callback is called, so an answer that
// comes between the write and the wait is not missed.
//
// Where there is a place for another thread, the thread sleeps on the socket
// instead; see thread. A connection that is encrypted is written to and read as any
// other: its records are TLS's.
type Link struct {
	thread *thread // nil where the poller waits
	secret bool    // conn encrypts
	conn   net.Conn
	raw    syscall.RawConn
	step   func(fd uintptr) bool // made once: a closure for each call would allocate

	Out    []byte // to be written
	In     []byte // received; its length is what has come
	Parsed int    // how much of In has been taken

	got         int
	least       int // of what a wait is for
	err         error
	writing     bool
	broken      bool
	interrupted atomic.Bool
}

const (
	firstBuffer = 2048
	// closeTimeout bounds the farewell to the server.
	closeTimeout = time.Second
)

// New returns the link above a connection, which is a plain socket or TLS on one. It takes a
// thread, where there is a place for one. Whoever opened the connection closes it by Farewell.
func New(conn net.Conn) (*Link, error) {
	if _, ok := conn.(*tls.Conn); ok {
		return &Link{conn: conn, secret: true, In: make([]byte, 0, firstBuffer)}, nil
	}
	l, err := polled(conn)
	if err != nil {
		return nil, err
	}
	if l.thread, err = newThread(l.raw); err != nil {
		return nil, err
	}
	if l.thread != nil {
		_ = conn.Close() // its socket has another descriptor now, which the poller does not know
	}
	return l, nil
}

func polled(conn net.Conn) (*Link, error) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("the connection to %s is not a plain socket", conn.RemoteAddr())
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("reach the socket below the connection to %s: %w", conn.RemoteAddr(), err)
	}
	l := &Link{conn: conn, raw: raw, In: make([]byte, 0, firstBuffer)}
	l.step = l.readOrWrite
	return l, nil
}

// Begin empties both buffers for the next batch.
func (l *Link) Begin() {
	l.Out, l.In, l.Parsed = l.Out[:0], l.In[:0], 0
}

// Send writes all of Out and waits for the first bytes of the answer, which has at
// least so many: those are waited for together where that saves a turn of the poller.
func (l *Link) Send(least int) error {
	l.writing = true
	return l.receive(least)
}

// Need waits until n bytes lie ahead of Parsed.
func (l *Link) Need(n int) error {
	for len(l.In)-l.Parsed < n {
		if err := l.receive(l.Parsed + n - len(l.In)); err != nil {
			return err
		}
	}
	return nil
}

// receive waits for at least one more byte, of at least so many that will come.
func (l *Link) receive(least int) error {
	if l.broken {
		return net.ErrClosed
	}
	if len(l.In) == cap(l.In) { // bytes that were taken stay: results point to them by offset
		l.In = slices.Grow(l.In, len(l.In))
	}
	l.got, l.least, l.err = 0, least, nil
	if l.secret {
		l.exchange()
	} else if l.thread != nil {
		l.block()
	} else if err := l.raw.Read(l.step); err != nil {
		return l.Fail(err)
	}
	if l.err != nil {
		return l.Fail(l.err)
	}
	if l.got == 0 {
		return l.Fail(io.ErrUnexpectedEOF)
	}
	l.In = l.In[:len(l.In)+l.got]
	return nil
}

// exchange writes, if there is something, and reads, through TLS.
func (l *Link) exchange() {
	if l.writing {
		l.writing = false
		if _, l.err = l.conn.Write(l.Out); l.err != nil {
			return
		}
	}
	l.got, l.err = l.conn.Read(l.In[len(l.In):cap(l.In)])
	if l.got > 0 {
		l.err = nil // what comes after it is told by the next call
	}
}

// block writes, if there is something, and reads.
func (l *Link) block() {
	if l.writing {
		l.writing = false
		if l.err = l.thread.write(l.Out); l.err != nil {
			return
		}
	}
	l.got, l.err = l.thread.read(l.In[len(l.In):cap(l.In)])
}

// readOrWrite is called by the poller's wait loop; false asks to wait for
// something to read. What came with too little is not read for in vain again, as the
// next call of raw.Read would have to.
func (l *Link) readOrWrite(fd uintptr) bool {
	if l.writing {
		l.writing = false
		l.err = l.write(fd)
		return l.err != nil
	}
	room := l.In[len(l.In)+l.got : cap(l.In)]
	n, err := rawRead(fd, room)
	for err == syscall.EINTR {
		n, err = rawRead(fd, room)
	}
	if err == syscall.EAGAIN {
		return false
	}
	l.got, l.err = l.got+max(n, 0), os.NewSyscallError("recv", err)
	return n <= 0 || l.got >= l.least || n == len(room)
}

func (l *Link) write(fd uintptr) error {
	n, err := rawWrite(fd, l.Out)
	if err != nil && err != syscall.EAGAIN && err != syscall.EINTR {
		return os.NewSyscallError("send", err)
	}
	if n = max(n, 0); n < len(l.Out) {
		_, err = l.conn.Write(l.Out[n:]) // the socket's buffer is full: wait for room
		return err
	}
	return nil
}

// Fail marks the connection as broken and says why in words.
func (l *Link) Fail(err error) error {
	l.broken = true
	switch {
	case l.interrupted.Load():
		return fmt.Errorf("interrupted: %w", err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no answer within the time limit: %w", err)
	default:
		return fmt.Errorf("connection lost: %w", err)
	}
}

// SetDeadline makes calls fail that are not done by t; the zero time is no deadline. It
// costs no system call where a thread waits.
func (l *Link) SetDeadline(t time.Time) error {
	if l.thread != nil {
		l.thread.setDeadline(t)
		return nil
	}
	err := l.conn.SetDeadline(t)
	if l.interrupted.Load() { // a deadline set while Interrupt ran must not undo it
		l.Interrupt()
	}
	return err
}

// Interrupt makes the running call and all later ones fail. Any goroutine may call it.
func (l *Link) Interrupt() {
	l.interrupted.Store(true)
	if l.thread != nil {
		l.thread.interrupt()
		return
	}
	_ = l.conn.SetDeadline(time.Unix(1, 0)) // fails only on a closed connection, which needs no interruption
}

// Farewell informs the server that the conversation is over, which is a
// courtesy: closing the socket ends the session too. It closes the socket.
func (l *Link) Farewell(message []byte) error {
	broken := l.broken
	l.broken = true
	if l.thread != nil {
		if !broken {
			l.thread.setDeadline(time.Now().Add(closeTimeout))
			_ = l.thread.write(message)
		}
		return l.thread.close()
	}
	if !broken {
		_ = l.conn.SetWriteDeadline(time.Now().Add(closeTimeout))
		_, _ = l.conn.Write(message)
	}
	return l.conn.Close()
}

// Broken reports whether the connection can no longer be used.
func (l *Link) Broken() bool { return l.broken }
