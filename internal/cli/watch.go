package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"plimsoll/internal/campaign"
)

// watcher shows how a campaign goes: a status line that is rewritten in place
// on a terminal, plain lines elsewhere, JSON lines on standard error with
// --json.
type watcher struct {
	mu    sync.Mutex
	out   io.Writer
	json  bool
	width int // of the terminal, 0 for plain lines

	last  campaign.Event
	shown time.Time // when the last live line was printed
	line  string    // what stands on the status line
}

// quietLive is how often plain output repeats the numbers of a running trial.
const quietLive = 10 * time.Second

func (s *State) newWatcher() *watcher {
	return &watcher{out: s.Stderr, json: s.JSON, width: s.Width}
}

func (w *watcher) take(e campaign.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.json:
		text, _ := json.Marshal(e) // plain data always marshals
		fmt.Fprintf(w.out, "%s\n", text)
	case w.width > 0:
		w.onTerminal(e)
	default:
		w.plain(e)
	}
	w.last = e
}

// onTerminal keeps finished things as lines and everything else on the status
// line.
func (w *watcher) onTerminal(e campaign.Event) {
	if e.Kind == campaign.TrialEnded || e.Kind == campaign.Note {
		w.print(summaryOf(e))
	}
	w.status(e)
}

func (w *watcher) status(e campaign.Event) {
	parts := []string{bar(e.Position, e.Of, e.Share), e.Trial}
	if e.Kind == campaign.Live {
		parts = append(parts, liveText(e))
	} else {
		parts = append(parts, stageText(e))
	}
	line := strings.Join(parts, "  ")
	if left := leftText(e.Left); left != "" {
		line += "  " + left
	}
	if runes := []rune(line); len(runes) >= w.width {
		line = string(runes[:max(0, w.width-2)]) + "…"
	}
	w.line = line
	fmt.Fprintf(w.out, "\r\x1b[K%s", line)
}

func (w *watcher) print(text string) {
	fmt.Fprintf(w.out, "\r\x1b[K%s\n", text)
}

// plain prints what begins and what ends, and the numbers now and then.
func (w *watcher) plain(e campaign.Event) {
	switch e.Kind {
	case campaign.TrialBegan:
		fmt.Fprintf(w.out, "[%d/%d] %s%s\n", e.Position, e.Of, e.Trial, suffix(leftText(e.Left)))
	case campaign.Stage:
		if e.Text != w.last.Text {
			fmt.Fprintf(w.out, "        %s\n", e.Text)
		}
	case campaign.Live:
		if time.Since(w.shown) >= quietLive {
			w.shown = time.Now()
			fmt.Fprintf(w.out, "        %s%s\n", liveText(e), suffix(leftText(e.Left)))
		}
	default:
		fmt.Fprintf(w.out, "        %s\n", e.Text)
	}
}

func (w *watcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.width > 0 && !w.json && w.line != "" {
		fmt.Fprint(w.out, "\r\x1b[K")
	}
}

func suffix(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

func stageText(e campaign.Event) string {
	if e.Share > 0 && e.Share < 1 {
		return fmt.Sprintf("%s %.0f %%", e.Text, e.Share*100)
	}
	return e.Text
}

func liveText(e campaign.Event) string {
	text := e.Phase
	if e.OPM > 0 {
		text += fmt.Sprintf("  %.0f OPM  mean %s  p95 %s", e.OPM, shortTime(e.Mean), shortTime(e.P95))
	}
	return text
}

func shortTime(seconds float64) string {
	if seconds >= 1 {
		return fmt.Sprintf("%.2f s", seconds)
	}
	return fmt.Sprintf("%.3g ms", seconds*1e3)
}

func leftText(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	d = d.Round(time.Second)
	if d >= time.Minute {
		return fmt.Sprintf("%d min %02d s left", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d s left", int(d.Seconds()))
}

// bar draws how far the campaign is, the running trial counted by its share.
func bar(position, of int, share float64) string {
	const width = 20
	if of == 0 {
		return ""
	}
	done := (float64(max(0, position-1)) + share) / float64(of)
	full := min(width, int(done*width))
	return fmt.Sprintf("%s%s %d/%d", strings.Repeat("█", full), strings.Repeat("░", width-full), position, of)
}

func summaryOf(e campaign.Event) string {
	if e.Kind == campaign.Note {
		return "  " + e.Text
	}
	mark := "✓"
	if e.Failed {
		mark = "✗"
	}
	return fmt.Sprintf("%s %s  %s", mark, e.Trial, e.Text)
}
