package report

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"plimsoll/internal/report/browsertest"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// A report of 500 trials opens in little memory and time. The time is only
// told, as machines differ: run it with -v on one that nobody else uses.
func TestBrowserOpensALargeRun(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	path := filepath.Join(t.TempDir(), "large.html")
	writeLarge(t, path)
	ctx := startBrowser(t)
	for range nightly.Times(1, 3) {
		tab, cancel := chromedp.NewContext(ctx)
		domain := performance.EnableParams{TimeDomain: "threadTicks"}
		if _, err := chromedp.Call(tab, performance.Enable, domain); err != nil {
			t.Fatal(err)
		}
		open(t, tab, path, view{"desk", 1280, 900, false})
		if n := evaluate[int](t, tab, `document.querySelectorAll("#trials tbody tr").length`); n != 500 {
			t.Fatalf("%d trials", n)
		}
		seen := evaluate[float64](t, tab, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`)
		drawn := evaluate[float64](t, tab, `performance.getEntriesByName("ready")[0].startTime`)
		if _, err := chromedp.Call(tab, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
		at := metrics(t, tab)
		t.Logf("first screen after %.0f ms, everything drawn after %.0f ms, of which the page's thread was busy for %.0f ms; JavaScript heap %.0f MB, %.0f nodes",
			seen, drawn, at["ThreadTime"]*1000, at["JSHeapUsedSize"]/1e6, at["Nodes"])
		if used := at["JSHeapUsedSize"]; used > 200e6 {
			t.Errorf("the page uses %.0f MB", used/1e6)
		}
		cancel()
	}
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	open(t, tab, path+"#trial-hdd-40-3", view{"phone", 390, 844, true})
	browsertest.Eventually(t, tab, offTarget+`("trial-hdd-40-3") <= 40`)
}

// writeLarge writes the report of a run of 500 trials: 5 variants at 20 rungs,
// five times each.
func writeLarge(t *testing.T, path string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "run")
	rungs := []int{1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64}
	if err := resulttest.Run(folder, []string{"nvme", "ssd", "sas", "hdd", "nfs"}, rungs, 5, 30); err != nil {
		t.Fatal(err)
	}
	a, series := analysedRun(t, folder)
	writeReport(t, path, a, series)
}

// metrics are what the browser counts of a page: seconds, bytes, numbers.
func metrics(t *testing.T, tab context.Context) map[string]float64 {
	t.Helper()
	found, err := chromedp.Call(tab, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, m := range found.Metrics {
		out[m.Name] = m.Value
	}
	return out
}
