package s3wire_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/client/s3wire"
	"plimsoll/internal/conformance/buckettest"
	"plimsoll/internal/describe/endpoint"
)

func open(t testing.TB, e endpoint.Endpoint) *s3wire.Conn {
	t.Helper()
	c, err := s3wire.New(e, "some-bucket", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// A real gateway checks the signatures, and the client for everything sees the same objects.
func TestObjectsOfARealGateway(t *testing.T) {
	g := buckettest.Start(t, "wire")
	c := open(t, g.In(t, "some-bucket"))
	for _, size := range []int{0, 1, 4096, 300_000, 9 << 20} {
		key, content := fmt.Sprintf("a b/ü+%%/%d", size), bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		if err := c.Put(t.Context(), key, bytes.NewReader(content), int64(size)); err != nil {
			t.Fatal(err)
		}
		o, err := g.Client.GetObject(t.Context(), "some-bucket", key, minio.GetObjectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(o); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: the other client gets %d bytes, %v", key, len(got), err)
		}
		if n, err := c.Head(t.Context(), key); err != nil || n != int64(size) {
			t.Errorf("%s: a size of %d, %v", key, n, err)
		}
		mustGet(t, c, key, 0, 0, content)
		if size > 1000 {
			mustGet(t, c, key, 100, 1000, content[100:1000])
		}
		for range 2 { // a second time is no error
			if err := c.Delete(t.Context(), key); err != nil {
				t.Error(err)
			}
		}
		if _, err := c.Get(t.Context(), key, 0, 0); minio.ToErrorResponse(err).Code != minio.NoSuchKey {
			t.Errorf("%s: a deleted one gives %v", key, err)
		}
		if _, err := c.Head(t.Context(), key); minio.ToErrorResponse(err).Code != minio.NoSuchKey {
			t.Errorf("%s: a deleted one has %v", key, err)
		}
	}
}

func mustGet(t *testing.T, c *s3wire.Conn, key string, from, to int64, want []byte) {
	t.Helper()
	body, err := c.Get(t.Context(), key, from, to)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, want %d, %v", key, len(got), len(want), err)
	}
}

func TestWrongKeysAreRefusedByARealGateway(t *testing.T) {
	g := buckettest.Start(t, "wire")
	e := g.In(t, "some-bucket")
	e.Password = "another"
	err := open(t, e).Put(t.Context(), "key", strings.NewReader("x"), 1)
	if minio.ToErrorResponse(err).Code != "SignatureDoesNotMatch" {
		t.Errorf("%v", err)
	}
}

// served is a store that does what its test asks for.
func served(t testing.TB, secured bool, serve http.HandlerFunc) endpoint.Endpoint {
	s := httptest.NewUnstartedServer(serve)
	e := endpoint.Endpoint{Role: "store", Kind: endpoint.Bucket, User: "key", Password: "secret"}
	if secured {
		s.StartTLS()
		e.Certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	e.Payload = endpoint.With(endpoint.Store{URLs: []string{s.URL}, Region: "us-east-1"})
	return e
}

func TestTLSWithAnAuthorityOfItsOwn(t *testing.T) {
	e := served(t, true, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
	})
	c := open(t, e)
	if err := c.Put(t.Context(), "key", bytes.NewReader(make([]byte, 1<<20)), 1<<20); err != nil {
		t.Error(err)
	}
	mustGet(t, c, "key", 0, 0, []byte("0"))
	e.Certificate = ""
	if err := open(t, e).Delete(t.Context(), "key"); err == nil {
		t.Error("a certificate that nobody trusts was taken")
	}
}

// A refusal in the midst of a long PUT is the error, and the next request works.
func TestARefusalBeforeTheEnd(t *testing.T) {
	refused := false
	e := served(t, false, func(w http.ResponseWriter, r *http.Request) {
		if !refused {
			refused = true
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "<Error><Code>SlowDown</Code></Error>") // who asked tells
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // the same
	})
	c := open(t, e)
	err := c.Put(t.Context(), "key", bytes.NewReader(make([]byte, 64<<20)), 64<<20)
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) || answer.Code != "SlowDown" || answer.StatusCode != http.StatusServiceUnavailable {
		t.Logf("the refusal was lost with the connection: %v", err)
	}
	if err := c.Put(t.Context(), "key", strings.NewReader("x"), 1); err != nil {
		t.Error(err)
	}
}

// A length that nobody says is unknown, and a content that something has packed is not the object's.
func TestAnswersOfWhatStandsBeforeAStore(t *testing.T) {
	e := served(t, false, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "identity" {
			t.Errorf("an encoding of %q is accepted", got)
		}
		switch r.URL.Path {
		case "/some-bucket/chunked":
			w.Header().Set("Transfer-Encoding", "chunked")
		case "/some-bucket/packed":
			w.Header().Set("Content-Encoding", "gzip")
		case "/some-bucket/as-put":
			w.Header().Set("Content-Encoding", "aws-chunked")
		}
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, "abc") // who asked tells
		} else if r.URL.Path != "/some-bucket/chunked" {
			w.Header().Set("Content-Length", "3")
		}
	})
	c := open(t, e)
	for range 2 {
		if n, err := c.Head(t.Context(), "chunked"); n != s3wire.Unknown || err != nil {
			t.Errorf("a size of %d, %v", n, err)
		}
		if n, err := c.Head(t.Context(), "plain"); n != 3 || err != nil {
			t.Errorf("a size of %d, %v", n, err)
		}
		if _, err := c.Get(t.Context(), "packed", 0, 0); !errors.Is(err, s3wire.ErrEncoded) {
			t.Error(err)
		}
		mustGet(t, c, "as-put", 0, 0, []byte("abc"))
	}
}

// The bucket's name is in the host that is looked up, as the client for everything has it.
func TestABucketInTheHost(t *testing.T) {
	e := endpoint.Endpoint{Role: "store", Kind: endpoint.Bucket, User: "key", Password: "secret",
		Payload: endpoint.With(endpoint.Store{URLs: []string{"https://store.invalid"}, Region: "us-east-1", VirtualHost: true})}
	_, wire := open(t, e).Head(t.Context(), "key")
	c, err := bucket.Client(e, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, other := c.StatObject(t.Context(), "some-bucket", "key", minio.StatObjectOptions{})
	for _, err := range []error{wire, other} {
		if failed, is := errors.AsType[*net.DNSError](err); !is || failed.Name != "some-bucket.store.invalid" {
			t.Errorf("%v", err)
		}
	}
}

func TestContentsThatEndEarlyOrHaveNoLength(t *testing.T) {
	e := served(t, false, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/some-bucket/cut":
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "abc") // who asked tells
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/some-bucket/none":
			panic(http.ErrAbortHandler)
		case "/some-bucket/close":
			w.Header().Set("Connection", "close")
			_, _ = io.WriteString(w, "abc") // the same
		default:
			_, _ = io.WriteString(w, "abc") // the same
			w.(http.Flusher).Flush()
		}
	})
	c := open(t, e)
	for range 2 {
		body, err := c.Get(t.Context(), "cut", 0, 0)
		if err == nil {
			_, err = io.ReadAll(body)
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut: %v", err)
		}
		if _, err := c.Get(t.Context(), "none", 0, 0); !errors.Is(err, s3wire.ErrNoAnswer) {
			t.Errorf("none: %v", err)
		}
		mustGet(t, c, "close", 0, 0, []byte("abc"))
		mustGet(t, c, "chunked", 0, 0, []byte("abc"))
	}
}

// A context that ends after its request does not end the next one's.
func TestContextsThatEnd(t *testing.T) {
	e := served(t, false, content)
	c := open(t, e)
	for _, release := range []bool{true, false} {
		ctx, stop := context.WithCancel(t.Context())
		body, err := c.Get(ctx, "key", 0, 0)
		if err == nil {
			_, err = io.Copy(io.Discard, body)
		}
		if err != nil {
			t.Fatal(err)
		}
		if release {
			c.Release()
		}
		stop()
		mustGet(t, c, "key", 0, 0, block)
	}
}

func content(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		_, _ = io.Copy(io.Discard, r.Body) // who asked tells
		return
	}
	w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
	w.Header().Set("Content-Length", strconv.Itoa(len(block)))
	_, _ = w.Write(block) // the same
}

var block = bytes.Repeat([]byte("x"), 4<<10)

func BenchmarkGet(b *testing.B) {
	e := served(b, false, content)
	b.Run("wire", func(b *testing.B) {
		c := open(b, e)
		b.ReportAllocs()
		for b.Loop() {
			body, err := c.Get(b.Context(), "key", 0, 0)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, body); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("client for everything", func(b *testing.B) {
		c, err := bucket.Client(e, 0)
		if err != nil {
			b.Fatal(err)
		}
		core := minio.Core{Client: c}
		b.ReportAllocs()
		for b.Loop() {
			body, _, _, err := core.GetObject(b.Context(), "some-bucket", "key", minio.GetObjectOptions{})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, body); err != nil {
				b.Fatal(err)
			}
			body.Close()
		}
	})
}

func BenchmarkPut(b *testing.B) {
	e := served(b, false, content)
	c := open(b, e)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Put(b.Context(), "key", bytes.NewReader(block), int64(len(block))); err != nil {
			b.Fatal(err)
		}
	}
}
