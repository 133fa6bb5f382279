package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"plimsoll/internal/describe"
	"plimsoll/internal/report/browsertest"
	"plimsoll/internal/report/tables"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/nightly"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// startBrowser gives a tab for one test in the headless Chromium of all.
var startBrowser = browsertest.Shared

// view is how a report is looked at.
type view browsertest.View

// open loads a report in a view and waits until it is drawn.
func open(t *testing.T, ctx context.Context, path string, v view) {
	t.Helper()
	browsertest.Open(t, ctx, "file://"+path, browsertest.View(v))
	eventually(t, ctx, `document.documentElement.dataset.ready === "yes" && (!document.querySelector("#series") || document.querySelectorAll(".panel canvas").length > 0)`)
}

// writeLive writes the report of the live fixture with its time series.
func writeLive(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "live.html")
	live := liveFixture()
	writeReport(t, path, live, liveSeries(live))
	return path
}

// evaluate runs an expression in the page.
func evaluate[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	return browsertest.Evaluate[T](t, ctx, expression)
}

var (
	eventually = browsertest.Eventually
	click      = browsertest.Click
)

// snapshot keeps a picture of the whole page when samples are asked for.
func snapshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	browsertest.Snapshot(t, ctx, *samples, name)
}

// broken counts figures without a drawing.
const broken = `[...document.querySelectorAll("figure")].filter(f => !f.querySelector(".drawing > svg, .drawing > p")).length`

// unnamed counts drawings, tables and sections that say nothing to a screen
// reader.
const unnamed = `[...document.querySelectorAll('svg[role="img"]')].filter(s => !s.getAttribute("aria-label")).length +
	[...document.querySelectorAll("table")].filter(t => !t.caption).length +
	[...document.querySelectorAll("section")].filter(s => !document.getElementById(s.getAttribute("aria-labelledby"))).length +
	[...document.querySelectorAll("button, select")].filter(b => !(b.textContent.trim() || b.getAttribute("aria-label"))).length`

// outside lists figures whose text runs out of the window.
const outside = `[...document.querySelectorAll("figure svg text")].filter(x => {
	const r = x.getBoundingClientRect();
	return r.width > 0 && (r.left < -1 || r.right > document.documentElement.clientWidth + 1);
}).map(x => x.closest("figure").id + ": " + x.textContent)`

func TestBrowser(t *testing.T) {
	ctx := startBrowser(t)
	folder := t.TempDir()
	live := liveFixture()
	run, series := synthetic(t, resulttest.Shop())
	reports := map[string]string{}
	for _, name := range []string{"live", "reference", "synthetic"} {
		reports[name] = filepath.Join(folder, name+".html")
	}
	writeReport(t, reports["live"], live, liveSeries(live))
	writeReport(t, reports["reference"], analysed(t, "cns-ds2"), nil)
	writeReport(t, reports["synthetic"], run, series)
	for name, path := range reports {
		for _, v := range viewsOf(1280) {
			t.Run(name+"-"+v.Name, func(t *testing.T) {
				tab, cancel := chromedp.NewContext(ctx)
				defer cancel()
				open(t, tab, path, v)
				checkPage(t, tab, v)
				snapshot(t, tab, name+"-"+v.Name)
			})
		}
	}
}

// ofAShop finds words that belong to one workload alone.
var ofAShop = regexp.MustCompile(`(?i)\bOPM\b|\borders\b|\b(?:an|per|each|every|of an?|acknowledged) order\b|\border (?:mean|p\d)|dvd ?store`)

// spoken is everything that the page says, to the eye and to a screen reader.
const spoken = `(() => {
	document.querySelectorAll("details").forEach(d => d.open = true);
	return [document.body.innerText, ...[...document.querySelectorAll("[aria-label], [aria-description], [title]")].flatMap(e =>
		["aria-label", "aria-description", "title"].map(a => e.getAttribute(a) ?? "")),
		...[...document.querySelectorAll("title, desc, option, text")].map(e => e.textContent)].join("\n");
})()`

// The page takes every word for the work from the profile of the workload.
func TestThePageSpeaksOfTheWorkloadsUnit(t *testing.T) {
	ctx := startBrowser(t)
	for _, profile := range []describe.Profile{resulttest.Transactions(), resulttest.Blocks()} {
		path := filepath.Join(t.TempDir(), "report.html")
		run, series := synthetic(t, profile)
		writeReport(t, path, run, series)
		for _, v := range []view{{"desk", 1280, 900, false}, {"desk-dark", 1280, 900, true}, {"phone", 390, 844, false}, {"phone-dark", 390, 844, true}} {
			t.Run(profile.Unit.Name+"-"+v.Name, func(t *testing.T) {
				if v.Dark {
					nightly.Only(t, "TestBrowser, where another word stands")
				}
				tab, cancel := chromedp.NewContext(ctx)
				defer cancel()
				open(t, tab, path, v)
				checkPage(t, tab, v)
				snapshot(t, tab, profile.Unit.Name+"-"+v.Name)
				text := evaluate[string](t, tab, spoken)
				for _, found := range ofAShop.FindAllStringIndex(text, -1) {
					t.Errorf("the page says …%s…", text[max(0, found[0]-60):min(len(text), found[1]+60)])
				}
				for _, want := range []string{"Throughput, " + profile.Unit.Throughput, profile.Unit.Plural} {
					if !strings.Contains(text, want) {
						t.Errorf("the page does not say %q", want)
					}
				}
			})
		}
	}
}

func checkPage(t *testing.T, ctx context.Context, v view) {
	t.Helper()
	if n := evaluate[int](t, ctx, `document.querySelectorAll("figure svg").length`); n < 4 {
		t.Errorf("%d drawings", n)
	}
	if n := evaluate[int](t, ctx, broken); n > 0 {
		t.Errorf("%d figures are empty", n)
	}
	if n := evaluate[int](t, ctx, unnamed); n > 0 {
		t.Errorf("%d elements have no name", n)
	}
	if width := evaluate[int64](t, ctx, `document.documentElement.scrollWidth`); width > v.Width {
		t.Errorf("the page is %d wide in a window of %d", width, v.Width)
	}
	if texts := evaluate[[]string](t, ctx, outside); len(texts) > 0 {
		t.Errorf("texts run out of the window: %q", texts)
	}
	if dark := brightness(t, ctx) < 0.5; dark != v.Dark {
		t.Errorf("dark is %v", dark)
	}
}

// brightness is the brightness of the page's background, 0..1.
func brightness(t *testing.T, ctx context.Context) float64 {
	t.Helper()
	color := evaluate[string](t, ctx, `getComputedStyle(document.body).backgroundColor`)
	var r, g, b float64
	if _, err := fmt.Sscanf(color, "rgb(%f, %f, %f)", &r, &g, &b); err != nil {
		t.Fatalf("background %q: %v", color, err)
	}
	return (r + g + b) / 3 / 255
}

// Controls do what they say.
func TestBrowserControls(t *testing.T) {
	ctx := startBrowser(t)
	path := writeLive(t)
	open(t, ctx, path, view{"desk", 1280, 900, false})

	t.Run("theme", func(t *testing.T) {
		click(t, ctx, ".theme")
		if brightness(t, ctx) > 0.5 {
			t.Error("still light")
		}
		click(t, ctx, ".theme")
		if brightness(t, ctx) < 0.5 {
			t.Error("still dark")
		}
	})
	t.Run("trial", func(t *testing.T) {
		click(t, ctx, `#trial-hdd-48-3 .draw`)
		if text := evaluate[string](t, ctx, `document.querySelector("#series .about").textContent`); !strings.Contains(text, "no space left on device") {
			t.Errorf("the failed trial is described as %q", text)
		}
		eventually(t, ctx, `document.querySelectorAll(".panel canvas").length > 3`)
	})
	t.Run("cursor", func(t *testing.T) {
		before := evaluate[string](t, ctx, legends)
		evaluate[bool](t, ctx, `(() => {
			const over = document.querySelector(".panel .u-over"), r = over.getBoundingClientRect();
			for (const type of ["mouseenter", "mousemove"]) over.dispatchEvent(new MouseEvent(type, {clientX: r.left + r.width / 2, clientY: r.top + 20, bubbles: true}));
			return true;
		})()`)
		eventually(t, ctx, legends+` !== `+quoted(t, before))
		moved := evaluate[int](t, ctx, `[...document.querySelectorAll(".panel .u-cursor-x")].filter(c => getComputedStyle(c).transform !== "none").length`)
		if moved < 4 {
			t.Errorf("the cursor moved in %d panels", moved)
		}
	})
	t.Run("scale", func(t *testing.T) {
		before := evaluate[string](t, ctx, `document.querySelector("#throughput .drawing").innerHTML`)
		click(t, ctx, `#throughput .choice button:first-child`)
		if before == evaluate[string](t, ctx, `document.querySelector("#throughput .drawing").innerHTML`) {
			t.Error("the scale did not change")
		}
	})
	t.Run("anchors", func(t *testing.T) {
		if dead := evaluate[[]string](t, ctx, `[...document.querySelectorAll('a[href^="#"]')].filter(a => !document.getElementById(a.hash.slice(1))).map(a => a.hash)`); len(dead) > 0 {
			t.Errorf("links lead nowhere: %q", dead)
		}
	})
	t.Run("sort", func(t *testing.T) {
		click(t, ctx, `#trials th:nth-child(7) .sort`)
		values := evaluate[[]string](t, ctx, `[...document.querySelectorAll("#trials tbody tr td:nth-child(7)")].map(x => x.textContent)`)
		last := 0.0
		for _, text := range values {
			var v float64
			if _, err := fmt.Sscan(strings.ReplaceAll(text, ",", ""), &v); err != nil || v < last {
				t.Fatalf("not sorted: %q", values)
			}
			last = v
		}
	})
	t.Run("downloads", func(t *testing.T) {
		checkDownloads(t, ctx, func() { open(t, ctx, path, view{"desk", 1280, 900, false}) })
	})
}

// legends are the values that the panels show.
const legends = `[...document.querySelectorAll(".panel .legend b")].map(b => b.textContent).join()`

func quoted(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// mostDownloads is less than how many files a browser lets a page save before it asks its user,
// who is not there.
const mostDownloads = 6

// checkDownloads saves every file that the report offers.
func checkDownloads(t *testing.T, ctx context.Context, again func()) {
	t.Helper()
	folder := t.TempDir()
	behaviour := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder, BrowserContextID: chromedp.FromContext(ctx).BrowserContextID}
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, behaviour); err != nil {
		t.Fatal(err)
	}
	names := evaluate[[]string](t, ctx, `[...document.querySelectorAll(".downloads button")].map(b => b.textContent)`)
	if want := len(tables.CSVNames()) + 2; len(names) != want { // and the JSON, and the series
		t.Errorf("downloads: %q, want %d", names, want)
	}
	for i, name := range names {
		if i > 0 && i%mostDownloads == 0 {
			again()
		}
		browsertest.Press(t, ctx, fmt.Sprintf(".downloads li:nth-child(%d) button", i+1))
		data := waitForFile(t, filepath.Join(folder, name))
		if strings.HasSuffix(name, ".json") {
			var d Document
			if err := json.Unmarshal(data, &d); err != nil || d.Analysis.Study.Name != "quickstart" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// waitForFile reads a file once the browser has written it.
func waitForFile(t *testing.T, path string) []byte {
	t.Helper()
	for end := time.Now().Add(browsertest.Limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if data, err := os.ReadFile(path); err == nil && len(data) > 0 {
			return data
		}
	}
	t.Fatalf("%s was not written within %v", path, browsertest.Limit)
	return nil
}

// Poor data makes a poor report, but a report.
func TestBrowserPoorInput(t *testing.T) {
	ctx := startBrowser(t)
	for name, a := range poorFixtures() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "poor.html")
			writeReport(t, path, a, nil)
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			open(t, tab, path, view{"desk", 1280, 900, false})
			if text := evaluate[string](t, tab, `document.body.innerText`); strings.Contains(text, "NaN") || strings.Contains(text, "undefined") || strings.Contains(text, "Infinity") {
				t.Error("the page shows a number that is none")
			}
			snapshot(t, tab, "poor-"+strings.ReplaceAll(name, " ", "-"))
		})
	}
}

// Nothing in a study or a result may act as markup or script.
func TestBrowserHostileInput(t *testing.T) {
	ctx := startBrowser(t)
	word := strings.Repeat("/a-path-without-blanks", 30)
	hostile := word + `</script><script>document.title="taken"</script><img src=x onerror="document.title='taken'">`
	a := liveFixture()
	a.Study.Title, a.Study.Name, a.Study.Question = hostile, hostile, hostile
	a.Verdict[0].Text = hostile
	a.Variants[0].Label, a.Variants[0].Description = hostile, hostile
	a.Trials[0].Cause, a.Trials[0].Audit = hostile, hostile
	a.Warnings[0].Text = hostile
	a.Findings[0].Fragment = hostile
	a.Study.Dataset, a.Answers[0].Text, a.Method[0] = hostile, hostile, hostile
	a.Machine.CPUModel, a.Machine.FileSystems[0].Mount = hostile, hostile
	a.Prices.Text[0], a.Prices.Note = hostile, hostile
	path := filepath.Join(t.TempDir(), "hostile.html")
	writeReport(t, path, a, liveSeries(a))
	open(t, ctx, path, view{"phone", 390, 844, false})
	if width := evaluate[int64](t, ctx, `document.documentElement.scrollWidth`); width > 390 {
		t.Errorf("the page is %d wide in a window of 390", width)
	}
	if title := evaluate[string](t, ctx, `document.title`); strings.HasPrefix(title, "taken") {
		t.Error("the study ran a script")
	}
	if n := evaluate[int](t, ctx, `document.querySelectorAll("img").length`); n > 0 {
		t.Error("the study made an element")
	}
}

// A page that prints is light and no wider than the paper.
func TestBrowserPrint(t *testing.T) {
	ctx := startBrowser(t)
	path := writeLive(t)
	open(t, ctx, path, view{"desk", 1280, 900, true})
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	if len(pdf) < 10_000 {
		t.Errorf("%d bytes of PDF", len(pdf))
	}
	if *samples != "" {
		if err := os.WriteFile(filepath.Join(*samples, "live.pdf"), pdf, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if math.Abs(brightness(t, ctx)-0.09) > 0.2 {
		t.Error("the page is not dark any more after printing")
	}
}

// The tests above rest on browsertest.Watch seeing what goes wrong.
func TestBrowserWatchSees(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "reference.html")
	writeReport(t, path, referenceFixture(), nil)
	w := browsertest.NewWatch("file://" + path)
	if err := chromedp.Listen(ctx, w.Event); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+path)); err != nil {
		t.Fatal(err)
	}
	evaluate[bool](t, ctx, `(() => {
		console.error("seen");
		document.body.append(Object.assign(document.createElement("img"), {src: "http://127.0.0.1:9/x.png"}));
		document.body.append(Object.assign(document.createElement("script"), {textContent: "document.title = 'taken'"}));
		return true;
	})()`)
	for end := time.Now().Add(browsertest.Limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		all := strings.Join(w.Problems(), "\n")
		if strings.Contains(all, "console: error") && strings.Count(all, "Content Security Policy") >= 2 {
			return
		}
	}
	t.Errorf("seen only: %q", w.Problems())
}

func writeComparison(t *testing.T, path string) {
	t.Helper()
	var out bytes.Buffer
	if err := ComparisonHTML(&out, comparisonFixture()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBrowserComparison(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "comparison.html")
	writeComparison(t, path)
	for _, v := range []view{{"desk", 1280, 900, false}, {"phone", 390, 844, true}} {
		t.Run(v.Name, func(t *testing.T) {
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			open(t, tab, path, v)
			if width := evaluate[int64](t, tab, `document.documentElement.scrollWidth`); width > v.Width {
				t.Errorf("the page is %d wide in a window of %d", width, v.Width)
			}
			click(t, tab, "#change .choice button:nth-child(2)")
			if label := evaluate[string](t, tab, `document.querySelector("#change .drawing > svg").getAttribute("aria-description") ?? ""`); !strings.Contains(label, "better") {
				t.Errorf("the figure says %q", label)
			}
			snapshot(t, tab, "comparison-"+v.Name)
		})
	}
}

// Published results are shown next to ours, in figures and with their citation.
func TestBrowserShowsPublishedResults(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "report.html")
	live := liveFixture()
	writeReport(t, path, live, nil)
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	open(t, tab, path, view{"desk", 1280, 900, false})
	text := evaluate[string](t, tab, `document.getElementById("beside").textContent`)
	for _, want := range []string{"Shops on disks", "published hdd", "does 7.35 times", "The storage class hardly mattered."} {
		if !strings.Contains(text, want) {
			t.Errorf("the section does not say %q", want)
		}
	}
	if n := evaluate[int](t, tab, `document.querySelectorAll("#beside figure svg").length`); n < 2 {
		t.Errorf("%d figures", n)
	}
}
