package httpwire_test

import (
	"bufio"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/client/httpwire"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/workload/driver"
)

func served(s *httptest.Server) endpoint.Endpoint {
	return endpoint.Endpoint{Kind: httpwire.Kind, Network: "tcp", Address: s.Listener.Addr().String()}
}

func open(t testing.TB, e endpoint.Endpoint) *httpwire.Conn {
	t.Helper()
	c, err := httpwire.Open(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	return c
}

// site serves pages and counts connections.
func site(t testing.TB, serve http.HandlerFunc) (s *httptest.Server, connections *atomic.Int64) {
	s, connections = httptest.NewUnstartedServer(serve), new(atomic.Int64)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	t.Cleanup(s.Close)
	return s, connections
}

// pages are of a length that the server says, or does not.
func pages(w http.ResponseWriter, r *http.Request) {
	text := strings.Repeat(r.URL.Query().Get("a"), 10_000)
	if r.URL.Path == "/chunked" {
		_, _ = io.WriteString(w, text[:100])
		w.(http.Flusher).Flush()
		text = text[100:]
	} else {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	}
	if r.URL.Path == "/missing" {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = io.WriteString(w, text)
}

func TestPagesOnOneConnection(t *testing.T) {
	for name, encrypted := range map[string]bool{"http": false, "https": true} {
		t.Run(name, func(t *testing.T) {
			s, connections := site(t, pages)
			var e endpoint.Endpoint
			if encrypted {
				s.StartTLS()
				e = served(s)
				e.Certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
			} else {
				s.Start()
				e = served(s)
			}
			c := open(t, e)
			for path, status := range map[string]int{"/known": 200, "/chunked": 200, "/missing": 404} {
				p, err := c.Get([]byte(path + "?a=x%20y"))
				if err != nil || p.Status != status || string(p.Body) != strings.Repeat("x y", 10_000) {
					t.Errorf("%s: status %d, %d bytes, %v", path, p.Status, len(p.Body), err)
				}
			}
			if n := connections.Load(); n != 1 || c.Broken() {
				t.Errorf("%d connections for three pages, broken: %v", n, c.Broken())
			}
		})
	}
}

// A body arrives whole, and pages before and after it on the same connection.
func TestPost(t *testing.T) {
	body := strings.Repeat("0123456789", 30_000)
	s, connections := site(t, func(w http.ResponseWriter, r *http.Request) {
		got, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, "%s %d %v", r.Method, len(got), string(got) == body)
	})
	s.Start()
	c := open(t, served(s))
	for range 2 {
		if p, err := c.Get([]byte("/a")); err != nil || string(p.Body) != "GET 0 false" {
			t.Fatalf("%q, %v", p.Body, err)
		}
		if p, err := c.Post([]byte("/a?b=c"), []byte(body)); err != nil || string(p.Body) != "POST 300000 true" {
			t.Fatalf("%q, %v", p.Body, err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestServerClosesBetweenPages(t *testing.T) {
	for _, how := range []string{"says so", "says nothing"} {
		t.Run(how, func(t *testing.T) {
			s, connections := site(t, func(w http.ResponseWriter, r *http.Request) {
				if how == "says so" {
					w.Header().Set("Connection", "close")
				}
				pages(w, r)
			})
			s.Start()
			c := open(t, served(s))
			for n := range int64(3) {
				if _, err := c.Get([]byte("/?a=x")); err != nil {
					t.Fatal(err)
				}
				if n+1 != connections.Load() {
					t.Errorf("page %d came on connection %d", n+1, connections.Load())
				}
				s.CloseClientConnections()
				time.Sleep(50 * time.Millisecond) // until the news has come; later it is found broken, which is tested below
			}
		})
	}
}

// raw serves connections by hand. It answers a request with the given text and closes the
// connection; with "" it sends nothing.
func raw(t *testing.T, answer string) (e endpoint.Endpoint, requests *atomic.Int64) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	requests = new(atomic.Int64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				requests.Add(1)
				_, _ = io.WriteString(c, answer)
			}
			c.Close()
		}
	}()
	return endpoint.Endpoint{Network: "tcp", Address: l.Addr().String()}, requests
}

func TestBadAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer, class, says string
		usable              bool
	}{
		"nothing":                              {"", errorclass.ConnectionLost, "without an answer", false},
		"half a head":                          {"HTTP/1.1 200 OK\r\nContent-Le", httpwire.CutShort, "in the middle", false},
		"half a body":                          {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<html", httpwire.CutShort, "in the middle", false},
		"half a chunk":                         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n<html", httpwire.CutShort, "in the middle", false},
		"no last chunk":                        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<html\r\n", httpwire.CutShort, "in the middle", false},
		"no HTTP":                              {"SSH-2.0-OpenSSH_9.2\r\n\r\n", httpwire.NotHTTP, "", false},
		"a redirect":                           {"HTTP/1.1 302 Found\r\nLocation: https://else.example/ds3\r\nContent-Length: 0\r\n\r\n", httpwire.Redirected, `302 and sends users to "https://else.example/ds3"`, true},
		"a huge page":                          {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", httpwire.TooLarge, "16 MiB", false},
		"a page of no known size that is huge": {"HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("x", httpwire.MaxBody+1), httpwire.TooLarge, "16 MiB", false},
		"a head without end":                   {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X-More: and more\r\n", 1<<20), httpwire.TooLarge, "head of the answer has more than 16 KiB", false},
	} {
		t.Run(name, func(t *testing.T) {
			e, requests := raw(t, c.answer)
			conn := open(t, e)
			_, err := conn.Get([]byte("/ds3/dslogin.php?password=secret"))
			if got := driver.Classify(err); err == nil || got != c.class || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v of class %s, want %s", err, got, c.class)
			}
			if err != nil && (strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "GET /ds3/dslogin.php: ")) {
				t.Errorf("%v: want the page without its parameters", err)
			}
			if conn.Broken() == c.usable {
				t.Errorf("broken: %v", conn.Broken())
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}

func TestInterimAnswersAreSkipped(t *testing.T) {
	e, _ := raw(t, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.0 200 OK\r\n\r\n<html>")
	if p, err := open(t, e).Get([]byte("/")); err != nil || string(p.Body) != "<html>" {
		t.Errorf("got %q, %v", p.Body, err)
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = httpwire.Open(t.Context(), endpoint.Endpoint{Network: "tcp", Address: l.Addr().String()})
	if err == nil || driver.Classify(err) != errorclass.Refused || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("got %v", err)
	}
}

func TestSlowAnswer(t *testing.T) {
	release := make(chan struct{})
	s, _ := site(t, func(http.ResponseWriter, *http.Request) { <-release })
	s.Start()
	defer close(release)
	c := open(t, served(s))
	_ = c.SetDeadline(time.Now().Add(20 * time.Millisecond))
	if _, err := c.Get([]byte("/")); driver.Classify(err) != errorclass.Timeout || !c.Broken() {
		t.Errorf("got %v, broken: %v", err, c.Broken())
	}
	c = open(t, served(s))
	time.AfterFunc(20*time.Millisecond, c.Interrupt)
	if _, err := c.Get([]byte("/")); err == nil || !strings.Contains(err.Error(), "interrupted") || !c.Broken() {
		t.Errorf("got %v, broken: %v", err, c.Broken())
	}
}

// A server that a platform started may be at an address that its certificate does not
// name.
func TestCertificateAtAnotherAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip(err)
	}
	s, _ := site(t, pages)
	s.Listener.Close()
	s.Listener = l
	s.StartTLS()
	e := served(s)
	e.Certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	if p, err := open(t, e).Get([]byte("/known?a=b")); err != nil || p.Status != http.StatusOK {
		t.Errorf("status %d, %v", p.Status, err)
	}
}

func TestCertificateOfAnotherServer(t *testing.T) {
	s, _ := site(t, pages)
	s.Config.ErrorLog = nil
	s.StartTLS()
	other := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("of another server")}))
	for _, trusted := range []string{endpoint.SystemRoots, "no certificate", other} {
		e := served(s)
		e.Certificate = trusted
		_, err := httpwire.Open(t.Context(), e)
		if own, ok := errors.AsType[interface {
			error
			ErrorClass() string
		}](err); !ok || own.ErrorClass() != httpwire.Certificate {
			t.Errorf("trusting %q: got %v", trusted, err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	text := strings.Repeat("<tr><td>a film</td></tr>\n", 200)
	s, _ := site(b, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_, _ = io.WriteString(w, text)
	})
	s.Start()
	c := open(b, served(s))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Get([]byte("/")); err != nil {
			b.Fatal(err)
		}
	}
}

func TestUnixSocket(t *testing.T) {
	s, _ := site(t, pages)
	l, err := net.Listen("unix", t.TempDir()+"/web.sock")
	if err != nil {
		t.Fatal(err)
	}
	s.Listener.Close()
	s.Listener = l
	s.Start()
	e := endpoint.Endpoint{Kind: httpwire.Kind, Network: "unix", Address: l.Addr().String()}
	if p, err := open(t, e).Get([]byte("/known?a=x")); err != nil || p.Status != 200 {
		t.Errorf("status %d, %v", p.Status, err)
	}
}
