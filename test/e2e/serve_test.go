package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"plimsoll/internal/report/browsertest"
)

// page waits for the address of the pages that a command serves.
func (b *background) page(named string) string {
	b.s.t.Helper()
	address := regexp.MustCompile(named + `: (http://[^\s"]+?)[\s";]`)
	b.until("an address", func() bool { return address.MatchString(b.out.String()) })
	return address.FindStringSubmatch(b.out.String())[1]
}

const (
	// loaded are the trials that the live page lists as finished.
	loaded = `[...document.querySelectorAll(".now tbody th")].map(e => e.textContent)`
	// shown is everything that a report shows, but for what a server adds.
	shown = `(root => {
		root = root.cloneNode(true);
		root.querySelectorAll(".now, .skip").forEach(e => e.remove());
		return root.innerText.replace(/\s+/g, " ");
	})(document.getElementById("report"))`
	drawn = `document.documentElement?.dataset.ready === "yes"`
)

// A real run is watched in a real browser that loads the page again and again: no
// finished trial is ever missing, and the page becomes the file that the run wrote.
func TestTheLivePageOfARunBecomesItsReport(t *testing.T) {
	t.Parallel()
	ctx := browsertest.Start(t)
	s := newSite(t)
	text := replace(study("postgres"), "[1, 2]", "[1, 2, 3]", "users: 2,", "users: 1,")
	b := s.start("run", s.write("small.yaml", text), "--name", "live", "--min-grade", "F", "--serve", "--json")
	browsertest.Open(t, ctx, b.page("live page"), browsertest.View{Name: "desk", Width: 1280, Height: 900})
	browsertest.Eventually(t, ctx, `!!document.documentElement?.dataset.live`)
	for reloads, most := 0, 0; reloads < 10; reloads++ {
		browsertest.Eventually(t, ctx, `document.querySelector(".now .doing")?.textContent !== ""`)
		finished := strings.Count(b.out.String(), `"event":"finished"`)
		browsertest.Eventually(t, ctx, fmt.Sprintf(`document.querySelectorAll(".now tbody th").length >= %d`, finished))
		if most = max(most, finished); len(browsertest.Evaluate[[]string](t, ctx, loaded)) < most {
			t.Fatalf("trials are gone: %v", browsertest.Evaluate[[]string](t, ctx, loaded))
		}
		if err := chromedp.Do(ctx, chromedp.Reload()); err != nil {
			t.Fatal(err)
		}
	}
	browsertest.Eventually(t, ctx, `document.documentElement?.dataset.live === "finished" && `+drawn+` && document.querySelectorAll("#trials tbody tr").length === 3`)
	became := browsertest.Evaluate[string](t, ctx, shown)
	if code := b.wait(); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, &b.out)
	}
	file, cancel := chromedp.NewContext(ctx)
	defer cancel()
	if err := chromedp.Do(file, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+filepath.Join(s.run("live"), "report.html"))); err != nil {
		t.Fatal(err)
	}
	browsertest.Eventually(t, file, drawn)
	if report := browsertest.Evaluate[string](t, file, shown); became != report {
		at := 0
		for at < min(len(became), len(report)) && became[at] == report[at] {
			at++
		}
		t.Errorf("the page is not the report: …%s… instead of …%s…", became[at:min(len(became), at+200)], report[at:min(len(report), at+200)])
	}
	tab, leave := chromedp.NewContext(ctx)
	defer leave()
	s.history(tab)
}

// history shows the same run in the list of runs.
func (s *site) history(ctx context.Context) {
	b := s.start("serve")
	browsertest.Open(s.t, ctx, b.page("runs in runs, until Ctrl-C"), browsertest.View{Name: "desk", Width: 1280, Height: 900})
	browsertest.Eventually(s.t, ctx, drawn+` && document.querySelector(".runs tbody th a")?.textContent === "live"`)
	browsertest.Click(s.t, ctx, `.views button[value="time"]`)
	browsertest.Eventually(s.t, ctx, `!!document.querySelector("#over-time svg")`)
	b.stop()
	if code := b.wait(); code != 0 {
		s.t.Errorf("exit code %d:\n%s", code, &b.out)
	}
}

// An interrupt ends the pages with the run, tells readers, and leaves nothing: no
// token either, which is nowhere but in its file.
func TestAnInterruptedRunTakesItsPageAndTokenAlong(t *testing.T) {
	ctx := browsertest.Start(t)
	s := newSite(t)
	runtime := t.TempDir()
	s.env = []string{"XDG_RUNTIME_DIR=" + runtime}
	b := s.start("run", s.write("small.yaml", study("postgres")), "--name", "stopped", "--serve=0.0.0.0:0", "--json")
	address := b.page("live page")
	files, err := filepath.Glob(filepath.Join(runtime, "plimsoll", "token-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	token, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimSpace(string(token))
	port := address[strings.LastIndexByte(strings.TrimSuffix(address, "/"), ':'):]
	if err := chromedp.Do(ctx, chromedp.Navigate("http://127.0.0.1"+port+"#token="+secret)); err != nil {
		t.Fatal(err)
	}
	browsertest.Eventually(t, ctx, `document.documentElement?.dataset.live === "running"`)
	b.until("users at work", b.measuring)
	b.stop()
	if code := b.wait(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	browsertest.Eventually(t, ctx, `document.querySelector(".now").innerText.includes("plimsoll run --resume")`)
	if left, _ := filepath.Glob(filepath.Join(runtime, "plimsoll", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if strings.Contains(b.out.String(), secret) {
		t.Error("the token was printed")
	}
	if err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) {
			t.Errorf("the token is in %s", path)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
