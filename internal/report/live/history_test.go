package live

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// Names of runs come from directories that anybody may have sent, and from
// addresses that anybody may have typed.
func TestHistoryKeepsToItsDirectory(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	dir := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "secret")
	hostile := `<img src=x onerror=alert(1)>&"'`
	for _, run := range []string{filepath.Join(dir, "good"), filepath.Join(dir, "other"), filepath.Join(dir, hostile), elsewhere} {
		if err := resulttest.Run(run, []string{"ssd"}, []int{1, 2}, 1, 10); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"absolute": elsewhere, "climbing": "../../" + filepath.Base(filepath.Dir(elsewhere)) + "/secret", "inside": "good"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	l := openHistory(t, dir)
	for name, open := range map[string]bool{
		"good": true, "inside": true, hostile: true,
		"absolute": false, "climbing": false, "none": false, "..": false, ".": false, "../good": false, "good/../good": false,
		"/etc": false, elsewhere: false, "good\x00": false, `..\good`: false, "good/trials": false,
	} {
		for _, page := range []string{"/runs/" + url.PathEscape(name) + "/report.html", "/runs/" + url.PathEscape(name) + "/summary"} {
			status, text, _ := ask(t, l, "GET", page, nil)
			if (status == http.StatusOK) != open {
				t.Errorf("%s: status %d", page, status)
			}
			if strings.Contains(text, elsewhere) {
				t.Errorf("%s says where other directories are", page)
			}
		}
		status, text, _ := ask(t, l, "GET", "/comparison.html?a=other&b="+url.QueryEscape(name), nil)
		if (status == http.StatusOK) != open {
			t.Errorf("comparison with %q: status %d: %.300s", name, status, text)
		}
		if strings.Contains(text, "<img") {
			t.Errorf("%q is markup", name)
		}
	}
	for _, line := range []string{"good\r\nSet-Cookie: a=b", "good\nX-Owned: 1", "\r\n\r\n<script>"} {
		for _, page := range []string{"/runs/" + url.PathEscape(line) + "/report.html", "/runs/" + url.PathEscape(line) + "/summary", "/comparison.html?a=good&b=" + url.QueryEscape(line)} {
			status, _, head := ask(t, l, "GET", page, nil)
			if status != http.StatusNotFound || head.Get("Set-Cookie")+head.Get("X-Owned") != "" {
				t.Errorf("%s: status %d, %v", page, status, head)
			}
		}
	}
	var runs []runEntry
	_, text, _ := ask(t, l, "GET", "/runs", nil)
	if err := json.Unmarshal([]byte(text), &runs); err != nil || len(runs) != 4 {
		t.Errorf("%v: %s", err, text)
	}
}

// A run that changed is summarised again; one that is damaged says so.
func TestHistorySummarisesWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	if err := resulttest.Run(run, []string{"ssd", "hdd"}, []int{1, 2}, 1, 10); err != nil {
		t.Fatal(err)
	}
	l := openHistory(t, dir)
	read := func() (s summary) {
		_, text, _ := ask(t, l, "GET", "/runs/run/summary", nil)
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return s
	}
	if s := read(); len(s.Lines) != 2 || len(s.Verdict) != 2 || s.Grade == "" || len(s.Objectives) != 2 {
		t.Errorf("%+v", s)
	}
	if err := os.RemoveAll(filepath.Join(run, "trials", "hdd")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, "journal.jsonl"), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s := read(); s.Lines[1].Rungs != 0 {
		t.Errorf("%+v", s)
	}
	if err := os.WriteFile(filepath.Join(run, "plan.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, text, _ := ask(t, l, "GET", "/runs", nil); !strings.Contains(text, `"damaged":true`) {
		t.Error(text)
	}
}
