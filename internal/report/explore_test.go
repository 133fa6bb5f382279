package report

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
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
	path := filepath.Join(t.TempDir(), "live.html")
	live := liveFixture()
	writeReport(t, path, live, liveSeries(live))
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
			for _, id := range []string{"trust", "series", "trial-hdd-32-2", "trial-ssd-48-3", "data", "fairness-ssd", "price-performance"} {
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
