// Package buckettest gives tests real object stores, and a Store of apptest in one.
package buckettest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/app"
	"plimsoll/internal/app/versitygw"
	"plimsoll/internal/client/bucket"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// Gateway is an object store of its own, which ends with the test. It has no bucket.
type Gateway struct {
	endpoint.Endpoint
	Process platform.Process
	Client  *minio.Client
	// Directory is where it keeps its buckets.
	Directory string

	platform platform.Platform
	server   app.Server
	volume   storage.Volume
}

// Start starts a gateway on a directory of the given name. If the machine has no gateway,
// Start builds one, which takes minutes the first time.
func Start(t *testing.T, name string) Gateway {
	t.Helper()
	p := localtest.Platform(t)
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Errorf("close the platform: %v", err)
		}
	})
	e := versitygw.Engine{}
	in, err := e.Find(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	c := app.Config{Name: name, AdminPassword: "only-of-this-test", Users: 8}
	v := localtest.Volume(t, p, name)
	for _, step := range e.Initialise(in, c) {
		if err := p.Run(t.Context(), step, v); err != nil {
			t.Fatal(err)
		}
	}
	server := e.Server(in, c)
	process, err := p.Start(t.Context(), server, v)
	if err != nil {
		t.Fatal(err)
	}
	g := Gateway{Endpoint: process.Endpoint(), Process: process, Directory: v.Path + "/buckets", platform: p, server: server, volume: v}
	if g.Client, err = bucket.Client(g.Endpoint, 0); err != nil {
		t.Fatal(err)
	}
	return g
}

// Restart starts it again after its process has ended; its address stays.
func (g Gateway) Restart(t *testing.T) {
	t.Helper()
	<-g.Process.Done()
	again, err := g.platform.Start(t.Context(), g.server, g.volume)
	if err != nil {
		t.Fatal(err)
	}
	if again.Endpoint().Address != g.Address {
		t.Fatalf("it answers at %s now, not at %s", again.Endpoint().Address, g.Address)
	}
}

// Behind is the gateway behind a server that answers by itself where answer does.
func (g Gateway) Behind(t *testing.T, answer func(w http.ResponseWriter, r *http.Request) (done bool)) endpoint.Endpoint {
	t.Helper()
	s := endpoint.StoreOf(g.Endpoint)
	at, err := url.Parse(s.URLs[0])
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at); r.Out.Host = r.In.Host }}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answer(w, r) {
			pass.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	e := g.Endpoint
	s.URLs = []string{front.URL}
	e.Payload = endpoint.With(s)
	return e
}

// Refuse answers a request with an error, like a store that cannot carry it out.
func Refuse(w http.ResponseWriter, status int, code, message string) (done bool) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, message) // who asked tells
	return true
}

// In is an endpoint of the gateway with a bucket of its own, which it makes.
func (g Gateway) In(t *testing.T, name string) endpoint.Endpoint {
	t.Helper()
	s := endpoint.StoreOf(g.Endpoint)
	if err := bucket.Make(t.Context(), g.Client, name, s.Region, "test"); err != nil {
		t.Fatal(err)
	}
	s.Name = name
	e := g.Endpoint
	e.Payload = endpoint.With(s)
	return e
}

// kept is the bucket of a Store.
const kept = "kept"

// store keeps values in the objects of a bucket.
type store struct{ *minio.Client }

// Open makes the bucket of a store where it is not there yet.
func Open(ctx context.Context, _ app.Config, e endpoint.Endpoint) (apptest.Store, error) {
	c, err := bucket.Client(e, 0)
	if err != nil {
		return nil, err
	}
	there, err := c.BucketExists(ctx, kept)
	if err == nil && !there {
		err = c.MakeBucket(ctx, kept, minio.MakeBucketOptions{})
	}
	return store{c}, err
}

func (s store) Put(ctx context.Context, key, value string) error {
	_, err := s.PutObject(ctx, kept, key, strings.NewReader(value), int64(len(value)), minio.PutObjectOptions{})
	return err
}

func (s store) Get(ctx context.Context, key string) (string, error) {
	o, err := s.GetObject(ctx, kept, key, minio.GetObjectOptions{})
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(o)
	return string(text), errors.Join(err, o.Close())
}

func (s store) Count(ctx context.Context) (n int, err error) {
	for o := range s.ListObjects(ctx, kept, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			return n, o.Err
		}
		n++
	}
	return n, nil
}

func (store) Close() error { return nil }
