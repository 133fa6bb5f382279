package sink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"plimsoll/internal/app/builtin/service"
	"plimsoll/internal/host/simnet/link"
)

// Place is where a sink is: at an address on a network of the machine (tcp), or behind
// a socket that hands out connections over the sink's own link (unix).
type Place struct {
	Network, Address string
	Token            string
}

// answerLimit is how long the sink may take to agree, or to report a stream's result.
const answerLimit = 30 * time.Second

// Open begins a stream.
func (p Place) Open(ctx context.Context, s Stream) (*Socket, error) {
	conn, err := p.ask(ctx, Request{Token: p.Token, Stream: &s}, s.Buffer, &Answer{})
	if err != nil {
		return nil, fmt.Errorf("begin a stream to the sink at %s: %w", p.Address, err)
	}
	return adopt(conn)
}

// Total asks what came of a stream, which must be over.
func (p Place) Total(ctx context.Context, id string) (t Total, err error) {
	var answer Answer
	conn, err := p.ask(ctx, Request{Token: p.Token, Total: id}, 0, &answer)
	if err == nil && answer.Total == nil {
		err = errors.New("its answer has no total")
	}
	if err != nil {
		return t, fmt.Errorf("ask the sink at %s for the total of a stream: %w", p.Address, err)
	}
	return *answer.Total, conn.Close()
}

// Ping finds out whether the sink answers.
func (p Place) Ping(ctx context.Context) error {
	conn, err := p.ask(ctx, Request{Token: p.Token}, 0, &Answer{})
	if err != nil {
		return fmt.Errorf("ask the sink at %s: %w", p.Address, err)
	}
	return conn.Close()
}

// ask connects and makes a request.
func (p Place) ask(ctx context.Context, request Request, buffer int, answer *Answer) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	conn, err := p.connect(ctx, buffer)
	if err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline()
	err = conn.SetDeadline(deadline)
	if err == nil {
		err = service.WriteFrame(conn, request)
	}
	if err == nil {
		err = readFrame(conn, answer)
	}
	if err == nil && answer.Error != "" {
		err = refusedError(answer.Error)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, conn.SetDeadline(time.Time{})
}

// refusedError is a refusal by the sink.
type refusedError string

func (e refusedError) Error() string { return "it refused: " + string(e) }

// connect makes a connection that puts small messages together, as TCP does by itself
// (Go's own do not).
func (p Place) connect(ctx context.Context, buffer int) (net.Conn, error) {
	conn, err := p.dial(ctx, buffer)
	if err != nil {
		return nil, err
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the connection is no TCP connection, but %T", conn), conn.Close())
	}
	if err := tcp.SetNoDelay(false); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (p Place) dial(ctx context.Context, buffer int) (net.Conn, error) {
	size := func(_, _ string, raw syscall.RawConn) error { return setBuffers(raw, buffer) }
	if p.Network != "unix" {
		return (&net.Dialer{Control: size}).DialContext(ctx, p.Network, p.Address)
	}
	conn, err := link.Connect(ctx, p.Address)
	if err != nil {
		return nil, err
	}
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err == nil {
		err = setBuffers(raw, buffer)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
