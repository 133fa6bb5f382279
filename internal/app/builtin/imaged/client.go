package imaged

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/app/builtin/service"
	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/app/builtin/transfer/content"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/simnet/link"
)

// Place is where a service is: at an address on a network of the machine (tcp), or behind
// a socket that hands out connections over the service's own link (unix).
type Place struct {
	Network string `json:"network"`
	Address string `json:"address"`
	Token   string `json:"token"`
}

// PlaceOf returns the place of an endpoint.
func PlaceOf(e endpoint.Endpoint) Place { return Place{e.Network, e.Address, e.Password} }

// Sides of a way, as stages have them.
const (
	Source      = "source"
	Destination = "destination"
)

// greeting is how long a service may take to begin with a request.
const greeting = 30 * time.Second

// deaf is how long a peer may be out of reach: a link that comes back before goes on with the
// transfer, and one that does not fails it.
const deaf = 30 * time.Second

// connect connects, encrypted or not.
func (p Place) connect(ctx context.Context, secure bool) (*transfer.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, greeting)
	defer cancel()
	raw, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	c := transfer.Plain(raw)
	if secure {
		c, err = transfer.Secure(ctx, raw, nil, tlsClient(p.Token))
	}
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return c, nil
}

func (p Place) dial(ctx context.Context) (*net.TCPConn, error) {
	dial := func() (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, p.Network, p.Address) }
	if p.Network == "unix" {
		dial = func() (net.Conn, error) { return link.Connect(ctx, p.Address) }
	}
	conn, err := dial()
	if err != nil {
		return nil, err
	}
	return bounded(conn)
}

// bounded gives up a connection whose peer is out of reach for long (tcp(7)).
func bounded(conn net.Conn) (*net.TCPConn, error) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the connection is no TCP connection, but %T", conn), conn.Close())
	}
	err := tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: deaf / 3, Interval: deaf / 6, Count: 4})
	raw, rawErr := tcp.SyscallConn()
	if err = errors.Join(err, rawErr); err == nil {
		var failed error
		err = raw.Control(func(fd uintptr) {
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(deaf.Milliseconds()))
		})
		err = errors.Join(err, os.NewSyscallError("setsockopt", failed))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return tcp, nil
}

// begin makes a request, and has its first answer if it is agreed to.
func (p Place) begin(ctx context.Context, r Request) (*transfer.Conn, error) {
	c, err := p.connect(ctx, r.Way.TLS)
	if err != nil {
		return nil, lost(err)
	}
	r.Token = p.Token
	if err := c.SetDeadline(time.Now().Add(greeting)); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := service.WriteFrame(c, r); err != nil {
		return nil, errors.Join(lost(err), c.Close())
	}
	if _, err := answerOf(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, c.SetDeadline(time.Time{})
}

func answerOf(c *transfer.Conn) (a Answer, err error) {
	if err := readFrame(c, &a); err != nil {
		return a, lost(err)
	}
	if a.Error != "" {
		return a, &Error{a.Class, a.Error}
	}
	return a, nil
}

// lostError is a connection that ended before its time.
type lostError struct{ error }

func lost(err error) error { return lostError{err} }

func (e lostError) Unwrap() error { return e.error }

// ErrorClass is the error's class in results.
func (lostError) ErrorClass() string { return "connection-lost" }

// ask makes a request that the service does by itself. When ctx ends, the service gives it
// up.
func (p Place) ask(ctx context.Context, r Request) (a Answer, err error) {
	c, err := p.begin(ctx, r)
	if err != nil {
		return a, p.about(r, err)
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if a, err = answerOf(c); err != nil && ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	return a, p.about(r, err)
}

func (p Place) about(r Request, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s at %s: %w", r.Do, r.Name, p.Address, err)
}

// Ping finds out whether the service answers.
func (p Place) Ping(ctx context.Context) error {
	_, err := p.ask(ctx, Request{Do: ping})
	return err
}

// List returns the names of everything in its store, incomplete items included.
func (p Place) List(ctx context.Context) ([]string, error) {
	a, err := p.ask(ctx, Request{Do: list})
	return a.Names, err
}

// Make makes an item up in its store.
func (p Place) Make(ctx context.Context, name, format string, it content.Item) error {
	_, err := p.ask(ctx, Request{Do: invent, Name: name, Format: format, Item: &it})
	return err
}

// Remove removes an item.
func (p Place) Remove(ctx context.Context, name string) error {
	_, err := p.ask(ctx, Request{Do: remove, Name: name})
	return err
}

// Digest computes the digest of an item in the service's stored form.
func (p Place) Digest(ctx context.Context, name, checksum string) (string, error) {
	a, err := p.ask(ctx, Request{Do: digest, Name: name, Way: Way{Checksum: checksum}})
	return a.Digest, err
}

// Sum returns the digest and sizes of an item.
func (p Place) Sum(ctx context.Context, name, format string) (transfer.Sum, error) {
	a, err := p.ask(ctx, Request{Do: sum, Name: name, Format: format})
	if err == nil && a.Sum == nil {
		err = errors.New("its answer has no sum")
	}
	if err != nil {
		return transfer.Sum{}, err
	}
	return *a.Sum, nil
}

// accounted makes a request that moves an item.
func (p Place) accounted(ctx context.Context, r Request) (Account, error) {
	a, err := p.ask(ctx, r)
	if err == nil && a.Account == nil {
		err = errors.New("its answer has no account")
	}
	if err != nil {
		return Account{}, err
	}
	return *a.Account, nil
}

// Fetch has the service fetch an item from the one that it knows, and keep it in a format.
func (p Place) Fetch(ctx context.Context, from, fromFormat, name, format string, w Way) (Account, error) {
	return p.accounted(ctx, Request{Do: fetch, Name: name, Format: format, From: from, FromFormat: fromFormat, Way: w})
}

// Pull has the service download an item from a URL of its peer service, and store it in a
// format. published is the digest published with the URL, empty for none.
func (p Place) Pull(ctx context.Context, from, published, name, format string, w Way) (Account, error) {
	return p.accounted(ctx, Request{Do: pull, Name: name, Format: format, From: from, Digest: published, Way: w})
}

// Clone has it copy a raw item within its store in the kernel: by sharing blocks where the
// file system can.
func (p Place) Clone(ctx context.Context, from, name string) (Account, error) {
	return p.accounted(ctx, Request{Do: clone, Name: name, From: from})
}

// Expand has it copy an item within its store through the service, into another format.
func (p Place) Expand(ctx context.Context, from, fromFormat, name, format string, w Way) (Account, error) {
	return p.accounted(ctx, Request{Do: expand, Name: name, Format: format, From: from, FromFormat: fromFormat, Way: w})
}

// Export takes an item from the service through stages of the user's own.
func (p Place) Export(ctx context.Context, name, format string, w Way, stages []transfer.Stage) (Account, error) {
	c, err := p.begin(ctx, Request{Do: give, Name: name, Format: format, Way: w})
	if err != nil {
		return Account{}, p.about(Request{Do: give, Name: name}, err)
	}
	defer c.Close()
	a, err := received(ctx, c, w, "", stages)
	return a, p.about(Request{Do: give, Name: name}, err)
}

// received takes an item and compares it with its published digest, or else with the
// sender's.
func received(ctx context.Context, c *transfer.Conn, w Way, published string, stages []transfer.Stage) (Account, error) {
	summing, err := transfer.NewChecksummer(w.Checksum)
	if err != nil {
		return Account{}, err
	}
	did, text, err := c.Receive(ctx, Destination, append(summing.Stages(), stages...))
	if err != nil {
		return Account{}, explained(err)
	}
	var t trailer
	if len(text) > 0 {
		if err := json.Unmarshal(text, &t); err != nil {
			return Account{}, err
		}
	}
	if want := cmp.Or(published, t.Digest); want != summing.Digest() {
		return Account{}, fmt.Errorf("%w: its digest is %s and was %s", errMismatch, summing.Digest(), want)
	}
	return Account{Stages: transfer.Join(t.Stages, did), Moved: moved(t.Stages)}, nil
}

// explained gives an error from the sender its class.
func explained(err error) error {
	var said *transfer.SenderError
	var status *transfer.StatusError
	switch {
	case errors.As(err, &said):
		return &Error{said.Class, said.Error()}
	case errors.As(err, &status):
		return &Error{classOfStatus(status.Code), status.Error()}
	}
	return err
}

// moved is the size of the input of the last stage, which sends it.
func moved(stages []describe.Stage) int64 {
	if len(stages) == 0 {
		return 0
	}
	return stages[len(stages)-1].Bytes
}

// sent sends an item produced by stages, followed by its trailer.
func sent(ctx context.Context, c *transfer.Conn, w Way, stages []transfer.Stage) error {
	summing, err := transfer.NewChecksummer(w.Checksum)
	if err != nil {
		return err
	}
	did, err := c.Send(ctx, Source, append(stages, summing.Stages()...), classOf)
	if err != nil {
		return err
	}
	text, err := json.Marshal(trailer{Digest: summing.Digest(), Stages: did})
	if err != nil {
		return err
	}
	return c.Finish(text)
}

// Import gives the service an item that stages of the user's own make, in the format of the
// way, to keep in a format.
func (p Place) Import(ctx context.Context, stages []transfer.Stage, name, format string, w Way) (Account, error) {
	about := Request{Do: take, Name: name}
	c, err := p.begin(ctx, Request{Do: take, Name: name, Format: format, Way: w})
	if err != nil {
		return Account{}, p.about(about, err)
	}
	defer c.Close()
	err = sent(ctx, c, w, stages)
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	a, said := answerOf(c) // also why it takes no more
	var refused *Error
	if errors.As(said, &refused) || err == nil {
		err = said
	}
	if err == nil && a.Account == nil {
		err = errors.New("its answer has no account")
	}
	if err != nil {
		return Account{}, p.about(about, errors.Join(context.Cause(ctx), err))
	}
	return *a.Account, nil
}
