package live

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/report"
	"plimsoll/internal/report/browsertest"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
)

var samples = flag.String("samples", "", "a folder to write pictures of the pages to, to look at them")

var views = []browsertest.View{{Name: "desk", Width: 1280, Height: 900, Dark: false}, {Name: "desk-dark", Width: 1280, Height: 900, Dark: true}, {Name: "phone", Width: 390, Height: 844, Dark: false}, {Name: "phone-dark", Width: 390, Height: 844, Dark: true}}

// replay plays a finished run back: its trials appear one after the other, like those in a
// live run.
type replay struct {
	t         *testing.T
	dir, kept string
	trials    []*result.Trial
	next      int
	live      *Live
	mu        sync.Mutex
	analysed  int
}

func newReplay(t *testing.T) *replay {
	t.Helper()
	return replayOf(t, func(dir string) error { return resulttest.Run(dir, []string{"ssd", "hdd"}, []int{1, 2, 4, 8}, 1, 30) })
}

// replayOf is one of the run that a function writes to a directory.
func replayOf(t *testing.T, write func(dir string) error) *replay {
	t.Helper()
	r := &replay{t: t, dir: filepath.Join(t.TempDir(), "20261121-101500-disks"), kept: filepath.Join(t.TempDir(), "kept")}
	if err := write(r.dir); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	r.trials = run.Trials
	if err := os.Rename(filepath.Join(r.dir, result.TrialsDir), r.kept); err != nil {
		t.Fatal(err)
	}
	r.live = NewLive(RunInfo{Run: filepath.Base(r.dir), Study: "Disks", Report: filepath.Join("runs", filepath.Base(r.dir), result.ReportFile)}, r.analyse)
	return r
}

func (r *replay) analyse() (*analysis.Analysis, report.SeriesSource, error) {
	r.mu.Lock()
	r.analysed++
	r.mu.Unlock()
	run, err := result.Open(r.dir)
	if err != nil {
		return nil, nil, err
	}
	a, err := analysis.Analyse(run, analysis.Options{Running: len(run.Trials) < len(r.trials)})
	return a, run.SeriesOf, err
}

// say tells the page of an event of the trial that is next.
func (r *replay) say(e progress.Event) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	e.Trial, e.Position, e.Of = r.trials[r.next].ID, r.next+1, len(r.trials)
	e.Done, e.Left = float64(r.next)/float64(len(r.trials)), time.Duration(len(r.trials)-r.next)*45*time.Second
	r.live.Take(e)
}

// begin begins the trial that is next, and has its load go on for some seconds.
func (r *replay) begin(seconds int) {
	r.say(progress.Event{Kind: progress.TrialBegan})
	r.say(progress.Event{Kind: progress.Stage, Text: "start the instances", Share: 0.5})
	for s := range seconds {
		e := progress.Event{Kind: progress.Live, At: time.Now().Add(time.Duration(s-seconds) * time.Second), Phase: "measure", Unit: "OPM", Throughput: 5000 + 300*float64(s%7), Mean: 0.1, P95: 0.2, P99: 0.25 + 0.01*float64(s%5)}
		if s < seconds/4 {
			e.Phase = "warmup"
		}
		r.say(e)
	}
}

// end ends it: its results are there.
func (r *replay) end() {
	r.t.Helper()
	trial := r.trials[r.next]
	to := result.TrialDir(r.dir, trial.ID)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.kept, filepath.FromSlash(trial.ID)), to); err != nil {
		r.t.Fatal(err)
	}
	whole := trial.Whole()
	r.say(progress.Event{Kind: progress.TrialEnded, Text: "passed", Throughput: trial.Throughput(), Unit: "OPM", Mean: whole.Mean, P95: whole.P95, P99: whole.P99})
	r.next = min(r.next+1, len(r.trials)-1)
}

// finish ends the run and writes its report.
func (r *replay) finish() (path string) {
	r.t.Helper()
	a, series, err := r.analyse()
	if err != nil {
		r.t.Fatal(err)
	}
	path = filepath.Join(r.t.TempDir(), "report.html")
	f, err := os.Create(path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	if err := report.HTML(f, a, series, report.Options{}); err != nil {
		r.t.Fatal(err)
	}
	if err := r.live.Finish(a, series); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// seen is everything that a page of a report shows.
const seen = `(root => {
	root = root.cloneNode(true);
	root.querySelectorAll(".now, .skip").forEach(e => e.remove());
	return root.innerText.replace(/\s+/g, " ");
})(document.getElementById("report"))`

const ready = `document.documentElement?.dataset.ready === "yes"`

// finishedRows are the trials that the page says have finished.
const finishedRows = `[...document.querySelectorAll(".now tbody th")].map(e => e.textContent)`

// A page that is loaded again ten times while the run goes on shows everything,
// and becomes the report.
func TestBrowserLivePageReloadedTenTimesLosesNothing(t *testing.T) {
	ctx := browsertest.Start(t)
	l := listen(t, Options{})
	r := newReplay(t)
	register(t, l, r.live)
	browsertest.Open(t, ctx, l.URL(), views[0])
	browsertest.Eventually(t, ctx, `document.documentElement?.dataset.live === "running"`)
	var want []string
	for n := range 10 {
		if n < len(r.trials) {
			r.begin(20)
			r.end()
			want = append([]string{r.trials[n].ID}, want...)
		}
		r.live.Take(progress.Event{Kind: progress.Note, At: time.Now(), Text: fmt.Sprintf("note %d", n)})
		if err := chromedp.Do(ctx, chromedp.Reload()); err != nil {
			t.Fatal(err)
		}
		browsertest.Eventually(t, ctx, fmt.Sprintf(`document.querySelectorAll(".now tbody tr").length === %d`, len(want)))
		if got := browsertest.Evaluate[[]string](t, ctx, finishedRows); !slices.Equal(got, want) {
			t.Fatalf("after %d times the page lists %v, not %v", n+1, got, want)
		}
		browsertest.Eventually(t, ctx, fmt.Sprintf(`document.querySelectorAll(".now ul li").length === %d`, n+1))
	}
	path := r.finish()
	r.live.Drain(limited(t))
	browsertest.Eventually(t, ctx, `document.documentElement?.dataset.live === "finished" && `+ready+` && document.querySelectorAll("#trials tbody tr").length === 8`)
	if text := browsertest.Evaluate[string](t, ctx, `document.querySelector(".now").innerText`); !strings.Contains(text, r.live.about.Report) {
		t.Errorf("the page does not say where the report is: %s", text)
	}
	became := browsertest.Evaluate[string](t, ctx, seen)
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	browsertest.Open(t, tab, "file://"+path, views[0])
	browsertest.Eventually(t, tab, ready)
	if report := browsertest.Evaluate[string](t, tab, seen); became != report {
		t.Errorf("the page is not the report:\n%s\n\n%s", became, report)
	}
}

// What an order spends its time on grows by a stack with each rung that is complete.
func TestBrowserTimeProfileGrows(t *testing.T) {
	ctx := browsertest.Start(t)
	l := listen(t, Options{})
	r := replayOf(t, func(dir string) error { return analysistest.WriteRun(dir, analysistest.OfDisk.Run(1), nil) })
	register(t, l, r.live)
	const rungs = `(document.querySelector("#time desc")?.textContent.match(/\d+ instances?: /g) ?? []).length`
	for i, v := range views {
		browsertest.Open(t, ctx, l.URL(), v)
		if i < 2 {
			r.begin(20)
			r.end()
		}
		browsertest.Eventually(t, ctx, fmt.Sprintf(`document.documentElement?.dataset.live === "running" && %s && %s === %d`, ready, rungs, min(2, i+1)))
		if got := browsertest.Evaluate[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`); got > 0 {
			t.Errorf("%s: the page is %d px too wide", v.Name, got)
		}
		browsertest.Snapshot(t, ctx, *samples, "time-"+v.Name)
	}
}

// limited is a context for what a busy machine may take long for.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), browsertest.Limit)
	t.Cleanup(cancel)
	return ctx
}

// register replaces what listen made by a page.
func register(t *testing.T, l *Listener, pages interface{ Register(*Listener) }) {
	t.Helper()
	l.mux = http.NewServeMux()
	l.server.Handler = l.guard(l.mux)
	pages.Register(l)
}

func TestBrowserLivePageInEveryState(t *testing.T) {
	ctx := browsertest.Start(t)
	for _, v := range views {
		t.Run(v.Name, func(t *testing.T) {
			l := listen(t, Options{})
			r := newReplay(t)
			register(t, l, r.live)
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			browsertest.Open(t, tab, l.URL(), v)
			look := func(state, until string) {
				browsertest.Eventually(t, tab, until)
				browsertest.Accessible(t, tab)
				browsertest.Snapshot(t, tab, *samples, "live-"+state+"-"+v.Name)
				if width := browsertest.Evaluate[int64](t, tab, `document.documentElement.scrollWidth`); width > v.Width {
					t.Errorf("%s: the page is %d wide in a window of %d", state, width, v.Width)
				}
			}
			r.begin(60)
			look("begun", `document.querySelectorAll(".gauge polyline").length >= 4`)
			r.end()
			browsertest.Eventually(t, tab, ready)
			r.begin(1)
			r.end()
			for range 3 { // finished while the fourth is measured
				r.begin(50)
				r.end()
			}
			r.live.Take(progress.Event{Kind: progress.Note, At: time.Now(), Text: "trial ssd/1/1 is measured again: other processes used 1.2 of 2 CPUs"})
			r.begin(40)
			look("middle", ready+` && document.querySelectorAll(".now tbody tr").length === 5 && document.querySelectorAll(".gauge").length === 2`)
			r.live.Interrupted()
			look("stopping", `document.documentElement?.dataset.live === "stopping"`)
			for r.next < len(r.trials)-1 {
				r.end()
			}
			r.end()
			r.finish()
			look("finished", `document.documentElement?.dataset.live === "finished" && `+ready)
		})
	}
}

// A page whose server went away says so, and where the report will be.
func TestBrowserLivePageWithoutItsServer(t *testing.T) {
	ctx := browsertest.Start(t)
	l := listen(t, Options{})
	r := newReplay(t)
	register(t, l, r.live)
	if err := chromedp.Do(ctx, chromedp.Navigate(l.URL())); err != nil {
		t.Fatal(err)
	}
	browsertest.Eventually(t, ctx, `document.documentElement?.dataset.live === "running"`)
	r.live.Stop("interrupted; continue it with: plimsoll run --resume runs/x")
	if err := l.Close(limited(t)); err != nil {
		t.Fatal(err)
	}
	browsertest.Eventually(t, ctx, `document.querySelector(".now").innerText.includes("plimsoll run --resume runs/x")`)
}

// makeRuns makes a directory of runs of two studies by three versions.
func makeRuns(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "disks", "runs")
	for n, rungs := range [][]int{{1, 2, 4, 8}, {1, 2, 4, 8, 16}, {1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16}, {1, 2}} {
		run := filepath.Join(dir, fmt.Sprintf("2026112%d-101500-synthetic", n))
		if err := resulttest.Run(run, []string{"nvme", "ssd", "hdd"}, rungs, 2, 20); err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(run, result.MachineFile), func(text string) string {
			return strings.Replace(text, `"plimsoll": "`, fmt.Sprintf(`"plimsoll": "v1.%d.0-`, n/2), 1)
		})
		at := time.Date(2026, 11, 20+n, 10, 15, 0, 0, time.UTC)
		if err := os.WriteFile(filepath.Join(run, result.JournalFile), fmt.Appendf(nil, "{\"event\":\"run-started\",\"at\":%q}\n", at.Format(time.RFC3339)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func edit(t *testing.T, path string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(change(string(text))), 0o644); err != nil {
		t.Fatal(err)
	}
}

func openHistory(t *testing.T, dir string) *Listener {
	t.Helper()
	h, err := NewHistory(dir, func(run *result.Run) (*analysis.Analysis, error) { return analysis.Analyse(run, analysis.Options{}) }, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	l := listen(t, Options{})
	register(t, l, h)
	return l
}

// tooClose are a run's marks in the chart over time that are less than 9 pixels apart.
const tooClose = `(() => {
	const at = Map.groupBy(document.querySelectorAll("#over-time svg [aria-label*='synthetic, ']"), e => e.getAttribute("aria-label").split(",")[0]);
	return [...at].filter(([, marks]) => {
		const x = marks.map(e => { const r = e.getBoundingClientRect(); return r.left + r.width / 2; }).sort((a, b) => a - b);
		return x.some((v, i) => i > 0 && v - x[i-1] < 9);
	}).map(([run]) => run);
})()`

func TestBrowserHistory(t *testing.T) {
	ctx := browsertest.Start(t)
	l := openHistory(t, makeRuns(t))
	for _, v := range views {
		t.Run(v.Name, func(t *testing.T) {
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			browsertest.Open(t, tab, l.URL(), v)
			browsertest.Eventually(t, tab, ready)
			browsertest.Accessible(t, tab)
			browsertest.Snapshot(t, tab, *samples, "history-"+v.Name)
			if width := browsertest.Evaluate[int64](t, tab, `document.documentElement.scrollWidth`); width > v.Width {
				t.Errorf("the page is %d wide in a window of %d", width, v.Width)
			}
			if head := browsertest.Evaluate[string](t, tab, `document.querySelector("h1").textContent`); head != "Runs of disks" {
				t.Errorf("the page is headed %q", head)
			}
			if cut := browsertest.Evaluate[bool](t, tab, `(box => box.scrollWidth > box.clientWidth + 1)(document.querySelector("#list .scroll"))`); cut {
				t.Error("the list is wider than its place")
			}
			if shown := browsertest.Evaluate[bool](t, tab, `document.getElementById("time").checkVisibility()`); shown {
				t.Error("the chart is shown before anybody asked for it")
			}
			browsertest.Click(t, tab, `.views button[value="time"]`)
			browsertest.Eventually(t, tab, `document.querySelector("#over-time svg") !== null`)
			browsertest.Accessible(t, tab)
			browsertest.Snapshot(t, tab, *samples, "history-time-"+v.Name)
			if close := browsertest.Evaluate[[]string](t, tab, tooClose); len(close) > 0 {
				t.Errorf("marks of a run are not apart: %v", close)
			}
			if n := browsertest.Evaluate[int](t, tab, `document.querySelectorAll("#over-time svg [aria-label*='synthetic, ']").length`); n != 15 {
				t.Errorf("the chart has %d load lines of 5 runs of 3 variants", n)
			}
		})
	}
	t.Run("search", func(t *testing.T) {
		browsertest.Open(t, ctx, l.URL(), views[0])
		browsertest.Eventually(t, ctx, ready)
		search := `(text => { const f = document.getElementById("search"); f.value = text; f.dispatchEvent(new Event("input")); return [...document.querySelectorAll(".runs tbody th")].map(e => e.textContent.slice(0, 8)).join(); })`
		for text, want := range map[string]string{"v1.1": "20261123,20261122", "20261120": "20261120", "no run has this": ""} {
			if got := browsertest.Evaluate[string](t, ctx, search+`("`+text+`")`); got != want {
				t.Errorf("search for %q finds %s, not %s", text, got, want)
			}
		}
		browsertest.Evaluate[string](t, ctx, search+`("")`)
	})
	t.Run("compare", func(t *testing.T) {
		for _, run := range []string{"20261122", "20261121"} {
			browsertest.Click(t, ctx, `[id^="compare-`+run+`"]`)
		}
		browsertest.Click(t, ctx, ".button")
		browsertest.Eventually(t, ctx, `location.pathname === "/comparison.html" && `+ready)
		if head := browsertest.Evaluate[string](t, ctx, `document.querySelector("h1").textContent`); head != "20261122-101500-synthetic against 20261121-101500-synthetic" {
			t.Error(head)
		}
	})
	t.Run("report", func(t *testing.T) {
		browsertest.Open(t, ctx, l.URL(), views[0])
		browsertest.Eventually(t, ctx, ready)
		browsertest.Click(t, ctx, ".runs tbody th a")
		browsertest.Eventually(t, ctx, `location.pathname === "/runs/20261124-101500-synthetic/report.html" && `+ready)
	})
}

// A browser is asked for the token, which is then neither in its address nor in
// its history.
func TestBrowserToken(t *testing.T) {
	ctx := browsertest.Start(t)
	file := filepath.Join(t.TempDir(), "token")
	l := listen(t, Options{TokenFile: file})
	r := newReplay(t)
	l.mux = http.NewServeMux()
	l.mux.HandleFunc("POST /login", l.login)
	l.server.Handler = l.guard(l.mux)
	r.live.Register(l)
	if err := chromedp.Do(ctx, chromedp.Navigate(l.URL())); err != nil {
		t.Fatal(err)
	}
	browsertest.Eventually(t, ctx, ready+` && !!document.querySelector(".login")`)
	browsertest.Accessible(t, ctx)
	browsertest.Snapshot(t, ctx, *samples, "login")
	enter := `(text => { document.getElementById("token").value = text; document.querySelector(".login button").click(); return true; })`
	browsertest.Evaluate[bool](t, ctx, enter+`("wrong")`)
	browsertest.Eventually(t, ctx, `document.querySelector(".failure").textContent !== ""`)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(l.URL()+"#token="+l.token.text)); err != nil {
		t.Fatal(err)
	}
	browsertest.Eventually(t, ctx, `document.documentElement?.dataset.live === "running"`)
	if address := browsertest.Evaluate[string](t, ctx, `location.href + document.cookie`); strings.Contains(address, l.token.text) {
		t.Error("the token is in the address, or scripts can read it")
	}
}
