package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/nightly"
)

// Sheets that a card must fit on, in inches.
var sheets = map[string][2]float64{"A4": {8.27, 11.69}, "Letter": {8.5, 11}}

// weakFixture is the live run with figures of one variant that are not to be relied on.
func weakFixture() *analysis.Analysis {
	a := liveFixture()
	a.Grade, a.GradeReason = "E", "the driver was late by 3 s (hdd/16/1)"
	for i := range a.Variants {
		if v := &a.Variants[i]; v.Name == "hdd" {
			v.Rungs[3].Grade = "E"
		}
	}
	return a
}

// crowdedFixture has so many variants that not all have a row.
func crowdedFixture() *analysis.Analysis {
	a := liveFixture()
	for i := range 14 {
		v := a.Variants[i%2]
		v.Name = fmt.Sprintf("%s-with-a-long-name-%d", v.Name, i)
		v.Label = v.Name
		a.Variants = append(a.Variants, v)
		a.Verdict = append(a.Verdict, analysis.Sentence{Variant: v.Name, Text: "`" + v.Name + "` carries 9 to 44 instances."})
	}
	return a
}

// opened writes a report and opens it in a tab of its own.
func opened(t *testing.T, ctx context.Context, a *analysis.Analysis, v view) context.Context {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	writeReport(t, path, a, nil)
	tab, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	open(t, tab, path, v)
	return tab
}

// The card answers in a sentence, has a bracket for each variant with headroom and
// price, and the grade with its reason.
func TestBrowserCard(t *testing.T) {
	ctx := startBrowser(t)
	tab := opened(t, ctx, liveFixture(), view{"desk", 1280, 900, false})
	snapshot(t, tab, "card")
	if text := evaluate[string](t, tab, `document.querySelector("#card .answer").textContent`); text != "Within p95 ≤ 200 ms and errors ≤ 0.1 %, ssd carries 38 to 44 instances and hdd 9 to 12. 3 repetitions agree on that." {
		t.Errorf("the answer is %q", text)
	}
	parts := evaluate[[]string](t, tab, `[...document.querySelectorAll("#card .answer-parts li")].map(p => p.textContent)`)
	if len(parts) != 3 || !strings.HasPrefix(parts[0], "What limits CPU of the machine, 98 % busy, limits ssd.") || !strings.HasPrefix(parts[1], "Doubt Disturbed: ") || !strings.HasPrefix(parts[2], "Next Run it with --set phases.warmup=2m") {
		t.Errorf("the other parts are %q", parts)
	}
	rows := evaluate[[]string](t, tab, `[...document.querySelectorAll("#card .row")].map(r => r.textContent)`)
	for i, want := range [][]string{
		{"ssd", "38–44", "89 % headroom at 32", "15,763 USD per instance"},
		{"hdd", "9–12", "74 % headroom at 8", "58,032 USD per instance"},
	} {
		for _, part := range want {
			if len(rows) != 2 || !strings.Contains(rows[i], part) {
				t.Errorf("the rows %q do not say %q", rows, part)
			}
		}
	}
	grade := evaluate[string](t, tab, `document.querySelector("#card .grade").textContent`)
	if !strings.Contains(grade, "Grade B") || !strings.Contains(grade, "may be 9 % too low because of warm-up and CPU that others used, or 2 % too high because of data in memory.") {
		t.Errorf("beside the grade stands %q", grade)
	}
	labels := evaluate[string](t, tab, `document.querySelector("#card .labels").textContent`)
	if !strings.Contains(labels, "simulated medium") || !strings.Contains(labels, "reduced profile: laptop") {
		t.Errorf("the labels are %q", labels)
	}
	words := evaluate[string](t, tab, `document.querySelector("#card .terms").textContent`)
	for _, want := range []string{"OPMOrders per minute", "GradeA to F", "Load line"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not explained: %s", want, words)
		}
	}
}

// Brackets share one axis: the variant that carries more is further right.
func TestBrowserCardHasOneAxis(t *testing.T) {
	ctx := startBrowser(t)
	tab := opened(t, ctx, liveFixture(), view{"desk", 1280, 900, false})
	edges := evaluate[[]float64](t, tab, `[...document.querySelectorAll("#card .track rect")].flatMap(r => [r.getBoundingClientRect().left, r.getBoundingClientRect().right])`)
	ticks := evaluate[[]float64](t, tab, `[...document.querySelectorAll("#card .ticks span")].slice(1, 3).map(s => (s.getBoundingClientRect().left + s.getBoundingClientRect().right) / 2)`)
	if len(edges) != 4 || len(ticks) != 2 {
		t.Fatalf("brackets at %v, ticks at %v", edges, ticks)
	}
	perInstance := (ticks[1] - ticks[0]) / 10 // the ticks are 10 apart
	for i, count := range []float64{32, 63, 8, 15} {
		if want := ticks[0] + (count-10)*perInstance; edges[i] < want-2 || edges[i] > want+2 {
			t.Errorf("%v instances are at %.1f, want %.1f", count, edges[i], want)
		}
	}
}

// The strip shows the system under test. Simulated parts are dashed; the bottleneck is
// coloured and named.
func TestBrowserCardShowsTheTopology(t *testing.T) {
	ctx := startBrowser(t)
	tab := opened(t, ctx, liveFixture(), view{"desk", 1280, 900, false})
	parts := evaluate[[]string](t, tab, `[...document.querySelectorAll("#card .part")].map(p => p.textContent + "|" + getComputedStyle(p).borderTopStyle + "|" + p.classList.contains("limiting"))`)
	for _, want := range []string{
		"1 driver8 users per instance|solid|false", "dbpostgres 15.7, 256 MiB|solid|false", "ssd-sassimulatedext4|dashed|false",
		"hdd-7200simulatedext4Bottleneck: disk loop3 (hdd)|dashed|true", "one machine8 cores, 32 GiB, shared by all of thisBottleneck: CPU of the machine (ssd)|solid|true",
	} {
		if !strings.Contains(strings.Join(parts, "\n"), want) {
			t.Errorf("there is no %q in %q", want, parts)
		}
	}
	if n := evaluate[int](t, tab, `new Set([...document.querySelectorAll("#card .limiting")].map(p => getComputedStyle(p).borderTopColor + (getComputedStyle(document.querySelector("#card .part:not(.limiting)")).borderTopColor === getComputedStyle(p).borderTopColor))).size`); n != 1 {
		t.Errorf("the bottleneck has %d colours", n)
	}
}

// Figures of grade D and below are muted, their neighbours are not.
func TestBrowserCardMutesWeakFigures(t *testing.T) {
	ctx := startBrowser(t)
	tab := opened(t, ctx, weakFixture(), view{"desk", 1280, 900, false})
	colours := evaluate[[]string](t, tab, `[...document.querySelectorAll("#card .count b"), document.querySelector("#card .question")].map(b => getComputedStyle(b).color)`)
	if len(colours) != 3 || colours[0] == colours[1] || colours[1] != colours[2] {
		t.Errorf("the figures of ssd (B) and hdd (E), and muted text, have the colours %v", colours)
	}
	if text := evaluate[string](t, tab, `document.querySelector("#card .row.weak .count").textContent`); !strings.HasSuffix(text, "E") {
		t.Errorf("the weak figure is %q, without its grade", text)
	}
	if text := evaluate[string](t, tab, `document.querySelector("#card .grade").textContent`); !strings.Contains(text, "The driver was late by 3 s") {
		t.Errorf("beside the grade stands %q", text)
	}
}

// On a phone the answer and the first row are on the first screen, and the first chart on
// the second.
func TestBrowserCardOnAPhone(t *testing.T) {
	ctx := startBrowser(t)
	for name, a := range map[string]*analysis.Analysis{"live": liveFixture(), "reference": analysed(t, "cns-ds2"), "weak": weakFixture(), "crowded": crowdedFixture()} {
		t.Run(name, func(t *testing.T) {
			tab := opened(t, ctx, a, view{"phone", 390, 844, false})
			snapshot(t, tab, "card-phone-"+name)
			bottoms := evaluate[[]float64](t, tab, `[".answer", ".row", ".row + .row"].map(s => document.querySelector("#card " + s).getBoundingClientRect().bottom)`)
			if bottoms[0] > 300 || bottoms[1] > 500 || bottoms[2] > 844 {
				t.Errorf("answer and two rows end at %v", bottoms)
			}
			if chart := evaluate[float64](t, tab, `document.querySelector(".pair.first .drawing").getBoundingClientRect().bottom`); chart > 2*844 {
				t.Errorf("the first chart ends at %.0f, beyond the second screen", chart)
			}
			astray := evaluate[[]string](t, tab, `[...document.querySelectorAll("#card .arrow")].filter(a => {
				const [at, before, after] = [a, a.previousElementSibling, a.nextElementSibling].map(e => e.getBoundingClientRect());
				return at.top < before.bottom - 4 || at.bottom > after.top + 4;
			}).map(a => a.nextElementSibling.textContent)`)
			if len(astray) > 0 {
				t.Errorf("the arrows to %q are not between the boxes that they join", astray)
			}
		})
	}
}

// pages counts the pages of a PDF that Chromium made.
func pages(pdf []byte) int {
	return len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1))
}

// The button prints the card alone, on one page of either size.
func TestBrowserPrintsTheCard(t *testing.T) {
	ctx := startBrowser(t)
	for name, a := range map[string]*analysis.Analysis{"live": liveFixture(), "reference": analysed(t, "cns-ds2"), "crowded": crowdedFixture(), "matrix": matrixFixture(t)} {
		t.Run(name, func(t *testing.T) {
			if name == "matrix" {
				nightly.Only(t, "the crowded report, whose card is as full")
			}
			tab := opened(t, ctx, a, view{"desk", 1280, 900, true})
			for sheet, size := range sheets {
				// What the button asks for stays until something is printed.
				evaluate[bool](t, tab, `(window.print = () => {}, document.querySelector("#card .print").click(), true)`)
				pdf, err := chromedp.Call(tab, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: size[0], PaperHeight: size[1]})
				if err != nil {
					t.Fatal(err)
				}
				if *samples != "" {
					if err := os.WriteFile(filepath.Join(*samples, "card-"+name+"-"+sheet+".pdf"), []byte(pdf.Data), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if n := pages([]byte(pdf.Data)); n != 1 {
					t.Errorf("the card is %d pages of %s", n, sheet)
				}
			}
			pdf, err := chromedp.Run(tab, chromedp.PrintToPDF())
			if err != nil {
				t.Fatal(err)
			}
			if n := pages(pdf); n < 2 {
				t.Errorf("the report is %d pages after the card was printed", n)
			}
		})
	}
}

// A table that is wider than its box fades out on the side where there is more.
func TestBrowserTablesSayThatTheyScroll(t *testing.T) {
	ctx := startBrowser(t)
	tab := opened(t, ctx, liveFixture(), view{"phone", 390, 844, false})
	box := `document.querySelector("#trials .scroll")`
	mask := `getComputedStyle(` + box + `).maskImage.match(/rgba?\([^)]*\)/g).filter(c => c === "rgba(0, 0, 0, 0)").length`
	eventually(t, tab, box+`.dataset.more === "right"`)
	if n := evaluate[int](t, tab, mask); n != 1 {
		t.Errorf("the table fades out on %d sides, want 1", n)
	}
	evaluate[bool](t, tab, `(`+box+`.scrollLeft = 50, true)`)
	eventually(t, tab, box+`.dataset.more === "left right"`)
	evaluate[bool](t, tab, `(`+box+`.scrollLeft = 1e6, true)`)
	eventually(t, tab, box+`.dataset.more === "left"`)
}

// Variants have the same order everywhere, the best first.
func TestBrowserHasOneOrder(t *testing.T) {
	ctx := startBrowser(t)
	a := liveFixture()
	a.Verdict[0], a.Verdict[1] = a.Verdict[1], a.Verdict[0] // as the study has them
	slices.Reverse(a.Findings)
	tab := opened(t, ctx, a, view{"desk", 1280, 900, false})
	for _, list := range []string{"#card .row .who", "#bottleneck .findings .variant", "#heat .group th", "#price table .named"} {
		names := evaluate[[]string](t, tab, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.textContent)`, list))
		if !slices.Equal(slices.Compact(names), []string{"ssd", "hdd"}) {
			t.Errorf("%s: %q, want ssd and hdd", list, names)
		}
	}
}

// notWhole lists what a printed page of this width would not show whole.
const notWhole = `(width => [...document.querySelectorAll("body *")].filter(e => {
	const r = e.getBoundingClientRect(), s = getComputedStyle(e);
	if (r.width <= 1 || r.height <= 1 || e.closest("[hidden], .hidden, defs, clipPath")) return false;
	const beyond = r.right > width + 1 || r.left < -1;
	const clipped = e instanceof HTMLElement && !["visible", "clip"].includes(s.overflowX) && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1);
	return beyond || clipped;
}).map(e => e.tagName + "." + (e.getAttribute("class") ?? "") + " in " + (e.closest("[id]")?.id ?? "") + ": " + e.textContent.slice(0, 40)))`

// A printed report shows everything whole: nothing is wider than the sheet or cut by
// its box, and nothing that may not be divided is so high that half a page stays blank.
func TestBrowserPrintsEverythingWhole(t *testing.T) {
	ctx := startBrowser(t)
	run, series := synthetic(t, resulttest.Shop())
	live := liveFixture()
	for name, c := range map[string]struct {
		a      *analysis.Analysis
		series SeriesSource
	}{
		"live": {live, liveSeries(live)}, "synthetic": {run, series}, "reference": {a: analysed(t, "cns-ds2")},
		"gluster": {a: analysed(t, "gluster-small")}, "matrix": {a: matrixFixture(t)}, "crowded": {a: crowdedFixture()},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "gluster" {
				nightly.Only(t, "matrix, which has more figures of the same kinds")
			}
			path := filepath.Join(t.TempDir(), "report.html")
			writeReport(t, path, c.a, c.series)
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			open(t, tab, path, view{"desk", 1280, 900, false})
			const width = 688 // of A4 between its margins, as report.css says
			if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
				t.Fatal(err)
			}
			if err := chromedp.Do(tab, chromedp.EmulateViewport(width, 974)); err != nil {
				t.Fatal(err)
			}
			evaluate[bool](t, tab, `dispatchEvent(new Event("beforeprint"))`)
			eventually(t, tab, `[...document.querySelectorAll("figure svg")].every(s => s.getBoundingClientRect().width <= 690)`)
			for i, text := range evaluate[[]string](t, tab, fmt.Sprintf("%s(%d)", notWhole, width)) {
				if i < 5 {
					t.Errorf("cut: %s", text)
				}
			}
			high := evaluate[[]string](t, tab, `[...document.querySelectorAll("body *")].filter(e => getComputedStyle(e).breakInside === "avoid" && e.id !== "card" && e.getBoundingClientRect().height > 487).map(e => e.tagName + "#" + e.id + " " + Math.round(e.getBoundingClientRect().height))`)
			if len(high) > 0 {
				t.Errorf("these are higher than half a page and are not divided: %q", high)
			}
			snapshot(t, tab, "print-"+name)
		})
	}
}

// The title of every figure of a simulated medium says so, and so do its exports.
func TestBrowserMarksFiguresOfSimulatedMedia(t *testing.T) {
	ctx := startBrowser(t)
	tab := opened(t, ctx, liveFixture(), view{"desk", 1280, 900, false})
	bare := evaluate[[]string](t, tab, `[...document.querySelectorAll("figure h3")].filter(h => !h.querySelector(".badge")?.textContent.startsWith("simulated")).map(h => h.textContent)`)
	if len(bare) > 0 {
		t.Errorf("figures without a mark: %v", bare)
	}
}
