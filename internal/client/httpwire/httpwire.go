// Package httpwire is one user's connection to a web site: HTTP/1.1 with
// keep-alive, GET and POST, with or without TLS. It follows no redirects and keeps no
// cookies. It takes an endpoint.Endpoint and gives pages, whose last byte has
// come when Get returns.
//
// The socket is package socket's; answers are parsed by fasthttp, whose parser
// allocates nothing (docs/driver-measurements.md).
package httpwire

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"plimsoll/internal/client/socket"
	"plimsoll/internal/describe/endpoint"
)

// Kind of endpoints that Open takes.
const Kind = endpoint.Site

const (
	// MaxBody bounds a page in bytes.
	MaxBody = 16 << 20
	// reopenLimit bounds opening a connection anew that the server has closed.
	reopenLimit = 30 * time.Second
	// bufferSize holds most pages, so that one read fetches them. It also bounds the head
	// of an answer.
	bufferSize = 16 << 10
	// mostAround bounds the overhead of a page: the head and the lengths of chunks.
	mostAround = 1 << 20
)

// Page is an answer. Its body is valid until the next Get.
type Page struct {
	Status int
	Body   []byte
}

// Conn is a connection of one user. One goroutine uses it at a time; only
// Interrupt may be called from another.
type Conn struct {
	endpoint endpoint.Endpoint
	host     string // as the Host header has it
	tls      *tls.Config

	socket   *socket.Conn
	stream   net.Conn // the socket, or TLS on it
	source   source
	reader   *bufio.Reader
	request  []byte
	response fasthttp.Response
	last     bool // the server said that it closes the connection
	broken   bool

	deadline time.Time
	life     context.Context // ends with Interrupt
	end      context.CancelFunc
	mu       sync.Mutex // guards socket where Interrupt looks at it
}

// source is what a parser reads: bounded, and it remembers what ended it, which
// parsers do not tell.
type source struct {
	from io.Reader
	left int // bytes that may still come
	err  error
}

func (s *source) Read(b []byte) (n int, err error) {
	if s.left <= 0 {
		s.err = errTooLarge
		return 0, s.err
	}
	n, err = s.from.Read(b[:min(len(b), s.left)])
	s.left -= n
	if err != nil {
		s.err = err
	}
	return n, err
}

// Open connects to a site.
func Open(ctx context.Context, e endpoint.Endpoint) (*Conn, error) {
	c := &Conn{endpoint: e, host: hostHeader(e)}
	var err error
	if c.tls, err = trust(e); err != nil {
		return nil, err
	}
	c.life, c.end = context.WithCancel(context.Background())
	if err := c.connect(ctx); err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

// hostHeader is the site's name, without the port where it is the usual one.
func hostHeader(e endpoint.Endpoint) string {
	if e.Network == "unix" {
		return "localhost"
	}
	usual := ":80"
	if e.Certificate != "" {
		usual = ":443"
	}
	return strings.TrimSuffix(e.Address, usual)
}

func (c *Conn) connect(ctx context.Context) error {
	dialled, err := socket.Dial(ctx, c.endpoint.Network, c.endpoint.Address)
	if err != nil {
		return fmt.Errorf("connect to the web server at %s: %w", c.endpoint.Address, err)
	}
	c.take(dialled)
	stop := context.AfterFunc(ctx, dialled.Interrupt)
	defer stop()
	if c.tls != nil {
		secured := tls.Client(dialled, c.tls)
		if err := secured.Handshake(); err != nil {
			c.drop()
			return c.handshakeError(err)
		}
		c.stream = secured
	}
	if c.reader == nil {
		c.reader = bufio.NewReaderSize(&c.source, bufferSize)
	}
	c.source = source{from: c.stream}
	c.reader.Reset(&c.source)
	c.last = false
	return nil
}

// take makes a socket the one that Interrupt ends.
func (c *Conn) take(s *socket.Conn) {
	c.mu.Lock()
	c.socket, c.stream = s, s
	c.mu.Unlock()
	_ = s.SetDeadline(c.deadline) // fails only on a closed socket, which the next call finds
	if c.life.Err() != nil {
		s.Interrupt()
	}
}

// Get fetches a page: path and query, escaped, such as /ds2/dslogin.php?username=user1.
// Every answer that is one is a Page, whatever its status, but for redirects. After any
// error but a redirect the connection is broken.
func (c *Conn) Get(target []byte) (Page, error) {
	return c.ask("GET", target, nil)
}

// Post sends a body of bytes to a page, as Get asks for one.
func (c *Conn) Post(target, body []byte) (Page, error) {
	return c.ask("POST", target, body)
}

func (c *Conn) ask(method string, target, body []byte) (Page, error) {
	p, err := c.exchange(method, target, body)
	if err != nil {
		return p, fmt.Errorf("%s %s: %w", method, path(target), err)
	}
	return p, nil
}

func (c *Conn) exchange(method string, target, body []byte) (p Page, err error) {
	if c.broken {
		return p, net.ErrClosed
	}
	if err := c.reopen(); err != nil {
		c.broken = true
		return p, err
	}
	c.request = append(append(append(c.request[:0], method...), ' '), target...)
	c.request = append(append(c.request, " HTTP/1.1\r\nHost: "...), c.host...)
	c.request = append(c.request, "\r\nUser-Agent: plimsoll\r\nAccept: text/html\r\n"...)
	if method == "POST" {
		c.request = append(c.request, "Content-Type: application/octet-stream\r\nContent-Length: "...)
		c.request = append(strconv.AppendInt(c.request, int64(len(body)), 10), "\r\n"...)
	}
	c.request = append(append(c.request, "\r\n"...), body...)
	if _, err = c.stream.Write(c.request); err == nil {
		p, err = c.answer()
	}
	if err != nil && !isRedirect(err) {
		c.broken = true
	}
	return p, err
}

// reopen connects anew if the server has closed the connection since the last answer. It
// does not repeat a request that was under way at the time, because the server may have
// executed it.
func (c *Conn) reopen() error {
	if !c.last && !c.socket.HungUp() && c.reader.Buffered() == 0 {
		return nil
	}
	c.drop()
	ctx, cancel := context.WithTimeout(c.life, reopenLimit)
	defer cancel()
	return c.connect(ctx)
}

// answer reads one to its last byte, after those that only say that one will come.
func (c *Conn) answer() (p Page, err error) {
	c.source.left = mostAround + MaxBody
	if _, err := c.reader.Peek(1); err != nil {
		return p, lost(err)
	}
	r := &c.response
	for begun := false; !begun || r.StatusCode() < 200; begun = true {
		if err := r.ReadLimitBody(c.reader, MaxBody); err != nil {
			return p, c.cut(err)
		}
	}
	c.last = r.ConnectionClose()
	p = Page{Status: r.StatusCode(), Body: r.Body()}
	if p.Status >= 300 && p.Status < 400 {
		return Page{}, &RedirectError{Status: p.Status, To: string(r.Header.Peek("Location"))}
	}
	return p, nil
}

// SetDeadline makes calls fail that are not done by t; the zero time is no
// deadline.
func (c *Conn) SetDeadline(t time.Time) error {
	c.deadline = t
	return c.socket.SetDeadline(t)
}

// Interrupt makes the running call and all later ones fail.
func (c *Conn) Interrupt() {
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.socket.Interrupt()
}

// Broken reports whether the connection can no longer be used.
func (c *Conn) Broken() bool { return c.broken }

func (c *Conn) drop() { _ = c.stream.Close() } // nothing is lost with it

// Close closes the connection.
func (c *Conn) Close() error {
	c.broken = true
	c.end()
	return c.stream.Close()
}
