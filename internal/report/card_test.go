package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"plimsoll/internal/analysis"
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
	if text := evaluate[string](t, tab, `document.querySelector("#card .answer").textContent`); text != "Within p95 ≤ 200 ms and errors ≤ 0.1 %, ssd carries 38 to 44 instances and hdd 9 to 12." {
		t.Errorf("the answer is %q", text)
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
	if !strings.Contains(grade, "Grade B") || !strings.Contains(grade, "Response time still fell when the measured phase began (2 trials).") {
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

// Brackets lie on one axis: that of the variant which carries more lies further right.
func TestBrowserCardHasOneAxis(t *testing.T) {
	ctx := startBrowser(t)
	tab := opened(t, ctx, liveFixture(), view{"desk", 1280, 900, false})
	edges := evaluate[[]float64](t, tab, `[...document.querySelectorAll("#card .track rect")].flatMap(r => [r.getBoundingClientRect().left, r.getBoundingClientRect().right])`)
	ticks := evaluate[[]float64](t, tab, `[...document.querySelectorAll("#card .ticks span")].slice(1, 3).map(s => (s.getBoundingClientRect().left + s.getBoundingClientRect().right) / 2)`)
	if len(edges) != 4 || len(ticks) != 2 {
		t.Fatalf("brackets at %v, ticks at %v", edges, ticks)
	}
	perInstance := (ticks[1] - ticks[0]) / 10 // the ticks are 10 apart
	for i, count := range []float64{38, 44, 9, 12} {
		if want := ticks[0] + (count-10)*perInstance; edges[i] < want-2 || edges[i] > want+2 {
			t.Errorf("%v instances are at %.1f, want %.1f", count, edges[i], want)
		}
	}
}

// The strip shows what was tested: what is simulated is dashed, the bottleneck is
// coloured and named.
func TestBrowserCardShowsTheTopology(t *testing.T) {
	ctx := startBrowser(t)
	tab := opened(t, ctx, liveFixture(), view{"desk", 1280, 900, false})
	parts := evaluate[[]string](t, tab, `[...document.querySelectorAll("#card .part")].map(p => p.textContent + "|" + getComputedStyle(p).borderTopStyle + "|" + p.classList.contains("limiting"))`)
	for _, want := range []string{
		"1 driver8 users per instance|solid|false", "dbpostgres 15.7, 256 MiB|solid|false", "ssd-sassimulatedext4|dashed|false",
		"hdd-7200simulatedext4Bottleneck: disk loop3 (hdd)|dashed|true", "one machine8 cores, 32 GiB, shared by all of thisBottleneck: CPU (ssd)|solid|true",
	} {
		if !strings.Contains(strings.Join(parts, "\n"), want) {
			t.Errorf("there is no %q in %q", want, parts)
		}
	}
	if n := evaluate[int](t, tab, `new Set([...document.querySelectorAll("#card .limiting")].map(p => getComputedStyle(p).borderTopColor + (getComputedStyle(document.querySelector("#card .part:not(.limiting)")).borderTopColor === getComputedStyle(p).borderTopColor))).size`); n != 1 {
		t.Errorf("the bottleneck has %d colours", n)
	}
}

// Figures of grade D and below are muted, those beside them are not.
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

// On a phone the answer and the first row are on the first screen.
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
