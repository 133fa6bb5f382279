// Package site looks at the documentation site in a browser.
package site

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/report/browsertest"
	"plimsoll/test/quick"
)

var snapshots = flag.String("snapshots", "", "directory for pictures of the pages")

const built = "../bin/site"

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// TestPages: pages of every kind fit a wide window and a phone's, light and dark, complain of
// nothing, and load nothing from elsewhere.
func TestPages(t *testing.T) {
	quick.Skip(t, quick.Browser)
	address := served(t)
	for _, v := range []browsertest.View{
		{Name: "wide", Width: 1400, Height: 900},
		{Name: "phone", Width: 390, Height: 844},
		{Name: "dark", Width: 1400, Height: 900, Dark: true},
	} {
		for _, page := range []string{"index", "how-to/gate-a-pull-request", "explanation/coordinated-omission", "study", "analysis", "reference/commands", "reference/study-fields", "gallery/index"} {
			t.Run(v.Name+"/"+strings.ReplaceAll(page, "/", "-"), func(t *testing.T) {
				tab := browsertest.Shared(t)
				browsertest.Open(t, tab, address+"/"+page+".html", v)
				browsertest.Eventually(t, tab, `document.readyState === "complete"`)
				if width := browsertest.Evaluate[int64](t, tab, `document.documentElement.scrollWidth`); width > v.Width {
					t.Errorf("%d pixels wide in a window of %d", width, v.Width)
				}
				browsertest.Snapshot(t, tab, *snapshots, strings.ReplaceAll(t.Name(), "/", "-"))
			})
		}
	}
}

// TestSearch: the search finds a page, from a server and from a file system.
func TestSearch(t *testing.T) {
	quick.Skip(t, quick.Browser)
	index, err := filepath.Abs(built + "/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for name, address := range map[string]string{"served": served(t) + "/index.html", "file": "file://" + index} {
		t.Run(name, func(t *testing.T) {
			tab := browsertest.Shared(t)
			browsertest.Open(t, tab, address, browsertest.View{Width: 1400, Height: 900})
			browsertest.Click(t, tab, "label[for=__search]")
			browsertest.Evaluate[bool](t, tab, `(q => { q.focus(); q.value = "coordinated omission"; q.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true})); return true; })(document.querySelector("[data-md-component=search-query]"))`)
			browsertest.Eventually(t, tab, `!!document.querySelector(".md-search-result__link[href*=coordinated-omission]")`)
		})
	}
}

// served is the address of the site as a server has it. Without a site there is nothing to
// look at: make site builds one.
func served(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(built + "/index.html"); err != nil {
		t.Skip("make site has not built the site")
	}
	s := httptest.NewServer(http.FileServer(http.Dir(built)))
	t.Cleanup(s.Close)
	return s.URL
}
