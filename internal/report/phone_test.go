package report

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/host/archive"
)

// wide lists what reaches beyond the window and does not scroll by itself.
const wide = `[...document.querySelectorAll("main *")].filter(e => {
	const r = e.getBoundingClientRect();
	return r.width > 0 && r.right > document.documentElement.clientWidth + 1 && !e.closest(".scroll, .tall, svg svg, .hidden, .unseen");
}).map(e => e.tagName + "." + (e.getAttribute("class") ?? "") + "#" + (e.closest("[id]")?.id ?? "") + ": " + e.textContent.slice(0, 60))`

// cutWords lists words of the card that are broken inside, though they would fit into a line.
const cutWords = `[...document.querySelectorAll("#card th, #card td, #card .answer, #card .who")].flatMap(e => {
	const found = [], walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), range = document.createRange();
	for (let n = walk.nextNode(); n; n = walk.nextNode()) {
		for (const m of n.data.matchAll(/\p{L}+/gu)) {
			range.setStart(n, m.index);
			range.setEnd(n, m.index + m[0].length);
			if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) found.push(m[0]);
		}
	}
	return found;
})`

// Recorded runs with long names and many figures fit a phone: nothing but a table that scrolls
// by itself reaches beyond it, and no word of the card is broken.
func TestBrowserReportsFitAPhone(t *testing.T) {
	ctx := startBrowser(t)
	for _, study := range []string{"gluster-small", "receive-offload", "gluster-video"} {
		t.Run(study, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), study)
			packed, err := os.Open("../cli/testdata/questions/" + study + ".tar.gz")
			if err != nil {
				t.Fatal(err)
			}
			defer packed.Close()
			if err := archive.Read(packed, dir); err != nil {
				t.Fatal(err)
			}
			a, _ := analysedRun(t, dir)
			v := view{"phone", 390, 844, false}
			tab := opened(t, ctx, a, v)
			checkPage(t, tab, v)
			if found := evaluate[[]string](t, tab, wide); len(found) > 0 {
				t.Errorf("wider than the window: %q", found)
			}
			if found := evaluate[[]string](t, tab, cutWords); len(found) > 0 {
				t.Errorf("broken words: %q", found)
			}
			snapshot(t, tab, "phone-"+study)
		})
	}
}
