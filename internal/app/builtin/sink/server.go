package sink

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"plimsoll/internal/app/builtin/service"
	"plimsoll/internal/host/peer"
	"plimsoll/internal/host/simnet/link"
)

// Config configures a sink.
type Config struct {
	// Listen is host:port, where streams come in. A sink with a link of its own has none.
	Listen string `json:"listen,omitempty"`
	// Socket is the path of a unix socket that hands out connections over the link.
	Socket string `json:"socket,omitempty"`
	// Token is required in every request; empty requires none.
	Token string    `json:"token,omitempty"`
	Link  link.Link `json:"link"`
}

const (
	// requestLimit is how long a connection may take for its request.
	requestLimit = 10 * time.Second
	// mostConnections bounds the streams, and what strangers can make the sink keep.
	mostConnections = 4096
	// piece is how much is read at once.
	piece = 128 << 10
)

// server is a sink at work.
type server struct {
	token  string
	totals totals
	log    io.Writer
}

// Serve serves streams until ctx ends. It calls ready with its address.
func Serve(ctx context.Context, c Config, log io.Writer, ready func(address string)) error {
	s := &server{token: c.Token, totals: newTotals(), log: log}
	return service.Place{Listen: c.Listen, Socket: c.Socket, Link: c.Link, Most: mostConnections}.Serve(ctx, s.serve, ready)
}

// serve serves one connection.
func (s *server) serve(ctx context.Context, conn *peer.Conn) {
	_ = conn.SetDeadline(time.Now().Add(requestLimit)) // fails only on a closed connection
	var request Request
	if err := readFrame(conn, &request); err != nil {
		if !errors.Is(err, io.EOF) {
			fmt.Fprintf(s.log, "a connection from %s brought no request: %v\n", conn.RemoteAddr(), err)
		}
		return
	}
	if subtle.ConstantTimeCompare([]byte(request.Token), []byte(s.token)) != 1 {
		_ = service.WriteFrame(conn, Answer{Error: "the token is wrong or missing"})
		return
	}
	conn.Trust()
	switch {
	case request.Stream != nil:
		s.stream(ctx, conn.Conn, *request.Stream)
	case request.Total != "":
		_ = conn.SetDeadline(time.Now().Add(answerLimit + requestLimit))
		_ = service.WriteFrame(conn, s.totals.answer(ctx, request.Total))
	default:
		_ = service.WriteFrame(conn, Answer{})
	}
}

// stream takes or sends one stream.
func (s *server) stream(ctx context.Context, conn net.Conn, st Stream) {
	err := st.check()
	if err == nil {
		err = s.totals.begin(st.ID)
	}
	if err != nil {
		_ = service.WriteFrame(conn, Answer{Error: err.Error()})
		return
	}
	total := Total{Wrong: -1}
	defer func() { s.totals.end(st.ID, total) }()
	socket, err := agree(conn, st)
	if err != nil {
		total.Lost = err.Error()
		return
	}
	defer socket.Close()
	if st.Receive {
		total = send(ctx, socket, st)
	} else {
		total = receive(ctx, socket, st)
	}
}

// agree answers, and gives the socket of the stream.
func agree(conn net.Conn, st Stream) (*Socket, error) {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err == nil {
		err = setBuffers(raw, st.Buffer)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		err = tcp.SetNoDelay(false)
	}
	if err == nil {
		err = service.WriteFrame(conn, Answer{})
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		return nil, err
	}
	return adopt(conn)
}

// smallBuffer is up to which size a receiver waits until three quarters of its buffer are
// full. With half of 256 KiB, and packets that come one by one, senders waited most of the
// time.
const smallBuffer = 64 << 10

// receive takes a stream to its end. With a small buffer it wakes when three quarters of it
// are full, or no more fits (tcp(7), SO_RCVLOWAT): on a machine that does little else, each
// time that the sender wakes it from its idle processor takes longer than many a message.
// Without a limit messages of 256 B had about 0.8 of the rate of iperf3, with half of the
// buffer 0.95, with three quarters 1.03, with all of it 0.97.
func receive(ctx context.Context, socket *Socket, st Stream) Total {
	if st.Buffer <= smallBuffer {
		if err := socket.waitFor(st.Buffer * 3 / 4); err != nil {
			return Total{Wrong: -1, Lost: err.Error()}
		}
	}
	r := NewReceiver(st.Seed, piece)
	buffer := make([]byte, piece)
	for {
		n, err := socket.Read(ctx, buffer)
		r.Take(buffer[:n])
		switch {
		case errors.Is(err, io.EOF):
			return r.Total
		case err != nil:
			r.Lost = err.Error()
			return r.Total
		}
		socket.Yield(time.Now())
	}
}

// send sends messages until the other end has had enough.
func send(ctx context.Context, socket *Socket, st Stream) Total {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var enough atomic.Bool
	var listening sync.WaitGroup
	defer listening.Wait()
	listening.Go(func() {
		_, _ = unplaced(socket).Read(ctx, make([]byte, 1)) // that it ends is all that it says
		enough.Store(true)
	})
	content, total := NewContent(st.Seed, st.Message), Total{Wrong: -1}
	for !enough.Load() {
		n, err := socket.Write(ctx, content.At(total.Bytes, st.Message))
		total.Bytes += int64(n)
		if err != nil {
			total.Lost = err.Error()
			return total
		}
		socket.Yield(time.Now())
	}
	if err := socket.CloseWrite(); err != nil {
		total.Lost = err.Error()
	}
	return total
}

// unplaced is a view of a socket for another goroutine than that with its place.
func unplaced(s *Socket) *Socket { return &Socket{fd: s.fd} }
