package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/rest"
)

// breaking answers after some connections that broke before anything was sent, or
// after the request had been.
func breaking(t *testing.T, times int32, late bool) (*http.Client, *atomic.Int32, string) {
	t.Helper()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if late && calls.Add(1) <= times {
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
			return
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if !late && calls.Add(1) <= times {
			return nil, errors.New("connection refused")
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	return &http.Client{Transport: &persistent{next: transport, limit: time.Minute, pause: time.Millisecond}}, &calls, server.URL
}

func TestRequestsOutlastTheAbsenceOfTheServer(t *testing.T) {
	for _, late := range []bool{false, true} {
		client, calls, url := breaking(t, 3, late)
		request, err := http.NewRequest(http.MethodPatch, url, strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if got, _ := io.ReadAll(answer.Body); string(got) != "body" || calls.Load() != 4 {
			t.Errorf("answer %q after %d tries", got, calls.Load())
		}
	}
}

func TestWhatMayHaveBeenMadeIsNotMadeAgain(t *testing.T) {
	client, calls, url := breaking(t, 3, true)
	answer, err := client.Post(url, "text/plain", strings.NewReader("body"))
	if err == nil {
		answer.Body.Close()
	}
	if err == nil || calls.Load() != 1 {
		t.Errorf("%d tries, error %v", calls.Load(), err)
	}
}

// A server that refuses a stream has answered.
func TestARefusedStreamIsNotTriedAgain(t *testing.T) {
	request, err := http.NewRequest(http.MethodGet, "http://127.0.0.1/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if again(request, &httpstream.UpgradeFailureError{Cause: errors.New("pod not found")}, false) {
		t.Error("it is tried again")
	}
}

func TestPatienceEnds(t *testing.T) {
	client, _, url := breaking(t, 1<<30, false)
	client.Transport.(*persistent).limit = 20 * time.Millisecond
	answer, err := client.Get(url)
	if err == nil {
		answer.Body.Close()
		t.Fatal("there was an answer")
	}
}

// A busy server, or a proxy before one that is away, refuses for now: what can be repeated is
// sent again, with or without a time to wait, and nothing else is.
func TestRefusalsForNowAreOutlasted(t *testing.T) {
	for _, c := range []struct {
		name, method, path string
		status             int
		after              string
		again              bool
	}{
		{"a list of a busy server", http.MethodGet, "/api/v1/pods", http.StatusTooManyRequests, "", true},
		{"a proxy without a server", http.MethodPatch, "/api/v1/namespaces/a/pods/b", http.StatusServiceUnavailable, "", true},
		{"a bad gateway", http.MethodDelete, "/api/v1/namespaces/a/pods/b", http.StatusBadGateway, "", true},
		{"a question to a busy server", http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", http.StatusTooManyRequests, "", true},
		{"what may have been made", http.MethodPost, "/api/v1/namespaces/a/pods", http.StatusServiceUnavailable, "", false},
		{"a budget", http.MethodPost, "/api/v1/namespaces/a/pods/b/eviction", http.StatusTooManyRequests, "", false},
		{"a kubelet that is away", http.MethodGet, "/api/v1/nodes/a/proxy/stats/summary", http.StatusServiceUnavailable, "", false},
		{"what client-go repeats", http.MethodGet, "/api/v1/pods", http.StatusTooManyRequests, "1", false},
		{"a fault of the server", http.MethodGet, "/api/v1/pods", http.StatusInternalServerError, "", false},
		{"a refusal for good", http.MethodGet, "/api/v1/pods", http.StatusForbidden, "", false},
	} {
		var calls atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if calls.Add(1) <= 3 {
				if c.after != "" {
					w.Header().Set("Retry-After", c.after)
				}
				w.WriteHeader(c.status)
				return
			}
			_, _ = w.Write(body)
		}))
		client := &http.Client{Transport: &persistent{next: http.DefaultTransport, limit: time.Minute, pause: time.Millisecond}}
		request, err := http.NewRequest(c.method, server.URL+c.path, strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		server.Close()
		if c.again && (calls.Load() != 4 || string(got) != "body") || !c.again && (calls.Load() != 1 || answer.StatusCode != c.status) {
			t.Errorf("%s: %d calls, %s, %q", c.name, calls.Load(), answer.Status, got)
		}
	}
}

// The last refusal is the answer when the time is up, and client-go names its reason.
func TestPatienceWithABusyServerEnds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer server.Close()
	client := &http.Client{Transport: &persistent{next: http.DefaultTransport, limit: 0, pause: time.Millisecond}}
	answer, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Error(answer.Status)
	}
}

// A client as runs have one outlasts a server that says for how long it is busy (which
// client-go waits for) and one that does not.
func TestClientsOutlastABusyServer(t *testing.T) {
	for _, after := range []string{"", "0"} {
		var calls atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if calls.Add(1) == 1 {
				if after != "" {
					w.Header().Set("Retry-After", after)
				}
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			_, _ = w.Write([]byte(`{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n"}}]}`))
		}))
		c, err := newClient(&rest.Config{Host: server.URL}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if nodes, err := c.Nodes(t.Context(), ""); err != nil || len(nodes) != 1 || calls.Load() != 2 {
			t.Errorf("Retry-After %q: %v, %v after %d calls", after, nodes, err, calls.Load())
		}
		server.Close()
	}
}
