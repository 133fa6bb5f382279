package api

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
)

// A tunnel that takes requests and never answers is replaced for the next connection.
func TestATunnelThatNeverAnswersIsReplaced(t *testing.T) {
	var tunnels atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "websocket" {
			w.WriteHeader(http.StatusBadRequest) // as servers answer that do not know it
			return
		}
		if _, err := httpstream.Handshake(r, w, []string{portforward.PortForwardProtocolV1Name}); err != nil {
			t.Error(err)
		}
		mute := tunnels.Add(1) == 1
		tunnel := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
			switch {
			case mute:
			case s.Headers().Get(corev1.StreamType) == corev1.StreamTypeData:
				go func() { _, _ = io.Copy(s, s) }()
			}
			return nil
		})
		if tunnel != nil {
			<-tunnel.CloseChan()
		}
	}))
	defer server.Close()
	c, err := newClient(&rest.Config{Host: server.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Forward("n", "pod", 80)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := echo(t.Context(), f, 300*time.Millisecond); err == nil {
		t.Error("the mute tunnel answered")
	}
	for attempts := 1; echo(t.Context(), f, 500*time.Millisecond) != nil; attempts++ {
		if attempts == 20 {
			t.Fatal("no new tunnel was made")
		}
	}
	if err := echo(t.Context(), f, 10*time.Second); err != nil || tunnels.Load() != 2 {
		t.Errorf("%d tunnels, %v; want a second one that stays", tunnels.Load(), err)
	}
}

// echo sends a word and waits for it to come back.
func echo(ctx context.Context, f *Forward, limit time.Duration) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", f.Address())
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(limit))
	if _, err := io.WriteString(conn, "word"); err != nil {
		return err
	}
	_, err = io.ReadFull(conn, make([]byte, 4))
	return err
}
