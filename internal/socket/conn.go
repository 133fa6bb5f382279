package socket

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Conn is a connection for protocols whose messages a library reads. What is
// written waits for the next Read, so that a round trip costs one write and one
// read. It is always the poller that waits. One goroutine uses it at a time; only
// Interrupt may be called from another.
type Conn struct {
	*Link
	hungUp bool
	look   func(fd uintptr) // made once, as Link.step is
}

var _ net.Conn = (*Conn)(nil)

// Dial connects.
func Dial(ctx context.Context, network, address string) (*Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l, err := polled(conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	s := &Conn{Link: l}
	s.look = func(fd uintptr) { s.hungUp = hasHungUp(int(fd)) }
	return s, nil
}

// Write keeps a copy of b for the next Read, or Close.
func (s *Conn) Write(b []byte) (int, error) {
	if s.broken {
		return 0, net.ErrClosed
	}
	s.Out = append(s.Out, b...)
	return len(b), nil
}

// Read writes what waits, and then waits for some bytes.
func (s *Conn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	s.In, s.writing = b[:0], len(s.Out) > 0 // it reads into b itself
	err := s.receive()
	n := len(s.In)
	s.In, s.Out = nil, s.Out[:0]
	if errors.Is(err, io.ErrUnexpectedEOF) && !s.interrupted.Load() {
		return 0, io.EOF
	}
	return n, err
}

// HungUp reports whether the other side has closed the connection, although
// what it sent before may still be there to be read.
func (s *Conn) HungUp() bool {
	if s.broken {
		return true
	}
	return s.raw.Control(s.look) != nil || s.hungUp
}

func hasHungUp(fd int) bool {
	p := unix.PollFd{Fd: int32(fd), Events: unix.POLLRDHUP}
	errno := rawPoll(&p, &unix.Timespec{})
	return p.Revents != 0 || errno != 0 && errno != syscall.EINTR
}

// Close writes what waits and closes the socket.
func (s *Conn) Close() error { return s.Farewell(s.Out) }

// LocalAddr implements net.Conn.
func (s *Conn) LocalAddr() net.Addr { return s.conn.LocalAddr() }

// RemoteAddr implements net.Conn.
func (s *Conn) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// SetReadDeadline implements net.Conn: there is one deadline for all.
func (s *Conn) SetReadDeadline(t time.Time) error { return s.SetDeadline(t) }

// SetWriteDeadline implements net.Conn: there is one deadline for all.
func (s *Conn) SetWriteDeadline(t time.Time) error { return s.SetDeadline(t) }
