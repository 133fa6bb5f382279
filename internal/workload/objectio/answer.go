package objectio

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/valyala/fasthttp"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

// Answerable returns a target as its users find it where a store is answered for at an address:
// the same requests without a store. With TLS the driver has more to do than it would there.
func Answerable(t workload.Target, address string) (workload.Target, bool) {
	for _, url := range append(urlsOf(t, StoreRole), urlsOf(t, BalancerRole)...) {
		if strings.HasPrefix(url, "https:") {
			return t, false
		}
	}
	there := t.Endpoints
	t.Endpoints = nil
	for _, e := range there {
		s := endpoint.StoreOf(e)
		s.URLs, s.Name, s.VirtualHost = []string{"http://" + address}, AnsweredBucket(t), false
		t.Endpoints = append(t.Endpoints, endpoint.Endpoint{Role: e.Role, Kind: e.Kind, User: answering, Password: answering, Payload: endpoint.With(s)})
	}
	return t, true
}

// answering is the user name and the password of users that are answered without a store.
// No real store has this password.
const answering = "answer"

// IsAnswered reports whether users are answered without a store.
func IsAnswered(t workload.Target) bool {
	e := t.Endpoint(StoreRole)
	return e.User == answering && e.Password == answering
}

// AnsweredBucket is the bucket of a target that is answered.
func AnsweredBucket(t workload.Target) string { return fmt.Sprintf("instance-%d", t.Instance) }

// Answer passes on requests by the bucket that they are about, until ctx ends.
func Answer(ctx context.Context, l net.Listener, buckets map[string]func(c *fasthttp.RequestCtx, key string)) error {
	handler := func(c *fasthttp.RequestCtx) {
		bucket, key, _ := strings.Cut(strings.TrimPrefix(string(c.Path()), "/"), "/")
		if answer := buckets[bucket]; answer != nil {
			answer(c, key)
		} else {
			None(c, "NoSuchBucket")
		}
	}
	server := &fasthttp.Server{Handler: handler, StreamRequestBody: true, NoDefaultServerHeader: true, NoDefaultDate: true, ReadBufferSize: bufferBytes, WriteBufferSize: bufferBytes}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })() // that ends Serve
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// bufferBytes is the size of a connection's buffer in each direction.
const bufferBytes = 16 << 10

// None answers that something is not there; the code is the store's name for it.
func None(c *fasthttp.RequestCtx, code string) {
	c.SetStatusCode(http.StatusNotFound)
	c.SetContentType("application/xml")
	c.SetBodyString("<Error><Code>" + code + "</Code></Error>")
}

// Give answers who asks for whom the bucket was prepared.
func (id Identity) Give(c *fasthttp.RequestCtx) {
	text, err := json.Marshal(id)
	if err != nil {
		c.Error(err.Error(), http.StatusInternalServerError)
		return
	}
	c.SetBody(text)
}

// Asked reads which part of an object of so many bytes a GET asks for, and begins to answer it.
// It has answered where there is no such part.
func Asked(c *fasthttp.RequestCtx, size int64) (from, to int64, able bool) {
	asked := string(c.Request.Header.Peek("Range"))
	if asked == "" {
		return 0, size, true
	}
	if _, err := fmt.Sscanf(asked, "bytes=%d-%d", &from, &to); err != nil || from < 0 || from > to || to >= size {
		c.SetStatusCode(http.StatusRequestedRangeNotSatisfiable)
		return 0, 0, false
	}
	c.SetStatusCode(http.StatusPartialContent)
	c.Response.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, size))
	return from, to + 1, true
}

// Send answers with so many bytes that are made while they are sent.
func Send(c *fasthttp.RequestCtx, bytes int64, write func(to io.Writer) error) {
	c.SetBodyStream(generatedContent(write), int(bytes))
}

// generatedContent is a content that is generated while it is sent.
type generatedContent func(to io.Writer) error

// WriteTo implements io.WriterTo.
func (m generatedContent) WriteTo(to io.Writer) (int64, error) {
	n := countingWriter{Writer: to}
	err := m(&n)
	return n.bytes, err
}

// Read implements io.Reader; contents are sent by WriteTo.
func (generatedContent) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// countingWriter counts the bytes written.
type countingWriter struct {
	io.Writer
	bytes int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes += int64(n)
	return n, err
}
