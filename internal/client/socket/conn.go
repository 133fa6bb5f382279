package socket

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Conn is a connection for protocols whose messages a library reads. Writes are buffered
// until the next Read, so a round trip costs one write and one read. Waiting uses the
// poller, except for connections that Over returns. One goroutine uses a Conn at a time;
// only Interrupt may be called from another.
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
		_ = conn.Close()
		return nil, err
	}
	s := &Conn{Link: l}
	s.look = func(fd uintptr) { s.hungUp = hasHungUp(int(fd)) }
	return s, nil
}

// Over returns one above a connection that is made, which is a plain socket or TLS on one. As
// with New, it takes a thread where there is a place for one.
func Over(conn net.Conn) (*Conn, error) {
	l, err := New(conn)
	if err != nil {
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

// gulp is as much as Take reads at once.
const gulp = 64 << 10

// Take keeps some of what a reader has, up to so many bytes, as Write does.
func (s *Conn) Take(from io.Reader, most int64) (int64, error) {
	s.Out = slices.Grow(s.Out, gulp)
	n, err := io.ReadFull(from, s.Out[len(s.Out):len(s.Out)+int(min(gulp, most))])
	s.Out = s.Out[:len(s.Out)+n]
	return int64(n), err
}

// Read writes what waits, and then waits for some bytes.
func (s *Conn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	s.In, s.writing = b[:0:len(b)], len(s.Out) > 0 // it reads into b itself, and not into what lies behind
	err := s.receive(1)
	n := len(s.In)
	s.In, s.Out = nil, s.Out[:0]
	if errors.Is(err, io.ErrUnexpectedEOF) && !s.interrupted.Load() {
		return 0, io.EOF
	}
	return n, err
}

// HungUp reports whether the peer has closed the connection, even if data that it sent
// before is still unread.
func (s *Conn) HungUp() bool {
	switch {
	case s.broken:
		return true
	case s.thread != nil:
		return hasHungUp(s.thread.fd)
	case s.secret:
		return false // TLS has the socket: the next call finds out
	}
	return s.raw.Control(s.look) != nil || s.hungUp
}

// Flush writes what waits, for messages that are longer than what one keeps in memory. After
// an error the other side may still have said why: Read can tell.
func (s *Conn) Flush() error {
	if s.broken {
		return net.ErrClosed
	}
	out := s.Out
	s.Out = s.Out[:0]
	if s.thread != nil {
		return s.thread.write(out)
	}
	_, err := s.conn.Write(out)
	return err
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
