package report

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"plimsoll/internal/report/browsertest"
)

// axe-core finds nothing serious on the page, whatever it shows.
func TestBrowserAccessibility(t *testing.T) {
	ctx := startBrowser(t)
	folder := t.TempDir()
	live := liveFixture()
	writeReport(t, filepath.Join(folder, "live.html"), live, liveSeries(live))
	writeReport(t, filepath.Join(folder, "matrix.html"), matrixFixture(t), nil)
	writeReport(t, filepath.Join(folder, "reference.html"), analysed(t, "gluster-video"), nil)
	writeComparison(t, filepath.Join(folder, "comparison.html"))
	for _, name := range []string{"live", "matrix", "reference", "comparison"} {
		for _, v := range viewsOf(1280) {
			t.Run(name+"-"+v.Name, func(t *testing.T) {
				tab, cancel := chromedp.NewContext(ctx)
				defer cancel()
				open(t, tab, filepath.Join(folder, name+".html"), v)
				evaluate[bool](t, tab, `document.querySelectorAll("details").forEach(d => d.open = true) ?? true`)
				browsertest.Accessible(t, tab)
			})
		}
	}
}

// pale lists the texts of figures that stand out less than 4.5:1 from the page.
const pale = `(() => {
	const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d", {willReadFrequently: true});
	const rgb = color => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
	const luminance = color => rgb(color).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const page = luminance(getComputedStyle(document.body).backgroundColor);
	return [...document.querySelectorAll("figure svg text")].filter(x => x.textContent.trim() && !x.closest(".tip")).flatMap(x => {
		const [high, low] = [page, luminance(getComputedStyle(x).fill)].sort((a, b) => b - a);
		const ratio = (high + 0.05) / (low + 0.05);
		return ratio < 4.5 ? [ratio.toFixed(1) + ":1 " + x.textContent + " in " + x.closest("figure").id] : [];
	});
})()`

// hidden lists the labels inside a frame that lie on a point.
const hidden = `[...document.querySelectorAll("figure svg")].flatMap(svg => {
	const points = [...svg.querySelectorAll(".point")].map(p => p.getBoundingClientRect()).map(r => ({x: r.x + r.width / 2, y: r.y + r.height / 2}));
	return [...svg.querySelectorAll(".limit-label, text.note-label")].filter(t => {
		const r = t.getBoundingClientRect();
		return points.some(p => p.x > r.left - 4 && p.x < r.right + 4 && p.y > r.top - 2 && p.y < r.bottom + 2);
	}).map(t => svg.closest("figure").id + ": " + t.textContent);
})`

// crossed lists the guides that run through a text.
const crossed = `[...document.querySelectorAll("figure svg .guide line")].flatMap(g => {
	const line = g.getBoundingClientRect();
	return [...g.closest("svg").querySelectorAll("text")].filter(t => {
		const r = t.getBoundingClientRect();
		return r.left < line.right + 1 && line.left - 1 < r.right && r.top < line.bottom && line.top < r.bottom;
	}).map(t => t.textContent);
})`

// What a figure says can be read: its labels stand out, hide no point and are
// not crossed by guides.
func TestBrowserLabelsCanBeRead(t *testing.T) {
	ctx := startBrowser(t)
	folder := t.TempDir()
	live := liveFixture()
	writeReport(t, filepath.Join(folder, "live.html"), live, nil)
	writeReport(t, filepath.Join(folder, "matrix.html"), matrixFixture(t), nil)
	writeReport(t, filepath.Join(folder, "tiles.html"), analysed(t, "vsan-tiles"), nil)
	for _, name := range []string{"live", "matrix", "tiles"} {
		for _, v := range views {
			t.Run(name+"-"+v.Name, func(t *testing.T) {
				tab, cancel := chromedp.NewContext(ctx)
				defer cancel()
				open(t, tab, filepath.Join(folder, name+".html"), v)
				for what, expression := range map[string]string{"pale": pale, "on a point": hidden, "crossed by a guide": crossed} {
					if texts := evaluate[[]string](t, tab, expression); len(texts) > 0 {
						t.Errorf("%s: %q", what, texts)
					}
				}
			})
		}
	}
}

// Every value that the pointer shows, the keyboard shows.
func TestBrowserPointsAreReachedByKeyboard(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "live.html")
	writeReport(t, path, liveFixture(), nil)
	open(t, ctx, path, view{"desk", 1280, 900, false})
	if n := evaluate[int](t, ctx, `document.querySelectorAll('#response .point[tabindex="0"]').length`); n != 1 {
		t.Fatalf("%d points of the figure are reached by Tab, want 1", n)
	}
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	evaluate[bool](t, ctx, `(document.querySelector('#response .point[tabindex="0"]').focus(), true)`)
	tip := func() string {
		return evaluate[string](t, ctx, `[...document.querySelectorAll("#response .tip text")].map(x => x.textContent).join(" ")`)
	}
	first := tip()
	press(t, ctx, "ArrowRight")
	second := tip()
	if !strings.Contains(first, "1 instance") || !strings.Contains(second, "2 instances") {
		t.Errorf("the tips are %q and %q", first, second)
	}
	if name := evaluate[string](t, ctx, `document.activeElement.getAttribute("aria-label")`); !strings.Contains(name, "2 instances") {
		t.Errorf("the point says %q", name)
	}
	press(t, ctx, "Escape")
	if text := tip(); text != "" {
		t.Errorf("Escape leaves %q", text)
	}
}

// press presses a key.
func press(t *testing.T, ctx context.Context, key string) {
	t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		if _, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key, Code: key}); err != nil {
			t.Fatal(err)
		}
	}
}
