package report

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/report/browsertest"
)

// heldFixture is the live run, held against an earlier one and, in shape, against
// published results of its ssd.
func heldFixture() *analysis.Analysis {
	a := liveFixture()
	g := analysis.Counterpart{Variant: "ssd", Other: "nvme", Base: 1}
	for _, n := range []int{1, 8, 32, 128} {
		r := analysis.CounterpartRung{Instances: n, Metrics: map[string]analysis.ReferenceFigure{}}
		for metric, theirs := range map[string]float64{"throughput": 1187 * float64(n), "mean": 0.00433} {
			h := analysis.ReferenceFigure{Theirs: exact(theirs)}
			if n == 8 || n == 32 {
				change := exact(-0.012)
				h.Change, h.Verdict = &change, "compared in shape"
			}
			r.Metrics[metric] = h
		}
		g.Rungs = append(g.Rungs, r)
	}
	a.Against = append(a.Against, analysis.ReferenceResult{
		Name: "reference/shop-2018", Called: "published", Label: "published", InShape: true, Verdict: "compared in shape",
		Source: "A publisher, “Shops on disks” (2018-04), table 5", Text: "Compared in shape.", Counterparts: []analysis.Counterpart{g},
	})
	return a
}

// referencesIn lists the reference lines of a figure: whose they are.
const referencesIn = `(id => [...document.querySelectorAll("#" + id + " .reference")].map(g => g.dataset.line))`

// labelsIn lists what the reference lines of a figure are called.
const labelsIn = `(id => [...document.querySelectorAll("#" + id + " .reference-label")].map(g => g.textContent))`

// Charts against the ladder have the other run's lines for the variants that it
// measured, unlike our own; the toggle hides them, also for whom the link is sent to.
func TestBrowserDrawsTheOtherRunAsReference(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "held.html")
	a := heldFixture()
	writeReport(t, path, a, liveSeries(a))
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	v := view{"desk", 1280, 900, false}
	open(t, tab, path, v)
	expect := func(tab context.Context, expression string, want ...string) {
		t.Helper()
		if got := evaluate[[]string](t, tab, expression); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	earlier, published := "hdd against 2026-02-01-quickstart", "ssd against reference/shop-2018"
	expect(tab, referencesIn+`("throughput")`, published, earlier)
	expect(tab, labelsIn+`("throughput")`, "published, scaled", "run of 2026-02-01")
	expect(tab, referencesIn+`("response")`, earlier) // nobody published percentiles
	expect(tab, referencesIn+`("model-ssd")`, published)
	expect(tab, referencesIn+`("model-hdd")`, earlier)
	if same := evaluate[bool](t, tab, `(() => {
		const reference = document.querySelector("#throughput .reference path"), own = [...document.querySelectorAll('#throughput [aria-label="line"] path')].map(getComputedStyle);
		return own.some(s => s.strokeDasharray === getComputedStyle(reference).strokeDasharray && s.strokeWidth === getComputedStyle(reference).strokeWidth);
	})()`); same {
		t.Error("a reference line looks like a line of this run")
	}
	snapshot(t, tab, "references")

	click(t, tab, `#throughput .reference-key`)
	expect(tab, referencesIn+`("throughput")`, published)
	expect(tab, referencesIn+`("response")`)
	expect(tab, `[...document.querySelectorAll("#response .reference-key:not([hidden])")].map(b => b.getAttribute("aria-pressed"))`, "false")
	address := hash(t, tab, "hide=")
	other, cancel := chromedp.NewContext(ctx)
	defer cancel()
	open(t, other, path+address, v)
	expect(other, referencesIn+`("throughput")`, published)
	expect(other, referencesIn+`("model-hdd")`)
	click(t, other, `#response .reference-key`)
	expect(other, referencesIn+`("throughput")`, published, earlier)
}

// A difference with its interval is at each point, for the pointer and the keyboard, in
// the table and in the CSV of the figure, and on the card where one was shown.
func TestBrowserSaysHowFarTheOtherRunLies(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "held.html")
	writeReport(t, path, heldFixture(), nil)
	open(t, ctx, path, view{"desk", 1280, 900, false})
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	at := func(line string, n int) string {
		t.Helper()
		return evaluate[string](t, ctx, fmt.Sprintf(`(() => {
			document.querySelector('#throughput .point[data-line=%q][data-n="%d"]').focus();
			return [...document.querySelectorAll("#throughput .tip text")].map(x => x.textContent).join(" | ");
		})()`, line, n))
	}
	for text, want := range map[string][]string{
		at("hdd", 16): {"hdd, 16 instances", "against run of 2026-02-01: +11 % (+9.5 % to +13 %), better"},
		at("hdd against 2026-02-01-quickstart", 16): {"hdd, 16 instances: run of 2026-02-01", "13,000 OPM (12,740–13,260 OPM)", "this run: +11 %"},
		at("ssd", 8):                             {"against published: −1.2 %, compared in shape"},
		at("ssd against reference/shop-2018", 8): {"nvme, 8 instances: published", "8 times its own at 1 instance"},
	} {
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("the tip %q does not say %q", text, part)
			}
		}
		if strings.Contains(text, "published") && strings.Contains(text, "nvme") && strings.Contains(text, "OPM") {
			t.Errorf("the tip %q gives a figure of other hardware as if it were ours", text)
		}
	}
	// Ours and theirs are one at the base.
	if off := evaluate[float64](t, ctx, `(() => {
		const at = key => document.querySelector('#throughput .point[data-line="' + key + '"][data-n="1"]').getAttribute("cy");
		return Math.abs(at("ssd") - at("ssd against reference/shop-2018"));
	})()`); off > 0.5 {
		t.Errorf("at the base the published line is %.1f px off", off)
	}
	evaluate[bool](t, ctx, `document.querySelectorAll("#throughput .numbers, #response .numbers").forEach(d => d.open = true) ?? true`)
	eventually(t, ctx, `document.querySelectorAll("#throughput .numbers table").length === 3`)
	text := evaluate[string](t, ctx, spoken)
	for _, want := range []string{
		"+57 % against 6 to 8 instances (run of 2026-02-01)", "OPM, run of 2026-02-01", "OPM, times the base", "p95, run of 2026-02-01",
		"Published: scaled to be equal at 1 instance; only the shape compares.", "Published: mean only.",
		"Against 2026-02-01-quickstart", "Its grade is B.", "has no counterpart of ssd",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	numbers := content(t, ctx, "throughput", 3)
	for _, want := range []string{",this run over it less 1,change low,change high,verdict\n", "hdd,run of 2026-02-01,16,", ",better\n", `ssd,"published, scaled",8,9496,`} {
		if !strings.Contains(numbers, want) {
			t.Errorf("the numbers have no %q:\n%s", want, numbers)
		}
	}
}

// The page with reference lines passes what every page does, and one without is as it was.
func TestBrowserReferencesAreReadable(t *testing.T) {
	ctx := startBrowser(t)
	folder := t.TempDir()
	alone := liveFixture()
	alone.Against = nil
	writeReport(t, filepath.Join(folder, "held.html"), heldFixture(), nil)
	writeReport(t, filepath.Join(folder, "alone.html"), alone, nil)
	for _, name := range []string{"held", "alone"} {
		for _, v := range views {
			t.Run(name+"-"+v.Name, func(t *testing.T) {
				tab, cancel := chromedp.NewContext(ctx)
				defer cancel()
				open(t, tab, filepath.Join(folder, name+".html"), v)
				checkPage(t, tab, v)
				for what, expression := range map[string]string{"pale": pale, "on a point": hidden, "crossed by a guide": crossed, "outside": outside} {
					if texts := evaluate[[]string](t, tab, expression); len(texts) > 0 {
						t.Errorf("%s: %q", what, texts)
					}
				}
				browsertest.Accessible(t, tab)
				snapshot(t, tab, "references-"+name+"-"+v.Name)
				if n := evaluate[int](t, tab, `document.querySelectorAll(".reference, .reference-key, #against").length`); (n > 0) != (name == "held") {
					t.Errorf("%d parts of a comparison", n)
				}
			})
		}
	}
}
