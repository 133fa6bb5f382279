// Package watch shows the progress of a campaign: redrawn in place on a terminal, as lines
// elsewhere, as JSON for programs.
package watch

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/text/words"
)

// Watcher shows the progress of a campaign on standard error. Log lines written to it appear
// between its own lines, never inside them.
type Watcher interface {
	io.Writer
	Take(progress.Event)
	// Stopping shows that the campaign was interrupted and is cleaning up.
	Stopping()
	Close()
}

// New gives a view that is redrawn in place on a terminal, with the labels of the
// variants by their names, plain lines elsewhere (brief: one for each trial), JSON lines with
// --json.
func New(s *command.State, brief bool, labels map[string]string) Watcher {
	if s.JSON {
		return &jsonWatcher{out: s.Stderr}
	}
	if s.Screen != nil {
		return newLiveWatcher(s.Screen, !command.NamesUTF8(s.Getenv), labels)
	}
	return &plainWatcher{out: s.Stderr, brief: brief}
}

// Logger writes what the campaign logs through its watcher.
func Logger(s *command.State, w Watcher, verbose bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelWarn}
	if verbose {
		options.Level = slog.LevelDebug
	}
	if s.JSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// jsonWatcher prints every event as one line of JSON.
type jsonWatcher struct {
	mu  sync.Mutex
	out io.Writer
}

// Take implements Watcher.
func (w *jsonWatcher) Take(e progress.Event) {
	text, _ := json.Marshal(e) // plain data always marshals
	fmt.Fprintf(w, "%s\n", text)
}

// Note is an event that is only a text.
func Note(text string) progress.Event {
	return progress.Event{Kind: progress.Note, At: time.Now(), Text: text}
}

// Write implements io.Writer.
func (w *jsonWatcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Stopping implements Watcher.
func (w *jsonWatcher) Stopping() {
	w.Take(Note(stoppingText))
}

// Close implements Watcher.
func (w *jsonWatcher) Close() {}

// plainWatcher prints what begins and what ends, and the numbers now and then.
type plainWatcher struct {
	brief bool // only what stays of a trial on a terminal
	mu    sync.Mutex
	out   io.Writer
	last  progress.Event
	shown time.Time // when live numbers were printed last
	stage time.Time // when a stage, or how far it is
}

// quietLive is how often plain output repeats the numbers of a running trial, or of a long
// stage.
const quietLive = 10 * time.Second

// Take implements Watcher.
func (w *plainWatcher) Take(e progress.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.brief {
		if stays(e) {
			fmt.Fprintf(w.out, "[%d/%d] %s\n", e.Position, e.Of, summaryOf(e))
		}
		return
	}
	switch e.Kind {
	case progress.TrialBegan:
		fmt.Fprintf(w.out, "[%d/%d] %s%s\n", e.Position, e.Of, e.Trial, suffix(leftText(e.Left)))
	case progress.TrialKept:
		fmt.Fprintf(w.out, "[%d/%d] %s is already measured: %s\n", e.Position, e.Of, e.Trial, e.Text)
	case progress.Stage:
		switch {
		case e.Text != w.last.Text:
			w.stage = time.Now()
			fmt.Fprintf(w.out, "        %s\n", e.Text)
		case e.Count > 0 && e.Count < e.CountOf && time.Since(w.stage) >= quietLive:
			w.stage = time.Now()
			fmt.Fprintf(w.out, "        %s\n", stageText(e))
		}
	case progress.Live:
		if time.Since(w.shown) >= quietLive {
			w.shown = time.Now()
			fmt.Fprintf(w.out, "        %s%s\n", liveText(e), suffix(leftText(e.Left)))
		}
	default:
		fmt.Fprintf(w.out, "        %s\n", e.Text)
	}
	w.last = e
}

// Write implements io.Writer.
func (w *plainWatcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Stopping implements Watcher.
func (w *plainWatcher) Stopping() { fmt.Fprintln(w, stoppingText) }

// Close implements Watcher.
func (w *plainWatcher) Close() {}

const stoppingText = "interrupted: stopping the instances and cleaning up; interrupt again to stop waiting for them"

func suffix(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

func stageText(e progress.Event) string {
	if e.CountOf > 0 && e.Count < e.CountOf {
		return fmt.Sprintf("%s %s of %s%s", e.Text, words.Whole(e.Count), words.Whole(e.CountOf), suffix(leftText(e.StageLeft)))
	}
	if e.Share > 0 && e.Share < 1 {
		return fmt.Sprintf("%s %.0f %%", e.Text, e.Share*100)
	}
	return e.Text
}

func liveText(e progress.Event) string {
	if e.Throughput <= 0 {
		return e.Phase
	}
	return fmt.Sprintf("%s  %s %s  mean %s  p95 %s", e.Phase, words.Number(e.Throughput), e.Unit, words.Latency(e.Mean), words.Latency(e.P95))
}

func leftText(d time.Duration) string {
	if d < time.Second/2 {
		return ""
	}
	return words.Span(d) + " left"
}

// summaryOf is what stays on the screen of a trial.
func summaryOf(e progress.Event) string {
	first, _, _ := strings.Cut(e.Text, "\n")
	switch {
	case e.Kind == progress.Note:
		return first
	case e.Kind == progress.TrialKept:
		return fmt.Sprintf("= %s  already measured: %s", e.Trial, first)
	case e.Failed:
		return fmt.Sprintf("✗ %s  %s", e.Trial, first)
	}
	return fmt.Sprintf("✓ %s  %s", e.Trial, first)
}
