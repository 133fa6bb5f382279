package browsertest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"plimsoll/test/quick"
)

// shared is the browser of all tests of a package.
var shared struct {
	sync.Mutex
	main    bool
	browser *headless
}

// Main runs the tests of a package and ends the browser that they shared; it gives the
// exit code.
func Main(m *testing.M) int {
	shared.main = true
	code := m.Run()
	if shared.browser != nil {
		shared.browser.end()
	}
	return code
}

// Shared returns a tab in a browser that all tests of the package share; the first test
// starts it. The tab shares no storage with other tests' tabs, nor do tabs opened from it.
// The package must have Main in its TestMain.
func Shared(t *testing.T) context.Context {
	t.Helper()
	quick.Skip(t, quick.Browser)
	shared.Lock()
	defer shared.Unlock()
	if !shared.main {
		t.Fatal("the package has no TestMain that calls browsertest.Main, which ends the browser")
	}
	if shared.browser == nil {
		shared.browser = launch(t)
	}
	ctx, cancel := chromedp.NewContext(shared.browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	return ctx
}

// headless is a browser that runs.
type headless struct {
	ctx context.Context
	end func()
}

// launch starts a browser; the test is skipped where there is none.
func launch(t *testing.T) *headless {
	t.Helper()
	program := findProgram()
	if program == "" {
		t.Skip("there is no Chromium or Chrome on this machine")
	}
	temporary, err := os.MkdirTemp("", "plimsoll-browser-")
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Env("TMPDIR="+temporary), // a killed browser leaves its files there
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	h := &headless{ctx: ctx, end: func() {
		cancel()
		stop()
		if err := os.RemoveAll(temporary); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}}
	if err := chromedp.Do(ctx); err != nil {
		h.end()
		t.Fatalf("start %s: %v", program, err)
	}
	return h
}
