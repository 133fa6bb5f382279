package kube

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
