package watch

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/mattn/go-runewidth"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/cli/command"
)

func ended(trial, variant string, rung int, opm float64) progress.Event {
	return progress.Event{Kind: progress.TrialEnded, Trial: trial, Variant: variant, Rung: rung, Unit: "OPM", Throughput: opm, Position: 1, Of: 4, Text: "done"}
}

// view draws what the terminal would show after some events.
func view(width, height int, events ...progress.Event) string {
	var m tea.Model = liveModel{}
	m, _ = m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	for _, e := range events {
		m, _ = m.Update(e)
	}
	return m.(liveModel).View().Content
}

func TestLiveViewFitsItsTerminal(t *testing.T) {
	events := []progress.Event{}
	for _, variant := range []string{"hdd-7200-with-a-long-name", "ssd", "nvme"} {
		for _, rung := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
			events = append(events, ended("x/1/1", variant, rung, float64(rung)*12345))
		}
	}
	events = append(events, progress.Event{
		Kind: progress.Live, Trial: "hdd-7200-with-a-long-name/128/1", Position: 24, Of: 25, Done: 0.99, Left: time.Hour,
		At: time.Now(), Phase: "measure", Unit: "OPM", Throughput: 123456, Mean: 0.5, P95: 1.25,
	})
	for _, width := range []int{1, 5, 20, 40, 60, 80, 200} {
		for _, height := range []int{1, 3, 8, 24} {
			shown := view(width, height, events...)
			lines := strings.Split(shown, "\n")
			if len(lines) > max(2, height) {
				t.Errorf("%d×%d: %d lines:\n%s", width, height, len(lines), shown)
			}
			for _, l := range lines {
				if n := len([]rune(l)); n >= max(2, width) {
					t.Errorf("%d×%d: a line of %d: %q", width, height, n, l)
				}
			}
		}
	}
}

func TestLiveViewShowsResultsSoFar(t *testing.T) {
	failed := ended("hdd/2/1", "hdd", 2, 0)
	failed.Failed = true
	kept := ended("ssd/2/1", "ssd", 2, 9000)
	kept.Kind = progress.TrialKept
	shown := view(80, 24, ended("hdd/1/1", "hdd", 1, 1000), ended("hdd/1/2", "hdd", 1, 2000), failed, kept,
		progress.Event{Kind: progress.Stage, Trial: "ssd/4/1", Text: "clone volumes", Share: 0.5, Position: 4, Of: 6, Done: 0.5})
	want := `OPM      1      2
hdd  1,500      ✗
ssd         9,000
██████████░░░░░░░░░░ 4/6
ssd/4/1  clone volumes 50 %`
	if shown != want {
		t.Errorf("shown:\n%s\nwant:\n%s", shown, want)
	}
}

func TestLiveViewSaysThatItStops(t *testing.T) {
	for _, width := range []int{30, 100} {
		var m tea.Model = liveModel{width: width, height: 24}
		m, _ = m.Update(progress.Event{Kind: progress.Stage, Trial: "ssd/4/1", Text: "tear down", Of: 6})
		m, _ = m.Update(stoppingMsg{})
		if text := m.(liveModel).View().Content; !strings.Contains(text, "interrupted") {
			t.Errorf("at width %d: %q", width, text)
		}
		m, cmd := m.Update(closeMsg{})
		if text := m.(liveModel).View().Content; text != "" || cmd == nil {
			t.Errorf("after the end: %q", text)
		}
	}
}

// A view on something that is no terminal ends all the same.
func TestLiveWatcherEnds(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := newLiveWatcher(f, false, nil)
	w.Take(ended("ssd/1/1", "ssd", 1, 4372))
	w.Stopping()
	if _, err := w.Write([]byte("a line of the log\n")); err != nil {
		t.Error(err)
	}
	w.Close()
	w.Take(ended("ssd/2/1", "ssd", 2, 1)) // late events must not hang
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"✓ ssd/1/1  done", "a line of the log"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%q is missing in %q", want, text)
		}
	}
	// Questions to the terminal would be answered into the user's shell.
	for _, asked := range []string{"\x1b[?2026$p", "\x1b[?2027$p", "\x1b[c", "\x1b[6n"} {
		if bytes.Contains(text, []byte(asked)) {
			t.Errorf("the terminal is asked %q", asked)
		}
	}
}

func TestPlainLines(t *testing.T) {
	var out bytes.Buffer
	w := New((&command.State{Stderr: &out, Getenv: func(string) string { return "" }}), false, nil)
	for _, e := range []progress.Event{
		{Kind: progress.TrialKept, Trial: "hdd/1/1", Position: 1, Of: 2, Text: "1762 OPM"},
		{Kind: progress.TrialBegan, Trial: "hdd/2/1", Position: 2, Of: 2, Left: 75 * time.Second},
		{Kind: progress.Stage, Text: "clone volumes", Share: 0.5},
		{Kind: progress.Stage, Text: "clone volumes", Share: 1},
		{Kind: progress.Live, Phase: "measure", Unit: "OPM", Throughput: 1860, Mean: 0.0824, P95: 0.325, Left: 9 * time.Second},
		{Kind: progress.Live, Phase: "measure", Unit: "OPM", Throughput: 1861},
		{Kind: progress.TrialEnded, Trial: "hdd/2/1", Text: "1860 OPM"},
	} {
		w.Take(e)
	}
	w.Close()
	want := `[1/2] hdd/1/1 is already measured: 1762 OPM
[2/2] hdd/2/1, 1 min 15 s left
        clone volumes
        measure  1,860 OPM  mean 82.4 ms  p95 325 ms, 9 s left
        1860 OPM
`
	if out.String() != want {
		t.Errorf("printed:\n%s\nwant:\n%s", out.String(), want)
	}
}

// With --json every line of progress and of the log is one JSON value.
func TestJSONLines(t *testing.T) {
	var out bytes.Buffer
	s := &command.State{Stderr: &out, JSON: true, Getenv: func(string) string { return "" }}
	w := New(s, false, nil)
	w.Take(ended("hdd/1/1", "hdd", 1, 1762))
	Logger(s, w, true).Debug("something", "to", "know")
	w.Stopping()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %s", l)
		}
	}
	if len(lines) != 3 || !strings.Contains(lines[0], `"throughput":1762,"unit":"OPM"`) {
		t.Errorf("printed:\n%s", out.String())
	}
}

func TestLeftText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "", -time.Second: "", 9 * time.Second: "9 s left", 61 * time.Second: "1 min 1 s left", 125 * time.Minute: "2 h 5 min left",
	} {
		if got := leftText(d); got != want {
			t.Errorf("leftText(%v) = %q, want %q", d, got, want)
		}
	}
}

// Text in wide characters takes twice the columns.
func TestWideCharacters(t *testing.T) {
	for line := range strings.SplitSeq(command.WrapText("状态 数据库 已经 停止 因为 磁盘 已满 数据库数据库数据库", 20), "\n") {
		if runewidth.StringWidth(line) > 20 {
			t.Errorf("%q has %d columns", line, runewidth.StringWidth(line))
		}
	}
	if got := cut("数据库数据库", 7); runewidth.StringWidth(got) > 7 || !strings.HasSuffix(got, "…") {
		t.Errorf("cut to %q", got)
	}
}

// A brief view has one line for each trial, whatever happens in between.
func TestBriefViewHasALineForEachTrial(t *testing.T) {
	var out strings.Builder
	w := &plainWatcher{brief: true, out: &out}
	for _, kind := range []progress.EventKind{progress.TrialBegan, progress.Stage, progress.Live, progress.Stage} {
		w.Take(progress.Event{Kind: kind, Trial: "ssd/1/1", Position: 1, Of: 2, Text: "prepare"})
	}
	w.Take(ended("ssd/1/1", "ssd", 1, 1000))
	failed := ended("ssd/2/1", "ssd", 2, 0)
	failed.Failed, failed.Position = true, 2
	w.Take(failed)
	if want := "[1/4] ✓ ssd/1/1  done\n[2/4] ✗ ssd/2/1  done\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}

// A member that is measured alone is no rung of the table of results so far.
func TestLiveViewLeavesOutMembersAlone(t *testing.T) {
	alone := ended("ssd/alone-shop/1", "ssd", 1, 9000)
	alone.Alone = "shop"
	lines := resultTable{}.with(ended("ssd/1/1", "ssd", 1, 1000)).with(alone).lines(80, 24)
	if len(lines) != 2 || !strings.HasSuffix(lines[1], " 1,000") {
		t.Errorf("%q", lines)
	}
}

// The table of results so far calls variants by their labels.
func TestLiveViewHasLabels(t *testing.T) {
	var r resultTable
	r.labels = map[string]string{"try-operation-write": "write"}
	lines := r.with(ended("try-operation-write/1/1", "try-operation-write", 1, 1000)).lines(80, 24)
	if len(lines) != 2 || !strings.HasPrefix(lines[1], "write ") {
		t.Errorf("%q", lines)
	}
}
