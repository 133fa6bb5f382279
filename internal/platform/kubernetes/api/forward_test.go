package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
)

// tunnelled gives an address that leads to a server of tunnels. Each stream goes to serve, with
// the number of its tunnel.
func tunnelled(t *testing.T, serve func(tunnel int32, s httpstream.Stream)) (f *Forward, tunnels *atomic.Int32) {
	t.Helper()
	tunnels = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "websocket" {
			w.WriteHeader(http.StatusBadRequest) // as servers answer that do not know it
			return
		}
		if _, err := httpstream.Handshake(r, w, []string{portforward.PortForwardProtocolV1Name}); err != nil {
			t.Error(err)
		}
		number := tunnels.Add(1)
		tunnel := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, replied <-chan struct{}) error {
			go func() {
				<-replied
				serve(number, s)
			}()
			return nil
		})
		if tunnel != nil {
			<-tunnel.CloseChan()
		}
	}))
	t.Cleanup(server.Close)
	c, err := newClient(&rest.Config{Host: server.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err = c.Forward("n", "pod", 80)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f, tunnels
}

// isData reports whether a stream is one of data, not of errors.
func isData(s httpstream.Stream) bool {
	return s.Headers().Get(corev1.StreamType) == corev1.StreamTypeData
}

// A tunnel that takes requests and never answers is replaced for the next connection.
func TestATunnelThatNeverAnswersIsReplaced(t *testing.T) {
	f, tunnels := tunnelled(t, func(tunnel int32, s httpstream.Stream) {
		if tunnel > 1 && isData(s) {
			_, _ = io.Copy(s, s)
		}
	})
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

// A port that refuses leaves what was sent to it unread, which blocks the tunnel's other end.
// Once the server listens, the next connection reaches it all the same.
func TestAPortThatRefusedIsReached(t *testing.T) {
	var listens atomic.Bool
	f, _ := tunnelled(t, func(_ int32, s httpstream.Stream) {
		switch {
		case listens.Load() && isData(s):
			_, _ = io.Copy(s, s)
		case !listens.Load() && !isData(s):
			_, _ = io.WriteString(s, "connection refused")
			_ = s.Close()
		}
	})
	for range 6 {
		if err := echo(t.Context(), f, 10*time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a port that refuses: %v", err)
		}
	}
	listens.Store(true)
	for range 6 {
		if err := echo(t.Context(), f, 10*time.Second); err != nil {
			t.Error(err)
		}
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
