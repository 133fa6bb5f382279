package imaged

import (
	"bufio"
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"plimsoll/internal/app/builtin/service"
	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/host/peer"
	"plimsoll/internal/host/simnet/link"
)

// Config configures a service.
type Config struct {
	// Store is the directory with its items.
	Store string `json:"store"`
	// Listen is host:port. A service with a link of its own has none.
	Listen string `json:"listen,omitempty"`
	// Socket is the path of a unix socket that hands out connections over the link.
	Socket string `json:"socket,omitempty"`
	// Token is required in every request.
	Token string    `json:"token"`
	Link  link.Link `json:"link"`
	// From is the service that it fetches items from; nil is none.
	From *Place `json:"from,omitempty"`
}

// mostConnections bounds the requests, and what strangers can make the service keep.
const mostConnections = 1024

// Main runs a service until it is stopped. A plain user gets a link of his own in a user
// namespace.
func Main(ctx context.Context, c Config, out io.Writer) error {
	if c.Link.Path != link.Direct && os.Geteuid() != 0 {
		return link.AsRoot(ctx, out)
	}
	return Serve(ctx, c, out, func(string) {})
}

// server is a service at work.
type server struct {
	Config
	store *transfer.Store
	own   tls.Certificate
	log   io.Writer
}

// Serve serves until ctx ends. It calls ready with its address.
func Serve(ctx context.Context, c Config, log io.Writer, ready func(address string)) (err error) {
	if c.Token == "" {
		return errors.New("a service of images needs a token")
	}
	s := &server{Config: c, log: log}
	if s.own, err = certificate(c.Token); err != nil {
		return fmt.Errorf("make a certificate: %w", err)
	}
	if s.store, err = transfer.OpenStore(c.Store); err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	defer s.store.Close()
	return service.Place{Listen: c.Listen, Socket: c.Socket, Link: c.Link, Most: mostConnections}.Serve(ctx, s.serve, ready)
}

// recordOfTLS is the first byte of an encrypted connection; a frame begins with zero, and
// an HTTP request with its method.
const recordOfTLS = 0x16

// serve serves one connection.
func (s *server) serve(ctx context.Context, conn *peer.Conn) {
	raw, err := bounded(conn.Conn)
	if err != nil {
		fmt.Fprintln(s.log, "a connection cannot be served:", err)
		return
	}
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { raw.Close() })()
	_ = raw.SetDeadline(time.Now().Add(greeting)) // fails only on a closed connection
	c, secure, err := s.greet(ctx, raw)
	var r Request
	if err == nil {
		r, err = requested(c)
	}
	if err != nil {
		if !errors.Is(err, io.EOF) {
			fmt.Fprintf(s.log, "a connection from %s brought no request: %v\n", conn.RemoteAddr(), err)
		}
		return
	}
	if subtle.ConstantTimeCompare([]byte(r.Token), []byte(s.Token)) != 1 {
		refuse(c, r, "the token is wrong or missing")
		return
	}
	conn.Trust()
	if r.Way.TLS != secure && r.Do != get {
		refuse(c, r, "the request and its connection do not agree whether it is encrypted")
		return
	}
	_ = raw.SetDeadline(time.Time{})
	if r.Do == get {
		s.send(ctx, c, r, []transfer.Stage{s.store.File(r.Name)})
		return
	}
	s.answer(ctx, c, r)
}

// refused is the class of requests that are none of the run's.
const refused = "refused"

// refuse answers a request as it was made; whoever made it may be gone.
func refuse(c *transfer.Conn, r Request, why string) {
	if r.Do == get {
		_ = transfer.Refuse(c, http.StatusUnauthorized, why)
		return
	}
	_ = service.WriteFrame(c, Answer{Error: why, Class: refused})
}

// send sends an item that stages give.
func (s *server) send(ctx context.Context, c *transfer.Conn, r Request, stages []transfer.Stage) {
	if err := sent(ctx, c, r.Way, stages); err != nil {
		fmt.Fprintf(s.log, "%s %s: %v\n", r.Do, r.Name, err)
	}
}

// greet looks whether a connection is encrypted.
func (s *server) greet(ctx context.Context, raw *net.TCPConn) (c *transfer.Conn, secure bool, err error) {
	r := bufio.NewReaderSize(io.LimitReader(raw, 1), 16)
	first, err := r.Peek(1)
	if err != nil {
		return nil, false, err
	}
	if secure = first[0] == recordOfTLS; secure {
		c, err = transfer.Secure(ctx, raw, r, tlsServer(s.own))
		return c, true, err
	}
	if first[0] != 0 && first[0] != http.MethodGet[0] {
		return nil, false, fmt.Errorf("it begins with %#x", first[0])
	}
	return transfer.Begun(raw, r), false, nil
}

// answer carries out a request. It first sends its agreement, and at the end the result.
func (s *server) answer(ctx context.Context, c *transfer.Conn, r Request) {
	if err := service.WriteFrame(c, Answer{}); err != nil {
		return
	}
	var a Answer
	var err error
	switch r.Do {
	case give:
		s.send(ctx, c, r, s.giving(r))
		return
	case take:
		a.Account, err = s.keep(r, func(stages []transfer.Stage) (Account, error) { return received(ctx, c, r.Way, "", stages) })
	default:
		ctx, stop := attended(ctx, c)
		a, err = s.do(ctx, r)
		stop()
	}
	if err != nil {
		fmt.Fprintf(s.log, "%s %s: %v\n", r.Do, r.Name, err)
		a = Answer{Error: err.Error(), Class: classOf(err)}
	}
	_ = c.SetDeadline(time.Now().Add(greeting)) // fails only on a closed connection
	_ = service.WriteFrame(c, a)                // who asked may be gone
}

// attended returns a context that ends when who asked has gone: he says nothing more before.
func attended(ctx context.Context, c *transfer.Conn) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		if _, err := c.Read(make([]byte, 1)); err != nil {
			cancel(fmt.Errorf("who asked has gone: %w", err))
		}
	}()
	return ctx, func() {
		_ = c.SetDeadline(time.Unix(1, 0)) // ends the reading
		<-over
		cancel(nil)
	}
}

// do does what needs nothing of the connection.
func (s *server) do(ctx context.Context, r Request) (a Answer, err error) {
	switch r.Do {
	case ping:
	case list:
		if a.Names, err = s.store.List(); err == nil {
			slices.Sort(a.Names)
		}
	case invent:
		if r.Item == nil {
			return a, errors.New("it is not said what to make")
		}
		err = s.store.Make(ctx, r.Name, r.Format, *r.Item)
	case remove:
		err = s.store.Remove(r.Name)
	case sum:
		var is transfer.Sum
		is, err = s.store.Sum(ctx, r.Name, r.Format)
		a.Sum = &is
	case digest:
		a.Digest, err = s.store.Digest(ctx, r.Name, r.Way.Checksum)
	case pull:
		a.Account, err = s.pull(ctx, r)
	case fetch:
		a.Account, err = s.fetch(ctx, r)
	case clone:
		a.Account, err = s.clone(ctx, r)
	case expand:
		a.Account, err = s.expand(ctx, r)
	default:
		err = fmt.Errorf("%q cannot be requested", r.Do)
	}
	return a, err
}

// giving are the stages of the source's end, as far as the connection.
func (s *server) giving(r Request) []transfer.Stage {
	return append([]transfer.Stage{s.store.Reading(r.Name, r.Format, r.Way.Holes)}, transfer.Converting(r.Format, r.Way.Format)...)
}

// keep has an item that goes through stages be in the store, whole, or not at all.
func (s *server) keep(r Request, through func([]transfer.Stage) (Account, error)) (*Account, error) {
	w, err := s.store.Create(r.Name, r.Format)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	a, err := through(append(transfer.Converting(r.Way.Format, r.Format), w.Writing(), w.Flushing()))
	if err != nil {
		return nil, err
	}
	return &a, w.Commit()
}

// errAlone is that there is nobody to take items from.
var errAlone = errors.New("it knows no service to take items from")

// pull downloads an item from the service that this one knows.
func (s *server) pull(ctx context.Context, r Request) (*Account, error) {
	if s.From == nil {
		return nil, errAlone
	}
	return s.keep(r, func(stages []transfer.Stage) (Account, error) {
		return s.From.Download(ctx, r.From, r.Digest, r.Way, stages)
	})
}

// fetch takes an item from the service that this one knows.
func (s *server) fetch(ctx context.Context, r Request) (*Account, error) {
	if s.From == nil {
		return nil, errAlone
	}
	return s.keep(r, func(stages []transfer.Stage) (Account, error) {
		return s.From.Export(ctx, r.From, r.FromFormat, r.Way, stages)
	})
}

// clone copies an item within the store in the kernel.
func (s *server) clone(ctx context.Context, r Request) (*Account, error) {
	w, err := s.store.Create(r.Name, transfer.Raw)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	a := &Account{}
	if a.Stages, err = transfer.Run(ctx, Source, []transfer.Stage{w.Copying(ctx, r.From, &a.Shared), w.Flushing()}); err != nil {
		return nil, err
	}
	return a, w.Commit()
}

// expand copies an item within the store through all stages of a transfer except the
// connection's.
func (s *server) expand(ctx context.Context, r Request) (*Account, error) {
	from := Request{Name: r.From, Format: r.FromFormat, Way: r.Way}
	from.Way.Format, r.Way.Format = r.FromFormat, r.FromFormat // nothing is compressed only to be decompressed
	summing, err := transfer.NewChecksummer(r.Way.Checksum)
	if err != nil {
		return nil, err
	}
	return s.keep(r, func(stages []transfer.Stage) (a Account, err error) {
		a.Stages, err = transfer.Run(ctx, Source, slices.Concat(s.giving(from), summing.Stages(), stages))
		return a, err
	})
}
