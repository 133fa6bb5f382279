package live

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
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

// served is a history of one run, with a count of the pages that were made.
func served(t *testing.T) (h *History, judged *int) {
	t.Helper()
	dir := t.TempDir()
	if err := resulttest.Run(filepath.Join(dir, "one"), []string{"ssd"}, []int{1}, 2, 30); err != nil {
		t.Fatal(err)
	}
	judged = new(int)
	h, err := NewHistory(dir, func(run *result.Run) (*analysis.Analysis, error) {
		*judged++
		return analysis.Analyse(run, analysis.Options{})
	}, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h, judged
}

// reportOf asks for the report of the run.
func reportOf(ctx context.Context, h *History) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/runs/one/report.html", nil).WithContext(ctx)
	r.SetPathValue("run", "one")
	w := httptest.NewRecorder()
	h.report(w, r)
	return w
}

// Pages are made one at a time, and not for readers who left while they waited.
func TestReadersWhoLeftCostNothing(t *testing.T) {
	h, judged := served(t)
	ctx, leave := context.WithCancel(t.Context())
	h.turn <- struct{}{} // another viewer's page is being made
	left := make(chan struct{})
	go func() {
		defer close(left)
		reportOf(ctx, h)
	}()
	leave()
	<-left
	h.give()
	if *judged != 0 {
		t.Error("a page was made for a reader who had left")
	}
	if w := reportOf(t.Context(), h); *judged != 1 || w.Code != http.StatusOK || len(h.turn) != 0 {
		t.Errorf("%d pages were made: %d", *judged, w.Code)
	}
}

// A reader who leaves while a page is made ends the reading of its runs, and what was made
// of the half is shown to nobody.
func TestAPageUnderWayEndsWithItsReader(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	h, _ := served(t)
	analyse := h.judge
	ctx, leave := context.WithCancel(t.Context())
	var run *result.Run
	h.judge = func(of *result.Run) (*analysis.Analysis, error) {
		run = of
		leave()
		return analyse(of)
	}
	if w := reportOf(ctx, h); w.Code == http.StatusOK || len(h.turn) != 0 {
		t.Errorf("status %d", w.Code)
	}
	if _, err := run.Whole(run.Trials[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("trials are read on: %v", err)
	}
	if _, err := run.Series(run.Trials[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("series are read on: %v", err)
	}
	if _, err := result.OpenUntil(ctx, run.Dir); !errors.Is(err, context.Canceled) {
		t.Errorf("a run is opened: %v", err)
	}
	h.judge = analyse
	fresh, _ := served(t)
	if w, other := reportOf(t.Context(), h), reportOf(t.Context(), fresh); w.Code != http.StatusOK || w.Body.Len() != other.Body.Len() {
		t.Errorf("the next reader got %d, %d bytes, not %d", w.Code, w.Body.Len(), other.Body.Len())
	}
}

// A page is made once, and again when any file changes that it is made from.
func TestPagesAreKeptUntilTheirRunChanges(t *testing.T) {
	h, judged := served(t)
	first := reportOf(t.Context(), h)
	h.turn <- struct{}{} // nobody can make one
	again := reportOf(t.Context(), h)
	h.give()
	if again.Code != http.StatusOK || again.Body.String() != first.Body.String() || *judged != 1 {
		t.Errorf("an unchanged run was analysed %d times: %d", *judged, again.Code)
	}
	trial := filepath.Join(result.TrialDir(filepath.Join(h.dir, "one"), "ssd/1/2"), result.TrialFile)
	text, err := os.ReadFile(trial)
	if err != nil {
		t.Fatal(err)
	}
	for i, change := range []func() error{
		func() error { return os.WriteFile(trial, append(text, '\n'), 0o600) }, // in place, unknown to the journal
		func() error { return os.Chtimes(trial, time.Time{}, time.Unix(1, 0)) },
		func() error { return os.RemoveAll(filepath.Dir(trial)) },
		func() error { h.busy = func(string) bool { return true }; return nil },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			reportOf(t.Context(), h)
		}
		if *judged != i+2 {
			t.Errorf("change %d was seen in %d of %d pages", i+1, *judged-1, i+1)
		}
	}
}

// Where links lead to directories nothing is kept: changes there would not be seen.
func TestRunsOfLinksAreNotKept(t *testing.T) {
	h, judged := served(t)
	variant := filepath.Join(h.dir, "one", result.TrialsDir, "ssd")
	if err := errors.Join(os.Rename(variant, filepath.Join(h.dir, "one", "real")), os.Symlink("../real", variant)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		reportOf(t.Context(), h)
	}
	if *judged != 2 {
		t.Errorf("analysed %d times", *judged)
	}
}

// Pages that are kept have a limit, and a run that would take more memory than a page may
// is refused before it is read.
func TestMemoryOfPagesIsBounded(t *testing.T) {
	var p pages
	for i := range 5 {
		p.keep(page{strconv.Itoa(i), "x", make([]byte, mostKept/3)})
	}
	p.keep(page{"large", "x", make([]byte, mostKept+1)})
	if _, last := p.find("4", "x"); !last || p.bytes > mostKept || len(p.kept) != 3 {
		t.Errorf("%d bytes in %d pages are kept", p.bytes, len(p.kept))
	}
	h, judged := served(t)
	h.most = 1000
	w := reportOf(t.Context(), h)
	if w.Code != http.StatusUnprocessableEntity || *judged != 0 || !strings.Contains(w.Body.String(), "of memory to read, and a page may take 0.977 KiB") {
		_, text, _ := strings.Cut(w.Body.String(), `"failure":`)
		t.Errorf("status %d: %.300s", w.Code, text)
	}
}
