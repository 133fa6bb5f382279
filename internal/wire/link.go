package wire

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

// link is the socket below a connection, with one buffer for each direction
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
type link struct {
	thread *thread // nil where the poller waits
	secret bool    // conn encrypts
	conn   net.Conn
	raw    syscall.RawConn
	step   func(fd uintptr) bool // made once: a closure for each call would allocate
	out    []byte                // to be written
	in     []byte                // received; its length is what has come
	parsed int                   // how much of in has been taken

	got         int
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

// newLink takes a thread, where there is a place for one.
func newLink(conn net.Conn) (*link, error) {
	if _, ok := conn.(*tls.Conn); ok {
		return &link{conn: conn, secret: true, in: make([]byte, 0, firstBuffer)}, nil
	}
	l, err := polledLink(conn)
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

func polledLink(conn net.Conn) (*link, error) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("the connection to %s is not a plain socket", conn.RemoteAddr())
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("reach the socket below the connection to %s: %w", conn.RemoteAddr(), err)
	}
	l := &link{conn: conn, raw: raw, in: make([]byte, 0, firstBuffer)}
	l.step = l.readOrWrite
	return l, nil
}

// begin empties both buffers for the next batch.
func (l *link) begin() {
	l.out, l.in, l.parsed = l.out[:0], l.in[:0], 0
}

// send writes all of out and waits for the first bytes of the answer.
func (l *link) send() error {
	l.writing = true
	return l.receive()
}

// need waits until n bytes lie ahead of parsed.
func (l *link) need(n int) error {
	for len(l.in)-l.parsed < n {
		if err := l.receive(); err != nil {
			return err
		}
	}
	return nil
}

// receive waits for at least one more byte.
func (l *link) receive() error {
	if l.broken {
		return net.ErrClosed
	}
	if len(l.in) == cap(l.in) { // bytes that were taken stay: results point to them by offset
		l.in = slices.Grow(l.in, len(l.in))
	}
	l.got, l.err = 0, nil
	if l.secret {
		l.exchange()
	} else if l.thread != nil {
		l.block()
	} else if err := l.raw.Read(l.step); err != nil {
		return l.fail(err)
	}
	if l.err != nil {
		return l.fail(l.err)
	}
	if l.got == 0 {
		return l.fail(io.ErrUnexpectedEOF)
	}
	l.in = l.in[:len(l.in)+l.got]
	return nil
}

// exchange writes, if there is something, and reads, through TLS.
func (l *link) exchange() {
	if l.writing {
		l.writing = false
		if _, l.err = l.conn.Write(l.out); l.err != nil {
			return
		}
	}
	l.got, l.err = l.conn.Read(l.in[len(l.in):cap(l.in)])
	if l.got > 0 {
		l.err = nil // what comes after it is told by the next call
	}
}

// block writes, if there is something, and reads.
func (l *link) block() {
	if l.writing {
		l.writing = false
		if l.err = l.thread.write(l.out); l.err != nil {
			return
		}
	}
	l.got, l.err = l.thread.read(l.in[len(l.in):cap(l.in)])
}

// readOrWrite is called by the poller's wait loop; false asks to wait for
// something to read.
func (l *link) readOrWrite(fd uintptr) bool {
	if l.writing {
		l.writing = false
		l.err = l.write(fd)
		return l.err != nil
	}
	n, err := rawRead(fd, l.in[len(l.in):cap(l.in)])
	for err == syscall.EINTR {
		n, err = rawRead(fd, l.in[len(l.in):cap(l.in)])
	}
	if err == syscall.EAGAIN {
		return false
	}
	l.got, l.err = n, os.NewSyscallError("recv", err)
	return true
}

func (l *link) write(fd uintptr) error {
	n, err := rawWrite(fd, l.out)
	if err != nil && err != syscall.EAGAIN && err != syscall.EINTR {
		return os.NewSyscallError("send", err)
	}
	if n = max(n, 0); n < len(l.out) {
		_, err = l.conn.Write(l.out[n:]) // the socket's buffer is full: wait for room
		return err
	}
	return nil
}

// fail marks the connection as broken and says why in words.
func (l *link) fail(err error) error {
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

// SetDeadline implements Conn.
func (l *link) SetDeadline(t time.Time) error {
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

// Interrupt implements Conn.
func (l *link) Interrupt() {
	l.interrupted.Store(true)
	if l.thread != nil {
		l.thread.interrupt()
		return
	}
	_ = l.conn.SetDeadline(time.Unix(1, 0)) // fails only on a closed connection, which needs no interruption
}

// farewell tells the server that the conversation is over, which is a courtesy:
// closing the socket ends the session too. It closes the socket.
func (l *link) farewell(message []byte) error {
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

// Broken implements Conn.
func (l *link) Broken() bool { return l.broken }
