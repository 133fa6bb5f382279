// Package browsertest opens pages in a headless Chromium for tests.
package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"plimsoll/test/quick"
)

// Limit is how long a page may take to draw, or a file to be saved, on a
// machine that others keep busy.
const Limit = 5 * time.Minute

// Start starts a headless Chromium of its own for one test.
func Start(t *testing.T) context.Context {
	t.Helper()
	quick.Skip(t, quick.Browser)
	h := launch(t)
	t.Cleanup(h.end)
	return h.ctx
}

// findProgram finds a browser, "" for none.
func findProgram() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// View is how a page is looked at.
type View struct {
	Name          string
	Width, Height int64
	Dark          bool
}

// Open loads a page in a view. What the page complains of or fetches from
// elsewhere fails the test when it ends.
func Open(t *testing.T, ctx context.Context, address string, v View) {
	t.Helper()
	w := NewWatch(address)
	if err := chromedp.Listen(ctx, w.Event); err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if v.Dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(v.Width, v.Height), chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, problem := range w.Problems() {
			t.Error(problem)
		}
	})
}

// Evaluate runs an expression in the page.
func Evaluate[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Eventually waits until an expression is true, in the next page too when the
// page is left. (The page's own policy forbids what chromedp.Poll does.)
func Eventually(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	for end := time.Now().Add(Limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err != nil && !strings.Contains(err.Error(), "navigated") {
			t.Fatalf("%s: %v", expression, err)
		}
		if is {
			return
		}
	}
	t.Fatalf("not true within %v: %s", Limit, expression)
}

// Click clicks the first element that a selector finds.
func Click(t *testing.T, ctx context.Context, selector string) {
	t.Helper()
	if !Evaluate[bool](t, ctx, fmt.Sprintf(`(e => { e?.click(); return !!e; })(document.querySelector(%q))`, selector)) {
		t.Fatalf("there is no %s", selector)
	}
}

// Press clicks the first element that a selector finds with the mouse, as a user does: what a
// script clicks is no gesture, and browsers hold back the eleventh file that nobody asked for.
func Press(t *testing.T, ctx context.Context, selector string) {
	t.Helper()
	middle := Evaluate[[]float64](t, ctx, fmt.Sprintf(`(e => {
		if (!e) return [];
		e.scrollIntoView({block: "center", behavior: "instant"});
		const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})(document.querySelector(%q))`, selector))
	if len(middle) != 2 {
		t.Fatalf("there is no %s", selector)
	}
	if _, err := chromedp.Run(ctx, chromedp.MouseClickXY(middle[0], middle[1])); err != nil {
		t.Fatalf("press %s: %v", selector, err)
	}
}

// Snapshot keeps a picture of the whole page in a folder, unless that is "".
func Snapshot(t *testing.T, ctx context.Context, folder, name string) {
	t.Helper()
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Watch collects what a page should not do: complain, or fetch from anywhere
// but where it came from.
type Watch struct {
	own      string // what the addresses of the page's own server begin with; "" for a file
	mutex    sync.Mutex
	problems []string
}

// NewWatch watches the page at an address.
func NewWatch(address string) *Watch {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return &Watch{}
	}
	return &Watch{own: u.Scheme + "://" + u.Host + "/"}
}

// Problems are those seen until now.
func (w *Watch) Problems() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]string(nil), w.problems...)
}

// Event takes an event of the browser, as chromedp.Listen gives them.
func (w *Watch) Event(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.add("exception: %s", e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		w.add("console: %s", e.Type)
	case *log.EventEntryAdded:
		w.add("log: %s %s", e.Entry.Level, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if !w.allowed(e.Request.URL) {
			w.add("network: %s", e.Request.URL)
		}
	}
}

func (w *Watch) allowed(address string) bool {
	for _, prefix := range []string{"file:", "data:", "blob:", w.own} {
		if prefix != "" && strings.HasPrefix(address, prefix) {
			return true
		}
	}
	return false
}

func (w *Watch) add(format string, arguments ...any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, arguments...))
}
