// Package transfer moves data through stages, one goroutine each, with bounded queues between
// them, and measures of each stage how long it was at work and how long it waited for its
// neighbours. The stage that never waits limits the others. The stages of moving images
// between stores are here, too: read, decompress, compress, checksum, encrypt, send, receive,
// decrypt, write and flush.
package transfer

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"plimsoll/internal/describe"
)

const (
	// piece is how much of the data a queue holds in one place, in bytes.
	piece = 256 << 10
	// depth is how many pieces a queue holds: enough to even out the turns of a scheduler,
	// and little compared with the data moved.
	depth = 8
)

// errGone means that the stage after has ended and takes nothing any more.
var errGone = errors.New("the next stage has ended")

// Stage is one step. It takes from the one before until io.EOF and gives to the one after;
// the first takes nothing, and the last gives nothing. An error of the stage before comes in
// place of io.EOF, after what was given.
type Stage struct {
	Name string
	Run  func(in *Input, out *Output) error
}

// queue connects two stages.
type queue struct {
	pieces chan []byte
	gone   chan struct{} // closed when nobody takes any more
	err    error         // why nobody gives any more; nil is the end. Written before pieces is closed.
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, piece); return &b }}

func buffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// Release gives back a piece that was taken and not passed on.
func Release(b []byte) {
	if cap(b) == piece {
		buffers.Put(&b)
	}
}

// Input is the input of a stage.
type Input struct {
	ctx    context.Context
	from   *queue // nil for the first stage
	rest   []byte // of the piece that is being read
	whole  []byte // that piece
	bytes  int64
	before time.Duration
}

// Next returns the next piece, which is the stage's to give on or to release.
func (in *Input) Next() ([]byte, error) {
	if in.from == nil {
		return nil, io.EOF
	}
	select {
	case b, more := <-in.from.pieces:
		return in.took(b, more)
	default:
	}
	began := time.Now()
	defer func() { in.before += time.Since(began) }()
	select {
	case b, more := <-in.from.pieces:
		return in.took(b, more)
	case <-in.ctx.Done():
		return nil, context.Cause(in.ctx)
	}
}

func (in *Input) took(b []byte, more bool) ([]byte, error) {
	switch {
	case more:
		in.bytes += int64(len(b))
		return b, nil
	case in.from.err != nil:
		return nil, in.from.err
	}
	return nil, io.EOF
}

// Read implements io.Reader.
func (in *Input) Read(p []byte) (int, error) {
	if len(in.rest) == 0 {
		if in.whole != nil {
			Release(in.whole)
			in.whole = nil
		}
		b, err := in.Next()
		if err != nil {
			return 0, err
		}
		in.rest, in.whole = b, b
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// WriteTo implements io.WriterTo: piece by piece.
func (in *Input) WriteTo(to io.Writer) (n int64, err error) {
	for {
		b, err := in.Next()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		took, err := to.Write(b)
		if n += int64(took); err != nil {
			return n, err
		}
		Release(b)
	}
}

// Awaited reads from a source other than a queue, such as the end of a connection. The time
// until data arrives counts as waiting for the stage before.
func (in *Input) Awaited(from io.Reader) io.Reader { return awaitedReader{in, from} }

type awaitedReader struct {
	in   *Input
	from io.Reader
}

func (a awaitedReader) Read(p []byte) (int, error) {
	began := time.Now()
	n, err := a.from.Read(p)
	a.in.before += time.Since(began)
	a.in.bytes += int64(n)
	return n, err
}

// Output is the output of a stage.
type Output struct {
	ctx   context.Context
	to    *queue // nil for the last stage
	part  []byte // of a piece, that is not given yet
	bytes int64
	after time.Duration
}

// Give hands a piece on, which is the next stage's then.
func (out *Output) Give(b []byte) error {
	out.bytes += int64(len(b))
	if out.to == nil || len(b) == 0 {
		Release(b)
		return nil
	}
	select {
	case <-out.to.gone:
		return errGone
	case out.to.pieces <- b:
		return nil
	default:
	}
	began := time.Now()
	defer func() { out.after += time.Since(began) }()
	select {
	case <-out.to.gone:
		return errGone
	case out.to.pieces <- b:
		return nil
	case <-out.ctx.Done():
		return context.Cause(out.ctx)
	}
}

// Write implements io.Writer. It hands on what fills a piece; the rest follows with the next
// or at the end of the stage.
func (out *Output) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if out.part == nil {
			out.part = buffer()
		}
		took := min(len(p)-n, piece-len(out.part))
		out.part = append(out.part, p[n:n+took]...)
		n += took
		if len(out.part) == piece {
			if err := out.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// ReadFrom implements io.ReaderFrom.
func (out *Output) ReadFrom(from io.Reader) (n int64, err error) {
	for {
		if out.part == nil {
			out.part = buffer()
		}
		got, err := from.Read(out.part[len(out.part):piece])
		out.part = out.part[:len(out.part)+got]
		n += int64(got)
		if len(out.part) == piece {
			if err := out.flush(); err != nil {
				return n, err
			}
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

func (out *Output) flush() error {
	b := out.part
	out.part = nil
	return out.Give(b)
}

// close ends a stage's output.
func (out *Output) close(err error) error {
	if err == nil {
		err = out.flush()
	}
	if out.to != nil {
		out.to.err = err
		close(out.to.pieces)
	}
	return err
}

// Run runs stages until all have ended, and returns an account of each. The error is the
// error of the first stage that failed.
func Run(ctx context.Context, side string, stages []Stage) ([]describe.Stage, error) {
	did, errs := make([]describe.Stage, len(stages)), make([]error, len(stages))
	began := time.Now()
	var all sync.WaitGroup
	var before *queue
	for n, s := range stages {
		in, out := &Input{ctx: ctx, from: before}, &Output{ctx: ctx}
		if n < len(stages)-1 {
			out.to = &queue{pieces: make(chan []byte, depth), gone: make(chan struct{})}
		}
		before = out.to
		all.Go(func() {
			errs[n] = s.run(in, out)
			did[n] = measured(side, s.Name, time.Since(began), in, out)
		})
	}
	all.Wait()
	for _, err := range errs { // a stage hands its error on, and those before it find it gone
		if err != nil && !errors.Is(err, errGone) {
			return did, err
		}
	}
	return did, nil
}

func (s Stage) run(in *Input, out *Output) error {
	if in.from != nil {
		defer close(in.from.gone)
	}
	return out.close(s.Run(in, out))
}

func measured(side, name string, took time.Duration, in *Input, out *Output) describe.Stage {
	bytes := in.bytes
	if bytes == 0 {
		bytes = out.bytes
	}
	return describe.Stage{
		Side: side, Name: name, Bytes: bytes, Busy: max(0, took-in.before-out.after).Seconds(),
		Before: in.before.Seconds(), After: out.after.Seconds(),
	}
}

// Join puts the stages of both ends of a connection together. Time in which the receiver,
// not the link, stops the sender cannot be distinguished from the sender's own: the link
// was busy for no longer than the receiver waited for it, and the rest was waiting for the
// receiver.
func Join(source, destination []describe.Stage) []describe.Stage {
	all := append(append([]describe.Stage(nil), source...), destination...)
	if len(source) == 0 || len(destination) == 0 {
		return all
	}
	send, receive := &all[len(source)-1], all[len(source)]
	link := min(send.Busy, receive.Before)
	send.After += send.Busy - link
	send.Busy = link
	return all
}
