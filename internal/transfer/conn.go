package transfer

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"plimsoll/internal/describe"
)

// Conn is a connection that an item goes over, encrypted or not.
type Conn struct {
	raw    Stream
	from   io.Reader // what comes over it, where it is not encrypted
	seam   *seam
	secure *tls.Conn // nil for none
}

// Stream is a connection of which one direction can end before the other.
type Stream interface {
	net.Conn
	CloseWrite() error
}

// Plain is a connection as it is.
func Plain(raw Stream) *Conn { return &Conn{raw: raw, from: raw} }

// Begun is one of which some was read already: first comes before what it still has.
func Begun(raw Stream, first io.Reader) *Conn {
	return &Conn{raw: raw, from: io.MultiReader(first, raw)}
}

// Secure puts TLS over a connection, as a client or as a server; first is what comes before
// what the connection still has, nil for nothing.
func Secure(ctx context.Context, raw Stream, first io.Reader, wrap func(net.Conn) *tls.Conn) (*Conn, error) {
	c := &Conn{raw: raw, seam: &seam{Conn: raw, from: raw, to: raw}}
	if first != nil {
		c.seam.from = io.MultiReader(first, raw)
	}
	c.secure = wrap(c.seam)
	return c, c.secure.HandshakeContext(ctx)
}

// seam lies below TLS, so that its records can go through stages.
type seam struct {
	net.Conn
	from io.Reader
	to   io.Writer
}

func (s *seam) Read(p []byte) (int, error)  { return s.from.Read(p) }
func (s *seam) Write(p []byte) (int, error) { return s.to.Write(p) }

// Read implements io.Reader, for what precedes and follows an item.
func (c *Conn) Read(p []byte) (int, error) {
	if c.secure != nil {
		return c.secure.Read(p)
	}
	return c.from.Read(p)
}

// Write implements io.Writer.
func (c *Conn) Write(p []byte) (int, error) {
	if c.secure != nil {
		return c.secure.Write(p)
	}
	return c.raw.Write(p)
}

// SetDeadline bounds what goes over the connection.
func (c *Conn) SetDeadline(at time.Time) error { return c.raw.SetDeadline(at) }

// Close ends the connection.
func (c *Conn) Close() error { return c.raw.Close() }

// cut has every call on the connection end with a context.
func (c *Conn) cut(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = c.raw.SetDeadline(time.Unix(1, 0)) }) // fails only on a closed one
}

// Names of the stages of a connection.
const (
	Encrypt = "encrypt"
	Send    = "send"
	Receive = "receive"
	Decrypt = "decrypt"
)

// Send has stages, whose first gives the item, end in the connection. Whoever receives is
// told of an error, with the class that classOf gives it, and waits for nothing more then.
// Finish must follow where there was none.
func (c *Conn) Send(ctx context.Context, side string, stages []Stage, classOf func(error) string) (_ []describe.Stage, err error) {
	defer c.cut(ctx)()
	defer func() {
		if err != nil {
			_ = c.raw.CloseWrite() // the connection may be gone
		}
	}()
	if c.secure == nil {
		return Run(ctx, side, append(stages, Stage{Send, func(in *In, _ *Out) error { return encodeBlocks(in, c.raw, classOf) }}))
	}
	encrypt := Stage{Encrypt, func(in *In, out *Out) error {
		c.seam.to = out
		return encodeBlocks(in, c.secure, classOf)
	}}
	did, err := Run(ctx, side, append(stages, encrypt, Stage{Send, func(in *In, _ *Out) error { _, err := in.WriteTo(c.raw); return err }}))
	c.seam.to = c.raw
	return did, err
}

// Finish sends what follows an item, and ends this direction.
func (c *Conn) Finish(trailer []byte) error {
	_, err := c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(trailer))), trailer...))
	if err == nil && c.secure != nil {
		err = c.secure.CloseWrite()
	}
	if err != nil {
		return err
	}
	return c.raw.CloseWrite()
}

// Receive has the item that comes over the connection go through stages, and gives what
// followed it.
func (c *Conn) Receive(ctx context.Context, side string, stages []Stage) (did []describe.Stage, trailer []byte, err error) {
	defer c.cut(ctx)()
	if c.secure == nil {
		receive := Stage{Receive, func(in *In, out *Out) (err error) {
			trailer, err = decodeBlocks(in.Awaited(c.from), out)
			return err
		}}
		did, err = Run(ctx, side, append([]Stage{receive}, stages...))
		return did, trailer, err
	}
	receive := Stage{Receive, func(in *In, out *Out) error { return arrivals(in.Awaited(c.raw), out) }}
	decrypt := Stage{Decrypt, func(in *In, out *Out) (err error) {
		c.seam.from = in
		if trailer, err = decodeBlocks(c.secure, out); err == nil {
			_, err = io.Copy(io.Discard, in) // what is left unread would reset the connection
		}
		return err
	}}
	did, err = Run(ctx, side, append([]Stage{receive, decrypt}, stages...))
	c.seam.from = c.raw
	return did, trailer, err
}

// arrivals hands on what has come, however little: the end of what the sender says may be in
// it, and he may wait for an answer then.
func arrivals(from io.Reader, out *Out) error {
	for {
		b := buffer()
		n, err := from.Read(b[:piece])
		if err := out.Give(b[:n]); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// An item goes over a connection in blocks, each with its length before it: none ends it, and
// failure is followed by why the sender gives up.
const (
	failure      = 1<<32 - 1
	mostFollows  = 1 << 20 // bytes of a trailer or a reason
	lengthOfMark = 4
)

// encodeBlocks writes pieces as blocks.
func encodeBlocks(in *In, to io.Writer, classOf func(error) string) error {
	for {
		b, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return mark(to, 0)
		case err != nil:
			return errors.Join(err, giveUp(to, SenderError{classOf(err), err.Error()}))
		case len(b) == 0:
			continue
		}
		if err := mark(to, uint32(len(b))); err != nil {
			return err
		}
		if _, err := to.Write(b); err != nil {
			return err
		}
		Release(b)
	}
}

func mark(to io.Writer, n uint32) error {
	_, err := to.Write(binary.BigEndian.AppendUint32(nil, n))
	return err
}

// SenderError is why the other end gave up.
type SenderError struct {
	Class string `json:"class,omitempty"` // as results count it
	Text  string `json:"text"`
}

func (e *SenderError) Error() string { return "the source gives up: " + e.Text }

// giveUp says why in place of a block.
func giveUp(to io.Writer, why SenderError) error {
	text, err := json.Marshal(why)
	if err == nil {
		err = mark(to, failure)
	}
	if err == nil {
		err = mark(to, uint32(len(text)))
	}
	if err == nil {
		_, err = to.Write(text)
	}
	return err
}

// decodeBlocks reads blocks, and what follows them.
func decodeBlocks(from io.Reader, out *Out) (trailer []byte, err error) {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		n, err := markOf(r)
		switch {
		case err != nil:
			return nil, err
		case n == 0:
			return follows(r)
		case n == failure:
			reason, err := follows(r)
			if err != nil {
				return nil, err
			}
			var why SenderError
			return nil, errors.Join(json.Unmarshal(reason, &why), &why)
		case n > piece:
			return nil, fmt.Errorf("a block of %d bytes is announced, more than %d: this is no item", n, piece)
		}
		b := buffer()[:n]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, early(err)
		}
		if err := out.Give(b); err != nil {
			return nil, err
		}
	}
}

// early is an end that came before its time.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func markOf(r io.Reader) (uint32, error) {
	var b [lengthOfMark]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, early(err)
	}
	return binary.BigEndian.Uint32(b[:]), nil
}

func follows(r io.Reader) ([]byte, error) {
	n, err := markOf(r)
	if err != nil {
		return nil, err
	}
	if n > mostFollows {
		return nil, fmt.Errorf("%d bytes are announced, more than %d", n, mostFollows)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, early(err)
	}
	return text, nil
}
