package network

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"plimsoll/internal/app/builtin/sink"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/workload"
)

// stream is a session: a connection that messages go over one way.
type stream struct {
	p       *Parameters
	place   sink.Place
	stream  sink.Stream
	socket  *sink.Socket
	content sink.Content   // that is sent
	buffer  []byte         // that is received into
	in      *sink.Receiver // what was received; nil where it sends
	sent    int64
	done    int64 // whole messages
	pace    workload.Pace
	given   bool // the receipt was given
	broken  bool
}

var (
	_ workload.Session      = (*stream)(nil)
	_ workload.PacedSession = (*stream)(nil)
)

func open(ctx context.Context, t workload.Target, p *Parameters, seed uint64) (*stream, error) {
	e := t.Endpoint(sinkRole)
	s := &stream{
		p:     p,
		place: sink.Place{Network: e.Network, Address: e.Address, Token: e.Password},
		stream: sink.Stream{
			ID: rand.Text(), Seed: seed, Message: int(p.Message), Buffer: int(p.SocketBuffer), Receive: p.Direction == receiving,
		},
	}
	if s.stream.Receive {
		s.buffer, s.in = make([]byte, p.Message), sink.NewReceiver(seed, int(p.Message))
	} else {
		s.content = sink.NewContent(seed, int(p.Message))
	}
	var err error
	s.socket, err = s.place.Open(ctx, s.stream)
	return s, err
}

// Pace implements workload.PacedSession.
func (s *stream) Pace(p workload.Pace) { s.pace = p }

// Broken implements workload.Session.
func (s *stream) Broken() bool { return s.broken }

// Close implements workload.Session.
func (s *stream) Close() error { return s.socket.Close() }

// turn bounds how long a Do takes messages together, as long as they are fast.
const turn = time.Millisecond

// Do implements workload.Session: it moves messages for about a turn.
func (s *stream) Do(ctx context.Context, rec workload.Recorder) error {
	for began := workload.Now(); ; {
		if err := ctx.Err(); err != nil {
			s.giveReceipts(rec, nil, true)
			return err
		}
		due, more := s.pace.Next()
		if !more {
			s.finish(ctx, rec)
			return workload.ErrFinished
		}
		ended, err := s.message(ctx, due, rec)
		if err != nil {
			return err
		}
		s.socket.Yield(ended)
		if ended.Sub(began) > turn {
			return nil
		}
	}
}

// message moves one message.
func (s *stream) message(ctx context.Context, due time.Time, rec workload.Recorder) (ended time.Time, err error) {
	begun := workload.Now()
	if due.After(begun) {
		s.socket.Sleep(ctx, due)
	}
	if !due.IsZero() {
		begun = due
	}
	n, err := s.move(ctx)
	ended = workload.Now()
	if err != nil {
		s.fail(ctx, rec, begun, ended)
		return ended, fmt.Errorf("message %d: %w", s.done, lostError{err})
	}
	s.done++
	rec.Observe(0, begun, ended.Sub(begun), workload.Done)
	rec.Moved(0, int64(n))
	return ended, nil
}

func (s *stream) move(ctx context.Context) (int, error) {
	if !s.stream.Receive {
		n, err := s.socket.Write(ctx, s.content.At(s.sent, int(s.p.Message)))
		s.sent += int64(n)
		return n, err
	}
	for n := 0; n < len(s.buffer); {
		got, err := s.socket.Read(ctx, s.buffer[n:])
		s.in.Take(s.buffer[n : n+got])
		n += got
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // it is for us to end the stream
		}
		if err != nil {
			return n, err
		}
	}
	return len(s.buffer), nil
}

// lostError is a connection that was lost under a stream.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

// ErrorClass says what results count it under.
func (e lostError) ErrorClass() string { return errorclass.ConnectionLost }

// fail reports that the connection was lost. What the sink had received by then it still
// says, unless it is the sink that has ended.
func (s *stream) fail(ctx context.Context, rec workload.Recorder, begun, ended time.Time) {
	s.broken = true
	rec.Observe(0, begun, ended.Sub(begun), workload.Failed)
	s.giveReceipts(rec, s.total(ctx), true)
}

// finish ends the stream in good order and gives its receipt.
func (s *stream) finish(ctx context.Context, rec workload.Recorder) {
	if s.given {
		return
	}
	err := s.socket.CloseWrite()
	if err == nil {
		err = s.drain(ctx)
	}
	s.giveReceipts(rec, s.total(ctx), err != nil)
}

// total is the sink's; nil where it gives none.
func (s *stream) total(ctx context.Context) *sink.Total {
	total, err := s.place.Total(ctx, s.stream.ID)
	if err != nil {
		return nil
	}
	return &total
}

// drain takes what still comes: the messages that are under way, or only the end.
func (s *stream) drain(ctx context.Context) error {
	rest := make([]byte, 64<<10)
	for {
		n, err := s.socket.Read(ctx, rest[:min(len(rest), max(1, len(s.buffer)))])
		if s.in != nil {
			s.in.Take(rest[:n])
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
