package transfer

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"

	"plimsoll/internal/describe"
)

// Conn is a connection that an item goes over, encrypted or not.
type Conn struct {
	raw     Stream
	from    io.Reader // what comes over it, where it is not encrypted
	seam    *seam
	secure  *tls.Conn // nil for none
	framing framing
}

// framing is how an item goes over a connection, and what follows it.
type framing interface {
	encode(in *Input, to io.Writer, classOf func(error) string) error
	trail(trailer []byte) []byte // what ends the item
	decode(from io.Reader, out *Output) (trailer []byte, err error)
}

// HTTP has an item go over the connection as the body of an answer.
func (c *Conn) HTTP() { c.framing = body{} }

// Stream is a connection with directions that can end separately.
type Stream interface {
	net.Conn
	CloseWrite() error
}

// Plain is a connection as it is.
func Plain(raw Stream) *Conn { return &Conn{raw: raw, from: raw, framing: blocks{}} }

// Begun wraps a connection after its first bytes were read: first returns these bytes.
func Begun(raw Stream, first io.Reader) *Conn {
	return &Conn{raw: raw, from: io.MultiReader(first, raw), framing: blocks{}}
}

// Secure puts TLS over a connection, as a client or as a server; first returns bytes
// already read from the connection, nil for none.
func Secure(ctx context.Context, raw Stream, first io.Reader, wrap func(net.Conn) *tls.Conn) (*Conn, error) {
	c := &Conn{raw: raw, seam: &seam{Conn: raw, from: raw, to: raw}, framing: blocks{}}
	if first != nil {
		c.seam.from = io.MultiReader(first, raw)
	}
	c.secure = wrap(c.seam)
	return c, c.secure.HandshakeContext(ctx)
}

// seam is below TLS, so that its records can go through stages.
type seam struct {
	net.Conn
	from io.Reader
	to   io.Writer
}

func (s *seam) Read(p []byte) (int, error)  { return s.from.Read(p) }
func (s *seam) Write(p []byte) (int, error) { return s.to.Write(p) }

// Read implements io.Reader, for messages before and after an item.
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

// Send runs stages, the first of which supplies the item, and the last of which is the
// connection. On an error, the receiver gets it with its class from classOf, and stops
// waiting. Without an error, Finish must follow.
func (c *Conn) Send(ctx context.Context, side string, stages []Stage, classOf func(error) string) (_ []describe.Stage, err error) {
	defer c.cut(ctx)()
	defer func() {
		if err != nil {
			_ = c.raw.CloseWrite() // the connection may be gone
		}
	}()
	if c.secure == nil {
		return Run(ctx, side, append(stages, Stage{Send, func(in *Input, _ *Output) error { return c.framing.encode(in, c.raw, classOf) }}))
	}
	encrypt := Stage{Encrypt, func(in *Input, out *Output) error {
		c.seam.to = out
		err := c.framing.encode(in, c.secure, classOf)
		if err != nil {
			_ = out.flush() // why it gives up; whoever receives may be gone
		}
		return err
	}}
	did, err := Run(ctx, side, append(stages, encrypt, Stage{Send, func(in *Input, _ *Output) error { _, err := in.WriteTo(c.raw); return err }}))
	c.seam.to = c.raw
	return did, err
}

// Finish sends what follows an item, and ends this direction.
func (c *Conn) Finish(trailer []byte) error {
	_, err := c.Write(c.framing.trail(trailer))
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
		receive := Stage{Receive, func(in *Input, out *Output) (err error) {
			trailer, err = c.framing.decode(in.Awaited(c.from), out)
			return err
		}}
		did, err = Run(ctx, side, append([]Stage{receive}, stages...))
		return did, trailer, err
	}
	receive := Stage{Receive, func(in *Input, out *Output) error { return arrivals(in.Awaited(c.raw), out) }}
	decrypt := Stage{Decrypt, func(in *Input, out *Output) (err error) {
		c.seam.from = in
		if trailer, err = c.framing.decode(c.secure, out); err == nil {
			_, err = io.Copy(io.Discard, in) // unread data would reset the connection
		}
		return err
	}}
	did, err = Run(ctx, side, append([]Stage{receive, decrypt}, stages...))
	c.seam.from = c.raw
	return did, trailer, err
}

// arrivals passes data on as it arrives, however little: it may include the end of the
// sender's message, and the sender may then wait for an answer.
func arrivals(from io.Reader, out *Output) error {
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
