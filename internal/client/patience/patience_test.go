package patience_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/client/patience"
)

// server refuses the first requests, as many as times says, and echoes the bodies of later
// ones.
func server(t *testing.T, status int, times int32) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= times {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(status)
			return
		}
		_, _ = io.Copy(w, r.Body) // who asked tells
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestWhatIsPutOffIsAskedForAgain(t *testing.T) {
	for status, again := range map[int]bool{
		http.StatusServiceUnavailable: true, http.StatusTooManyRequests: true, http.StatusInternalServerError: true, http.StatusRequestTimeout: true,
		http.StatusForbidden: false, http.StatusNotImplemented: false, http.StatusNotFound: false,
	} {
		url, asked := server(t, status, 2)
		c := &http.Client{Transport: &patience.Transport{Base: http.DefaultTransport, Within: patience.Limit}}
		answer, err := c.Post(url, "text/plain", strings.NewReader("the content"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		want, times, content := http.StatusOK, int32(3), "the content"
		if !again {
			want, times, content = status, 1, ""
		}
		if err != nil || answer.StatusCode != want || asked.Load() != times || string(text) != content {
			t.Errorf("%d: %d after %d requests, %q, %v", status, answer.StatusCode, asked.Load(), text, err)
		}
	}
}

// A content that is not kept is sent once: nobody could send it again.
func TestALongContentIsSentOnce(t *testing.T) {
	url, asked := server(t, http.StatusServiceUnavailable, 1)
	c := &http.Client{Transport: &patience.Transport{Base: http.DefaultTransport, Within: patience.Limit}}
	answer, err := c.Post(url, "text/plain", io.LimitReader(strings.NewReader(strings.Repeat("x", 3<<20)), 3<<20))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable || asked.Load() != 1 {
		t.Errorf("%d after %d requests", answer.StatusCode, asked.Load())
	}
}

// If the server never stops putting off, the result is its last answer, not the context's
// error.
func TestPatienceEnds(t *testing.T) {
	url, _ := server(t, http.StatusTooManyRequests, 1<<30)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&patience.Transport{Base: http.DefaultTransport, Within: patience.Limit}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusTooManyRequests {
		t.Error(answer.StatusCode)
	}
	refused := errors.New("refused")
	if err := patience.Try(t.Context(), 0, func() error { return refused }, func(error) bool { return true }); !errors.Is(err, refused) {
		t.Error(err)
	}
}

func TestTryEndsWithWhatDoesNotPass(t *testing.T) {
	busy, refused, n := errors.New("busy"), errors.New("refused"), 0
	err := patience.Try(t.Context(), patience.Limit, func() error {
		if n++; n < 3 {
			return busy
		}
		return refused
	}, func(err error) bool { return errors.Is(err, busy) })
	if !errors.Is(err, refused) || n != 3 {
		t.Errorf("%v after %d", err, n)
	}
}
