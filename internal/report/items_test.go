package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/report/browsertest"
)

// listedFixture has a table of so many items of two variants: the second is slower by a
// factor that grows along the list, and its last item failed once.
func listedFixture(n int) *analysis.Analysis {
	a := liveFixture()
	a.Prices = &price.Prices{Currency: "USD", Years: 3}
	l := items.List{
		Rung: 1, Common: n - 1, Differ: []string{"a sentence on `hdd`"}, Priced: "what costs rest on",
		Columns: []items.Column{
			{Variant: a.Variants[0].Name, Total: stats.Exactly(15), Geometric: stats.Exactly(2), Storage: &items.Storage{Busy: 0.75, Faster: 4}, Cost: &items.Cost{Each: 0.25}, Read: 2.5e9},
			{Variant: a.Variants[1].Name, Failed: 1, Geometric: stats.Exactly(4), Storage: &items.Storage{Busy: 1}, Cost: &items.Cost{Each: 0.5, Terabyte: 12}},
		},
	}
	storage, cpu := &items.Storage{Busy: 0.8, Faster: 5}, 0.2
	for i := range n {
		ratio := 1 + float64(i)/4
		l.Rows = append(l.Rows, items.Row{Name: fmt.Sprintf("q%02d", i+1), Cells: []items.Cell{
			{Time: stats.Interval{Value: 1.5, Low: 1.4, High: 1.6, Confidence: 0.95}, Ratio: 1},
			{Time: stats.Interval{Value: 1.5 * ratio, Low: 1.4 * ratio, High: 1.6 * ratio, Extremes: true}, Ratio: ratio, Busy: &items.Utilisation{Samples: 4, Storage: storage, CPU: &cpu, Bound: items.ByStorage}},
		}})
	}
	last := &l.Rows[n-1].Cells[1]
	last.Failed, last.Errors = 1, map[string]int64{"timeout": 1}
	a.Lists = []items.List{l, {Rung: 2, Columns: l.Columns, Rows: l.Rows[:1]}}
	return a
}

func written(t *testing.T, write func(*strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextReportsHaveItems(t *testing.T) {
	terminal := written(t, func(b *strings.Builder) error { return Terminal(b, listedFixture(30), 100, false) })
	markdown := written(t, func(b *strings.Builder) error { return Markdown(b, listedFixture(30)) })
	for _, c := range []struct{ in, want string }{
		{terminal, "the 5 of 30 that differ most"}, {terminal, "geometric mean of 29"}, {terminal, "4 times as fast"},
		{terminal, "8.25×, 1 failed (timeout), storage-bound"}, {terminal, "1 failed"}, {terminal, "cost per "}, {terminal, "read by the engine"}, {markdown, "2.5 GB"}, {terminal, "a sentence on hdd"},
		{markdown, "<details>"}, {markdown, "| 1.5 s (1.4–1.6 s) | "}, {markdown, "(range "}, {markdown, "12.00 USD"}, {markdown, "what costs rest on"},
	} {
		if !strings.Contains(c.in, c.want) {
			t.Errorf("%q is missing", c.want)
		}
	}
	if strings.Contains(terminal, "q01") {
		t.Error("the terminal shows an item that does not differ")
	}
	if short := written(t, func(b *strings.Builder) error { return Markdown(b, listedFixture(3)) }); strings.Contains(short, "<details>") {
		t.Error("three items are folded")
	}
}

func TestBrowserShowsItems(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	writeReport(t, path, listedFixture(30), nil)
	ctx := startBrowser(t)
	for _, v := range []view{{"items", 1280, 900, true}, {"items-phone", 390, 844, false}} {
		tab, cancel := chromedp.NewContext(ctx)
		defer cancel()
		open(t, tab, path, v)
		text := evaluate[string](t, tab, `document.getElementById("items").textContent`)
		for _, want := range []string{"The 12 of 30", "8.25×", "fastest", "1 failed (timeout)", "storage-bound", "4 times as fast", "read by the engine", "2.5 GB", "cost per order", "All 30"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the section does not say %q: %s", v.Name, want, text)
			}
		}
		if n := evaluate[int](t, tab, `document.querySelectorAll("#items .heat tbody tr").length`); n != 12 {
			t.Errorf("%s: %d rows", v.Name, n)
		}
		if wide := evaluate[bool](t, tab, `document.documentElement.scrollWidth > innerWidth`); wide {
			t.Errorf("%s: the page is wider than the window", v.Name)
		}
		browsertest.Accessible(t, tab)
		click(t, tab, `#items details.numbers summary`)
		eventually(t, tab, `document.querySelectorAll("#items .heat tbody tr").length === 42`)
		click(t, tab, `#items .choice button:nth-child(2)`)
		eventually(t, tab, `document.querySelectorAll("#items .heat tbody tr").length === 1`)
	}
}
