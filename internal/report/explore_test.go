package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"plimsoll/internal/result/resulttest"
	"plimsoll/test/nightly"
)

// destinations are the ids that links can lead to: sections, figures, rows of
// trials.
const destinations = `[...document.querySelectorAll("section[id], figure[id], tr[id]")].map(e => e.id)`

// offTarget says by how many px an element misses the top of the window,
// where the page could have been scrolled further; rows of a long table stand
// below its head.
const offTarget = `(id => {
	const e = document.getElementById(id), top = e.getBoundingClientRect().top;
	const left = document.scrollingElement.scrollHeight - innerHeight - document.scrollingElement.scrollTop;
	const box = e.closest(".tall"), inBox = box ? top - box.getBoundingClientRect().top : 0;
	return top > 0 && left < 2 && top < innerHeight && inBox >= 0 ? 0 : Math.abs(top);
})`

// Every link lands where it points, though figures and time series are drawn
// after the page is opened.
func TestBrowserLinksLand(t *testing.T) {
	ctx := startBrowser(t)
	path := writeLive(t)
	for _, v := range []view{{"desk", 1280, 900, false}, {"phone", 390, 844, true}} {
		t.Run(v.Name, func(t *testing.T) {
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			open(t, tab, path, v)
			ids := evaluate[[]string](t, tab, destinations)
			if len(ids) < 60 {
				t.Fatalf("only %d places: %q", len(ids), ids)
			}
			for _, id := range ids {
				follow(t, tab, id)
			}
			places := []string{"series", "trial-hdd-32-2", "fairness-ssd", "trust", "trial-ssd-48-3", "data", "price-performance"}
			for _, id := range places[:nightly.Times(3, len(places))] { // one that is drawn late, one in a table, one in a figure
				fresh, cancel := chromedp.NewContext(ctx)
				open(t, fresh, path+"#"+id, v)
				eventually(t, fresh, fmt.Sprintf(`%s(%q) <= 40`, offTarget, id))
				cancel()
			}
		})
	}
}

// follow clicks a link to an element and checks where the page is then.
func follow(t *testing.T, ctx context.Context, id string) {
	t.Helper()
	evaluate[bool](t, ctx, fmt.Sprintf(`(() => {
		const link = Object.assign(document.createElement("a"), {href: "#" + encodeURIComponent(%q)});
		document.body.append(link);
		link.click();
		link.remove();
		return true;
	})()`, id))
	if off := evaluate[float64](t, ctx, fmt.Sprintf(`%s(%q)`, offTarget, id)); off > 40 {
		t.Errorf("#%s: off by %.0f px", id, off)
	}
}

// pointAt moves the pointer to a point of a chart, the nth of its filled and hollow
// symbols, or clicks on it.
const pointAt = `((figure, n, type, shift) => {
	const dots = [...document.querySelectorAll("#" + figure + ' [aria-label="dot"] path')];
	const r = dots[n].getBoundingClientRect(), svg = document.querySelector("#" + figure + " .drawing > svg");
	const at = {clientX: r.left + r.width / 2, clientY: r.top + r.height / 2, bubbles: true, shiftKey: !!shift};
	svg.dispatchEvent(type === "click" ? new MouseEvent(type, at) : new PointerEvent(type, {...at, pointerType: "mouse"}));
	return true;
})`

// cursors are the rungs that the cursors of all charts stand at.
const cursors = `[...document.querySelectorAll(".cursor-count")].map(t => t.textContent)`

// hash waits until the address names what the reader has chosen.
func hash(t *testing.T, ctx context.Context, part string) string {
	t.Helper()
	eventually(t, ctx, fmt.Sprintf(`location.hash.includes(%q)`, part))
	return evaluate[string](t, ctx, `location.hash`)
}

// One rung cursor runs through all charts whose axis is the ladder.
func TestBrowserRungCursor(t *testing.T) {
	ctx := startBrowser(t)
	path := writeLive(t)
	open(t, ctx, path, view{"desk", 1280, 900, false})

	t.Run("hover", func(t *testing.T) {
		evaluate[bool](t, ctx, pointAt+`("throughput", 3, "pointermove")`)
		all := evaluate[[]string](t, ctx, cursors)
		if len(all) < 8 || strings.Join(slices.Compact(slices.Clone(all)), "") != all[0] {
			t.Errorf("the cursors stand at %q", all)
		}
		if n := evaluate[int](t, ctx, `document.querySelectorAll("#response .cursor-value").length`); n != 2 {
			t.Errorf("%d values of 2 variants", n)
		}
		snapshot(t, ctx, "cursor")
		evaluate[bool](t, ctx, `document.querySelector("#throughput .drawing > svg").dispatchEvent(new PointerEvent("pointerleave"))`)
		if all := evaluate[[]string](t, ctx, cursors); len(all) > 0 {
			t.Errorf("without a pointer the cursors stand at %q", all)
		}
	})
	t.Run("keys", func(t *testing.T) {
		press := func(key string) {
			evaluate[bool](t, ctx, fmt.Sprintf(`document.querySelector("#response .drawing > svg").dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true, cancelable: true}))`, key))
		}
		press("End")
		press("ArrowLeft")
		hash(t, ctx, "#response?rung=32")
		text := evaluate[string](t, ctx, `document.querySelector(".readout").innerText`)
		for _, want := range []string{"32 instances", "hdd", "ssd", "OPM", "p95"} {
			if !strings.Contains(text, want) {
				t.Errorf("the readout %q does not say %q", text, want)
			}
		}
		press("Escape")
		if !evaluate[bool](t, ctx, `document.querySelector(".readout").hidden`) {
			t.Error("the readout stays")
		}
	})
	t.Run("a point opens its trial", func(t *testing.T) {
		evaluate[bool](t, ctx, pointAt+`("throughput", 2, "click")`)
		if at := hash(t, ctx, "trial="); !strings.HasPrefix(at, "#series?trial=") {
			t.Errorf("the address is %s", at)
		}
		if off := evaluate[float64](t, ctx, offTarget+`("series")`); off > 40 {
			t.Errorf("the time series are %.0f px off", off)
		}
		evaluate[bool](t, ctx, pointAt+`("throughput", 5, "click", true)`)
		titles := evaluate[[]string](t, ctx, `[...document.querySelectorAll("#series .grid .panel h4")].map(e => e.textContent)`)
		if len(titles) < 8 || titles[0] != titles[1] || titles[2] != titles[3] {
			t.Errorf("two trials stand side by side as %q", titles)
		}
		snapshot(t, ctx, "two-trials")
	})
}

// chosen is everything of the page that a link shares.
const chosen = `JSON.stringify({
	focus: [...document.querySelectorAll("button.who")].map(b => b.getAttribute("aria-pressed")),
	rung: [...new Set([...document.querySelectorAll(".cursor-count")].map(t => t.textContent))],
	trials: [...document.querySelectorAll("#series .controls select")].map(s => s.value),
	hidden: [...document.querySelectorAll("#series .line")].filter(b => b.getAttribute("aria-pressed") === "false").map(b => b.textContent),
	controls: [...document.querySelectorAll("#response .controls select, #percentiles .controls select")].map(s => s.value),
	pressed: [...document.querySelectorAll(".choice button[aria-pressed=true]")].map(b => b.value),
	dark: getComputedStyle(document.body).backgroundColor,
})`

// A link shows its receiver what its sender sees.
func TestBrowserSharesItsState(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "report.html")
	run, series := synthetic(t, resulttest.Shop())
	writeReport(t, path, run, series)
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	v := view{"desk", 1280, 900, false}
	open(t, tab, path, v)
	evaluate[bool](t, tab, `(() => {
		const change = (list, i) => { list.selectedIndex = i; list.dispatchEvent(new Event("change")); };
		document.querySelectorAll("button.who")[1].click();
		document.querySelector(".theme").click();
		const [first, beside] = document.querySelectorAll("#series .controls select");
		change(first, 1);
		change(beside, 4);
		document.querySelector("#series .line").click();
		change(document.querySelector("#response .controls select"), 4);
		for (const figure of ["response", "throughput"]) document.querySelector("#" + figure + " .choice [aria-pressed=false]").click();
		change(document.querySelector("#percentiles .controls select"), 1);
		document.querySelector("#bottleneck .choice [value=demand]").click();
		document.querySelector("#response .drawing > svg").dispatchEvent(new KeyboardEvent("keydown", {key: "Home", bubbles: true}));
		return true;
	})()`)
	address := hash(t, tab, "theme=dark")
	want := evaluate[string](t, tab, chosen)
	for _, part := range []string{"variant=", "rung=1&", "trial=", "hide=", "show=response-statistic:p9", "show=response-scale:", "show=throughput-scale:", "show=percentiles-operation:", "show=heat:demand"} {
		if !strings.Contains(address, part) {
			t.Errorf("%s is not in %s", part, address)
		}
	}
	other, cancel := chromedp.NewContext(ctx)
	defer cancel()
	open(t, other, path+address, v)
	if got := evaluate[string](t, other, chosen); got != want {
		t.Errorf("the link shows\n%s, not\n%s", got, want)
	}
	snapshot(t, other, "shared")
	evaluate[bool](t, other, `(() => { location.hash = "#trust"; return true; })()`)
	hash(t, other, "#trust?")
	if got := evaluate[string](t, other, chosen); got != want {
		t.Errorf("after a jump the page shows\n%s, not\n%s", got, want)
	}
}

// Every figure can be taken away, also from a page that is a file.
func TestBrowserSavesFigures(t *testing.T) {
	ctx := startBrowser(t)
	path := writeLive(t)
	open(t, ctx, path, view{"desk", 1280, 900, true})
	ids := evaluate[[]string](t, ctx, `[...document.querySelectorAll("figure")].map(f => f.id)`)
	if len(ids) < 10 {
		t.Fatalf("figures: %q", ids)
	}
	for _, id := range ids {
		checkSVG(t, id, []byte(content(t, ctx, id, 1)))
		table, err := csv.NewReader(strings.NewReader(content(t, ctx, id, 3))).ReadAll()
		if err != nil || len(table) < 2 {
			t.Errorf("%s: %d rows, %v", id, len(table), err)
		}
	}
	folder := t.TempDir()
	behaviour := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder, BrowserContextID: chromedp.FromContext(ctx).BrowserContextID}
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, behaviour); err != nil {
		t.Fatal(err)
	}
	saved := func(menu, file string, format int) []byte {
		t.Helper()
		click(t, ctx, fmt.Sprintf(`%s .save button:nth-child(%d)`, menu, format))
		return waitForFile(t, filepath.Join(folder, file))
	}
	checkSVG(t, "throughput", saved("#throughput", "quickstart-throughput.svg", 1))
	width := evaluate[int](t, ctx, `document.querySelector("#throughput .drawing > svg").width.baseVal.value`)
	picture, err := png.DecodeConfig(bytes.NewReader(saved("#throughput", "quickstart-throughput.png", 2)))
	if err != nil || picture.Width < 2*width {
		t.Errorf("the picture is %d wide, twice the figure %d: %v", picture.Width, 2*width, err)
	}
	numbers := string(saved("#throughput", "quickstart-throughput.csv", 3))
	for _, want := range []string{"series,kind,instances,value,low,high,unit,objectives kept,this run over it less 1,", "hdd,measured,16,", ",OPM,no,,,,\n", "ssd,model,"} {
		if !strings.Contains(numbers, want) {
			t.Errorf("the numbers have no %q:\n%s", want, numbers)
		}
	}
	trial := evaluate[string](t, ctx, `document.querySelector("#series select").value`)
	panel := "quickstart-" + strings.ReplaceAll(trial, "/", "-") + "-Orders-a-second"
	checkSVG(t, "panel", saved("#series .panel", panel+".svg", 1))
	if rows := strings.Count(string(saved("#series .panel", panel+".csv", 3)), "\n"); rows < 50 {
		t.Errorf("%d rows of a time series", rows)
	}
	if *samples != "" {
		for _, name := range []string{"quickstart-throughput.svg", "quickstart-throughput.png", panel + ".svg"} {
			data, _ := os.ReadFile(filepath.Join(folder, name))
			if err := os.WriteFile(filepath.Join(*samples, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// content is what a format of a figure's menu would save. (The browser itself
// refuses to save more than ten files in a row.)
func content(t *testing.T, ctx context.Context, id string, format int) string {
	t.Helper()
	evaluate[bool](t, ctx, `(() => {
		window.savedText = undefined;
		window.made ??= URL.createObjectURL;
		URL.createObjectURL = blob => { blob.text().then(text => window.savedText = text); return "blob:none"; };
		window.clicked ??= HTMLAnchorElement.prototype.click;
		HTMLAnchorElement.prototype.click = () => {};
		return true;
	})()`)
	click(t, ctx, fmt.Sprintf(`[id=%q] .save button:nth-child(%d)`, id, format))
	eventually(t, ctx, `window.savedText !== undefined`)
	evaluate[bool](t, ctx, `(() => { URL.createObjectURL = window.made; HTMLAnchorElement.prototype.click = window.clicked; return true; })()`)
	return evaluate[string](t, ctx, `window.savedText`)
}

// checkSVG checks that a figure stands for itself: XML with a title, without
// anything that only the page knows.
func checkSVG(t *testing.T, id string, data []byte) {
	t.Helper()
	var figure struct {
		Title string `xml:"title"`
		Width int    `xml:"width,attr"`
	}
	if err := xml.Unmarshal(data, &figure); err != nil || figure.Title == "" || figure.Width < 100 {
		t.Errorf("%s: title %q, width %d, %v", id, figure.Title, figure.Width, err)
	}
	for _, foreign := range []string{"var(", "class=", "url(", "currentColor", "light-dark", "inherit"} {
		if bytes.Contains(data, []byte(foreign)) {
			t.Errorf("%s contains %q", id, foreign)
		}
	}
}
