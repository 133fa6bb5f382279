// Package s3wire is one user's connection to one gateway of an object store: PUT, GET, HEAD
// and DELETE of objects by the S3 protocol, signed (Signature Version 4) without their
// contents. It never retries. Contents are streams in both directions, so memory does not
// grow with the size of objects.
//
// Package socket provides the socket, and fasthttp parses the heads of answers.
// docs/driver-measurements.md compares the cost of a request with a general client's.
package s3wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/client/socket"
	"plimsoll/internal/describe/endpoint"
)

const (
	// bufferSize holds the head of an answer, and most small objects.
	bufferSize = 16 << 10
	// sendAfter is how much of a content waits before it is sent.
	sendAfter = 256 << 10
)

// pace bounds the duration of a request: a fixed time for the answer, and more for the
// content at a minimum rate in bytes/s.
type pace struct {
	answer  time.Duration
	slowest int64
}

// The paces of measured requests and of a load's requests.
var (
	measured  = pace{bucket.AnswerLimit, 1 << 20}
	unhurried = pace{bucket.LoadLimit, 64 << 10}
)

// Conn is a connection of one user, who uses it from one goroutine. It connects when it is
// needed: a request after one that failed begins with a new connection.
type Conn struct {
	address string // host and port
	host    string // as the header has it
	prefix  string // of paths
	tls     *tls.Config
	sign    signer
	pace    pace

	socket    *socket.Conn // nil where there is none
	reader    *bufio.Reader
	head      fasthttp.ResponseHeader
	bare      bool // the answer has no content, whatever its head says
	path      []byte
	request   []byte
	rest      body
	watched   context.Context
	stopWatch func() bool
}

// New returns a user's connection to gateway n of an endpoint. n wraps around. New does not
// connect yet.
func New(e endpoint.Endpoint, name string, n int) (*Conn, error) {
	s, err := endpoint.As[endpoint.Store](e)
	if err != nil {
		return nil, err
	}
	at, err := bucket.Gateway(s, n)
	if err != nil {
		return nil, err
	}
	prefix := "/" + name + "/"
	if s.VirtualHost {
		at.Host, prefix = name+"."+at.Host, "/"
	}
	c := &Conn{address: at.Host, host: at.Host, prefix: prefix, pace: measured,
		sign: signer{access: e.User, secret: e.Password, region: s.Region}, stopWatch: unwatched}
	port := ":80"
	if at.Scheme == "https" {
		port = ":443"
		if c.tls, err = bucket.Trust(e); err != nil {
			return nil, err
		}
		c.tls.ServerName = at.Hostname()
	}
	if at.Port() == "" {
		c.address = net.JoinHostPort(at.Hostname(), port[1:])
	}
	c.host = strings.TrimSuffix(c.host, port)
	return c, nil
}

// Unhurried allows requests the time of a load. Measured requests must end sooner.
func (c *Conn) Unhurried() { c.pace = unhurried }

// Put writes an object of so many bytes, which it reads from content.
func (c *Conn) Put(ctx context.Context, key string, content io.Reader, size int64) error {
	if err := c.begin(ctx, "PUT", key, size); err != nil {
		return err
	}
	c.request = append(strconv.AppendInt(append(c.request, "Content-Length: "...), size, 10), "\r\n\r\n"...)
	err := c.send(content, size)
	if answer := c.answer(key); answer != nil && (err == nil || isAnswer(answer)) {
		return answer
	}
	if err != nil {
		return c.fail(err)
	}
	return c.skip()
}

// Get requests an object or a range of it. to is the byte after the last, 0 for the whole
// object. Read the content before the next request; otherwise the connection is dropped
// with the unread rest.
func (c *Conn) Get(ctx context.Context, key string, from, to int64) (content io.Reader, err error) {
	if err := c.begin(ctx, "GET", key, to-from); err != nil {
		return nil, err
	}
	if to > 0 {
		c.request = strconv.AppendInt(append(c.request, "Range: bytes="...), from, 10)
		c.request = append(strconv.AppendInt(append(c.request, '-'), to-1, 10), "\r\n"...)
	}
	if err := c.ask(key); err != nil {
		return nil, err
	}
	return &c.rest, nil
}

// Unknown is the size of an object where the store does not say one.
const Unknown = -1

// Head returns the size of an object in bytes, or Unknown.
func (c *Conn) Head(ctx context.Context, key string) (size int64, err error) {
	if err = c.begin(ctx, "HEAD", key, 0); err == nil {
		c.bare = true
		err = c.ask(key)
	}
	if err != nil {
		return 0, err
	}
	return max(Unknown, int64(c.head.ContentLength())), nil
}

// Delete removes an object. It is no error where there is none.
func (c *Conn) Delete(ctx context.Context, key string) error {
	if err := c.begin(ctx, "DELETE", key, 0); err != nil {
		return err
	}
	if err := c.ask(key); err != nil {
		return err
	}
	return c.skip()
}

// Release keeps the connection when the context of the last request ends.
func (c *Conn) Release() {
	if c.stopWatch() {
		c.watched, c.stopWatch = nil, unwatched
	}
}

func unwatched() bool { return true }

// Close ends the connection.
func (c *Conn) Close() error {
	c.drop()
	return nil
}

// begin starts a request on a connection that can be used, with all that its head has in any
// case. Bytes is how long its content is, in either direction.
func (c *Conn) begin(ctx context.Context, method, key string, bytes int64) error {
	if ctx != c.watched && !c.stopWatch() {
		c.drop() // the last one has ended, and the connection with it
	}
	if c.socket != nil && (c.rest.left != 0 || c.reader.Buffered() > 0 || c.socket.HungUp()) {
		c.drop()
	}
	if c.socket == nil {
		if err := c.connect(ctx); err != nil {
			return err
		}
	}
	if ctx != c.watched { // drivers pass the same for every request
		c.watched, c.stopWatch = ctx, context.AfterFunc(ctx, c.socket.Interrupt)
	}
	now := time.Now()
	if err := c.socket.SetDeadline(now.Add(c.pace.answer + time.Duration(bytes/c.pace.slowest)*time.Second)); err != nil {
		return c.fail(err)
	}
	c.sign.now(now)
	c.path = appendEscaped(append(c.path[:0], c.prefix...), key)
	c.request = append(append(append(c.request[:0], method...), ' '), c.path...)
	c.request = append(append(c.request, " HTTP/1.1\r\nHost: "...), c.host...)
	c.request = c.sign.header(append(c.request, "\r\nUser-Agent: "+bucket.UserAgent+"\r\nAccept-Encoding: identity\r\n"...), method, c.path, nil, c.host)
	c.bare = false
	return nil
}

func (c *Conn) connect(ctx context.Context) error {
	limited, stop := context.WithTimeout(ctx, bucket.ConnectLimit)
	defer stop()
	conn, err := bucket.Dial(limited, "tcp", c.address)
	if err != nil {
		return fmt.Errorf("connect to the object store: %w", err)
	}
	if c.tls != nil {
		secured := tls.Client(conn, c.tls)
		if err := secured.HandshakeContext(limited); err != nil {
			_ = conn.Close() // the handshake's error counts
			return fmt.Errorf("agree on TLS with the object store at %s: %w", c.address, err)
		}
		conn = secured
	}
	if c.socket, err = socket.Over(conn); err != nil {
		return errors.Join(err, conn.Close())
	}
	if c.reader == nil {
		c.reader = bufio.NewReaderSize(nil, bufferSize)
	}
	c.reader.Reset(c.socket)
	c.rest = body{conn: c}
	return nil
}

// send sends the head of a request and a content of so many bytes. The last part waits for
// who reads the answer.
func (c *Conn) send(content io.Reader, size int64) error {
	_, _ = c.socket.Write(c.request) // only keeps it
	for size > 0 {
		if len(c.socket.Out) >= sendAfter {
			if err := c.socket.Flush(); err != nil {
				return err
			}
		}
		n, err := c.socket.Take(content, size)
		if size -= n; err != nil {
			return err
		}
	}
	return nil
}

// ask sends a request without content and reads the head of its answer.
func (c *Conn) ask(key string) error {
	c.request = append(c.request, "\r\n"...)
	_, _ = c.socket.Write(c.request) // only keeps it
	return c.answer(key)
}

// ErrNoAnswer means that the store closed the connection in place of an answer.
var ErrNoAnswer = errors.New("the store closed the connection without an answer")

// answer reads the head of one. What refuses is an error, which is read to its end.
func (c *Conn) answer(key string) error {
	if _, err := c.reader.Peek(1); err != nil {
		if errors.Is(err, io.EOF) {
			err = ErrNoAnswer
		}
		return c.fail(err)
	}
	for begun := false; !begun || c.head.StatusCode() < http.StatusOK; begun = true {
		if err := c.head.Read(c.reader); err != nil {
			return c.fail(err)
		}
	}
	status := c.head.StatusCode()
	c.rest.from, c.rest.left = c.reader, int64(c.head.ContentLength())
	switch {
	case c.bare || status == http.StatusNoContent:
		c.rest.left = 0
	case c.rest.left == chunked:
		c.rest.from = httputil.NewChunkedReader(c.reader)
	}
	if status >= http.StatusMultipleChoices {
		return c.refusal(key)
	}
	if coding := c.head.ContentEncoding(); isChanged(coding) {
		return c.fail(fmt.Errorf("%w: %s", ErrEncoded, coding))
	}
	return nil
}

// ErrEncoded means that an answer has a content in an encoding that nobody asked for, as what
// stands before a store may give it.
var ErrEncoded = errors.New("the content is encoded, which nobody asked for: see what stands before the store")

// isChanged reports whether an encoding alters the bytes that were put. Stores may keep
// aws-chunked, which is only the encoding of the transfer.
func isChanged(coding []byte) bool {
	return len(coding) > 0 && string(coding) != "identity" && string(coding) != "aws-chunked"
}

// chunked is the length that fasthttp reports for a chunked content. Other negative lengths
// mean that the content ends with the connection.
const chunked = -1

// skip reads the rest of an answer.
func (c *Conn) skip() error {
	_, err := io.Copy(io.Discard, &c.rest)
	return err
}

// fail ends the connection: nobody knows what would come next.
func (c *Conn) fail(err error) error {
	c.drop()
	return err
}

func (c *Conn) drop() {
	if c.socket == nil {
		return
	}
	c.stopWatch()
	_ = c.socket.Farewell(nil) // nothing is lost with it
	c.socket, c.watched, c.stopWatch = nil, nil, unwatched
	c.rest.left = 0
}

// body reads the rest of a content.
type body struct {
	conn *Conn
	from io.Reader
	left int64 // bytes; below zero where nobody has said how many
}

// Read implements io.Reader. A content that ends before its announced length is
// io.ErrUnexpectedEOF.
func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, b.end()
	}
	if b.left > 0 {
		p = p[:min(int64(len(p)), b.left)]
	}
	n, err := b.from.Read(p)
	switch {
	case b.left > 0:
		b.left -= int64(n)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
	case errors.Is(err, io.EOF): // no request follows one without a length
		b.conn.drop()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.conn.fail(err)
	}
	return n, err
}

// end closes the connection where the store said that it does.
func (b *body) end() error {
	if b.conn.head.ConnectionClose() {
		b.conn.drop()
	}
	return io.EOF
}
