package report

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/report/browsertest"
	"plimsoll/internal/result"
)

// faultTrial is a trial of the fixture with faults.
const faultTrial = "ssd/32/1"

// faultFixture is the live fixture with faults at two rungs of ssd: one that is repaired
// while another has an effect, their repair, and one whose end nobody saw.
func faultFixture() *analysis.Analysis {
	a := liveFixture()
	for i := range a.Trials {
		if t := &a.Trials[i]; t.Variant == "ssd" && (t.Rung == 32 || t.Rung == 48) {
			t.Events = faultEvents(t.Start)
		}
	}
	for i := range a.Variants[1].Rungs {
		if r := &a.Variants[1].Rungs[i]; r.Instances == 32 || r.Instances == 48 {
			r.Faults = []string{"stop brick 1", "kill instance 0", "restart brick 1", "drain node of instance 0"}
		}
	}
	return a
}

func faultEvents(start time.Time) []result.Event {
	at := func(second float64) time.Time { return start.Add(time.Duration(second * float64(time.Second))) }
	return []result.Event{
		{At: at(15), Text: "fault: stop brick 1", Fault: "stop brick 1", Until: at(42)},
		{At: at(20), Text: "fault: kill instance 0 (its processes crash)", Fault: "kill instance 0", Until: at(22.5)},
		{At: at(20.1), Text: "driver-0: first error of class connection: connection lost"},
		{At: at(22.5), Text: "instance 0 answers again 2.5 s after it was killed"},
		{At: at(30), Text: "fault: restart brick 1", Fault: "restart brick 1", Repairs: true},
		{At: at(42), Text: `healed: full redundancy 12 s after "restart brick 1"`},
		{At: at(64), Text: "fault: drain node of instance 0", Fault: "drain node of instance 0"},
	}
}

// clashing lists the texts above panels that cover each other or the panel's data,
// and those that are cut off.
const clashing = `[...document.querySelectorAll("#series .panel")].filter(p => p.querySelector("canvas")).flatMap(panel => {
	const rect = e => e.getBoundingClientRect(), cover = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
	const texts = [...panel.querySelectorAll(".strip .moments text")], data = rect(panel.querySelector(".u-over")), whole = rect(panel);
	return texts.flatMap((t, i) => [
		...texts.slice(i + 1).filter(o => cover(rect(t), rect(o))).map(o => t.textContent + " covers " + o.textContent),
		...(cover(rect(t), data) ? [t.textContent + " covers data"] : []),
		...(rect(t).left < whole.left - 1 || rect(t).right > whole.right + 1 ? [t.textContent + " is cut off"] : []),
	]);
})`

// A fault is a mark with its name above every panel of its trial's time series, which
// hides nothing and is told from others by more than its colour.
func TestBrowserFaultsAreNamedInSeries(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "faults.html")
	live := faultFixture()
	writeReport(t, path, live, liveSeries(live))
	for _, v := range views {
		t.Run(v.Name, func(t *testing.T) {
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			open(t, tab, path+"#series?trial="+faultTrial, v)
			eventually(t, tab, `document.querySelectorAll("#series .strip .fault").length >= 4`)
			for i, names := range evaluate[[]string](t, tab, `[...document.querySelectorAll("#series .strip")].map(s => [...s.querySelectorAll(".fault text")].map(t => t.textContent).join(", "))`) {
				if names != "stop brick 1, kill instance 0, restart brick 1, drain node of instance 0" {
					t.Errorf("panel %d names %q", i, names)
				}
			}
			if texts := evaluate[[]string](t, tab, clashing); len(texts) > 0 {
				t.Errorf("%q", texts)
			}
			if same := evaluate[int](t, tab, `(a => a.length - new Set(a).size)([...document.querySelector("#series .strip").querySelectorAll(".fault")].map(f => f.querySelector("path").getAttribute("d") + [...f.querySelectorAll("line")].map(l => l.getAttribute("stroke-dasharray"))))`); same > 0 {
				t.Errorf("%d faults differ in nothing but their place", same)
			}
			snapshot(t, tab, "faults-"+v.Name)
			browsertest.Accessible(t, tab)
		})
	}
}

// What a fault was and how long its effect lasted is said to the keyboard and in words.
func TestBrowserFaultsAreReachedByKeyboard(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "faults.html")
	live := faultFixture()
	writeReport(t, path, live, liveSeries(live))
	open(t, ctx, path+"#series?trial="+faultTrial, view{"desk", 1280, 900, false})
	eventually(t, ctx, `document.querySelectorAll("#series .strip .point").length > 0`)
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	evaluate[bool](t, ctx, `(document.querySelector('#series .strip .point[tabindex="0"]').focus(), true)`)
	for _, want := range []string{"stop brick 1, from 0:15 to 0:42, 27.0 s", "kill instance 0, from 0:20 to 0:23, 2.5 s"} {
		if name := evaluate[string](t, ctx, `document.activeElement.getAttribute("aria-label")`); name != want {
			t.Errorf("the mark says %q, want %q", name, want)
		}
		tip := evaluate[string](t, ctx, `[...document.querySelectorAll("#series .strip .tip text")].map(t => t.textContent).join(", ")`)
		if tip != want {
			t.Errorf("the tip says %q, want %q", tip, want)
		}
		press(t, ctx, "ArrowRight")
	}
	list := evaluate[[]string](t, ctx, `[...document.querySelectorAll("#series .events li")].map(li => li.textContent)`)
	if len(list) != 7 || list[0] != "0:15 stop brick 1, over after 27.0 s" || !strings.Contains(list[3], "answers again") {
		t.Errorf("the list says %q", list)
	}
	evaluate[bool](t, ctx, `(() => {
		window.savedText = undefined;
		URL.createObjectURL = blob => { blob.text().then(text => window.savedText = text); return "blob:none"; };
		HTMLAnchorElement.prototype.click = () => {};
		return true;
	})()`)
	click(t, ctx, `#series .panel .save button:nth-child(1)`)
	eventually(t, ctx, `window.savedText !== undefined`)
	saved := evaluate[string](t, ctx, `window.savedText`)
	checkSVG(t, "panel", []byte(saved))
	if !strings.Contains(saved, "kill instance 0") {
		t.Error("the saved panel does not name its faults")
	}
	apart := evaluate[bool](t, ctx, `(() => {
		document.body.append(new DOMParser().parseFromString(window.savedText, "image/svg+xml").documentElement);
		const name = [...document.body.lastElementChild.querySelectorAll("text")].find(t => t.textContent === "kill instance 0");
		return name.previousElementSibling.getBoundingClientRect().right <= name.getBoundingClientRect().left + 1;
	})()`)
	if !apart {
		t.Error("in the saved panel the name of a fault lies on its mark")
	}
}

// A rung whose trials had faults is marked with their names in the charts, in the table of
// its numbers and in the table of trials.
func TestBrowserFaultsAreNamedOnRungs(t *testing.T) {
	ctx := startBrowser(t)
	path := filepath.Join(t.TempDir(), "faults.html")
	writeReport(t, path, faultFixture(), nil)
	const names = "stop brick 1, kill instance 0, restart brick 1, drain node of instance 0"
	for _, v := range views {
		t.Run(v.Name, func(t *testing.T) {
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			open(t, tab, path, v)
			for _, figure := range []string{"response", "throughput"} {
				if n := evaluate[int](t, tab, `document.querySelectorAll("#`+figure+` .fault-lane path").length`); n != 2 {
					t.Errorf("%s: %d marks, want 2", figure, n)
				}
				text := evaluate[[]string](t, tab, `[...document.querySelectorAll('#`+figure+` .point[data-line="faults"]')].map(p => p.getAttribute("aria-label"))`)
				if len(text) != 2 || text[0] != "32 instances, faults: "+names {
					t.Errorf("%s: the marks say %q", figure, text)
				}
				point := evaluate[string](t, tab, `document.querySelector('#`+figure+` .point[data-line="ssd"][data-n="32"]').getAttribute("aria-label")`)
				if !strings.HasSuffix(point, "faults: "+names) {
					t.Errorf("%s: the point says %q", figure, point)
				}
			}
			for what, expression := range map[string]string{"pale": pale, "on a point": hidden} {
				if texts := evaluate[[]string](t, tab, expression); len(texts) > 0 {
					t.Errorf("%s: %q", what, texts)
				}
			}
			evaluate[bool](t, tab, `document.querySelectorAll("details").forEach(d => d.open = true) ?? true`)
			rows := evaluate[[]string](t, tab, `[...document.querySelectorAll("#response tr")].map(r => r.innerText).filter(x => x.includes("stop brick 1"))`)
			if len(rows) != 2 {
				t.Errorf("the numbers name faults in %q", rows)
			}
			if text := evaluate[string](t, tab, `document.querySelector("#trial-ssd-32-1").innerText`); !strings.Contains(text, "kill instance 0 (from 0:20 to 0:23, 2.5 s)") {
				t.Errorf("the trial's row says %q", text)
			}
			snapshot(t, tab, "rung-faults-"+v.Name)
			browsertest.Accessible(t, tab)
		})
	}
}
