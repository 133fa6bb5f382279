package serve

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
)

// Clients beyond the limit wait, and are served when others leave: the descriptors of the
// process are for its run.
func TestConnectionsAreLimited(t *testing.T) {
	l, err := Listen(Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.Handle("GET /{$}", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	l.Start()
	defer func() { _ = l.Close(t.Context()) }()
	ask := func() net.Conn {
		c, err := net.Dial("tcp", l.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		return c
	}
	answered := func(c net.Conn, within time.Duration) error {
		if err := c.SetReadDeadline(time.Now().Add(within)); err != nil {
			t.Fatal(err)
		}
		_, err := bufio.NewReader(c).ReadString('\n')
		return err
	}
	var first net.Conn
	for range mostConnections {
		c := ask()
		defer c.Close()
		if err := answered(c, time.Minute); err != nil {
			t.Fatal(err)
		}
		first = c
	}
	late := ask()
	defer late.Close()
	if err := answered(late, 100*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("one client more than the limit: %v", err)
	}
	first.Close()
	if err := answered(late, time.Minute); err != nil {
		t.Errorf("after another left: %v", err)
	}
}

// Pages are made one at a time, and not for readers who left while they waited.
func TestReadersWhoLeftCostNothing(t *testing.T) {
	dir := t.TempDir()
	if err := resulttest.Run(dir+"/one", []string{"ssd"}, []int{1}, 2, 30); err != nil {
		t.Fatal(err)
	}
	judged := 0
	h, err := NewHistory(dir, func(run *result.Run) (*analysis.Analysis, error) {
		judged++
		return analysis.Analyse(run, analysis.Options{})
	}, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx, leave := context.WithCancel(t.Context())
	r := httptest.NewRequest("GET", "/runs/one/report.html", nil).WithContext(ctx)
	r.SetPathValue("run", "one")
	h.turn <- struct{}{} // somebody else's page is being made
	left := make(chan struct{})
	go func() {
		defer close(left)
		h.report(httptest.NewRecorder(), r)
	}()
	leave()
	<-left
	h.give()
	if judged != 0 {
		t.Error("a page was made for a reader who had left")
	}
	w := httptest.NewRecorder()
	h.report(w, r.WithContext(t.Context()))
	if judged != 1 || w.Code != http.StatusOK || len(h.turn) != 0 {
		t.Errorf("%d pages were made: %d", judged, w.Code)
	}
}
