package browsertest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// What other packages' tests take for granted: an unreadable page is reported,
// and requests to the page's own server are not, unlike those to others.
func TestAccessibleSeesAPageThatCannotBeRead(t *testing.T) {
	ctx := Start(t)
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><html lang="en"><title>t</title><main><h1>t</h1><p style="color:#bbb;background:#fff">pale</p><button></button></main></html>`))
	}))
	defer served.Close()
	Open(t, ctx, served.URL+"/page", View{"desk", 800, 600, false})
	Eventually(t, ctx, `document.readyState === "complete"`)
	var rules []string
	for _, v := range Violations(t, ctx) {
		rules = append(rules, v.Rule)
	}
	for _, want := range []string{"color-contrast", "button-name"} {
		if !slices.Contains(rules, want) {
			t.Errorf("axe-core found only %q, not %s", rules, want)
		}
	}
}

func TestWatchAllowsOnlyThePagesOwnServer(t *testing.T) {
	w := NewWatch("http://127.0.0.1:4000/run?token=x")
	for address, want := range map[string]bool{
		"http://127.0.0.1:4000/events": true, "file:///tmp/report.html": true, "data:text/plain,x": true,
		"http://127.0.0.1:40000/": false, "https://example.com/": false,
	} {
		if got := w.allowed(address); got != want {
			t.Errorf("allowed(%s) is %v", address, got)
		}
	}
	if NewWatch("file:///tmp/report.html").allowed("http://127.0.0.1:4000/") {
		t.Error("a file may fetch from a server")
	}
}
