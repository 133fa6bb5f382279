package watch

import (
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/text/sanitize"
	"plimsoll/internal/text/words"
)

// liveWatcher keeps a few lines at the bottom of a terminal up to date: the results so far, the
// progress of the run, and the current step. Finished trials scroll away above them. The terminal
// keeps its mode, so Ctrl-C stays a signal.
type liveWatcher struct {
	terminal *os.File
	ascii    bool // is all that the terminal shows
	program  *tea.Program
	done     chan struct{}
}

func newLiveWatcher(terminal *os.File, ascii bool, labels map[string]string) *liveWatcher {
	w := &liveWatcher{terminal: terminal, ascii: ascii, done: make(chan struct{})}
	w.program = tea.NewProgram(liveModel{width: 80, height: 24, ascii: ascii, results: resultTable{labels: labels}},
		tea.WithOutput(terminal), tea.WithInput(nil), tea.WithoutSignalHandler(),
		// Nobody reads the terminal's answers, so it must not be asked for its abilities; the
		// abilities that every terminal has must do.
		tea.WithEnvironment([]string{"TERM=ansi", "SSH_TTY=yes"}))
	go func() {
		defer close(w.done)
		_, _ = w.program.Run() // a view that fails must not stop a campaign
	}()
	return w
}

// Take implements Watcher.
func (w *liveWatcher) Take(e progress.Event) {
	if stays(e) {
		w.print(summaryOf(e))
	}
	w.program.Send(e)
}

// stays reports whether the event leaves a line on the screen.
func stays(e progress.Event) bool {
	return e.Kind == progress.TrialEnded || e.Kind == progress.TrialKept || e.Kind == progress.Note
}

func (w *liveWatcher) print(text string) {
	width, _, err := term.GetSize(int(w.terminal.Fd()))
	if err != nil {
		width = 80
	}
	if text = sanitize.Text(text); w.ascii {
		text = sanitize.ToASCII(text)
	}
	text = command.WrapText(text, width-1)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		w.program.Println(text) // waits for ever on a program that has ended
	}()
	select {
	case <-sent:
	case <-w.done:
	}
}

// Write implements io.Writer: the lines of the log scroll away above the view.
func (w *liveWatcher) Write(p []byte) (int, error) {
	w.print(strings.TrimRight(string(p), "\n"))
	return len(p), nil
}

// Stopping implements Watcher.
func (w *liveWatcher) Stopping() { w.program.Send(stoppingMsg{}) }

// Close implements Watcher.
func (w *liveWatcher) Close() {
	w.program.Send(closeMsg{})
	<-w.done
}

type (
	stoppingMsg struct{}
	closeMsg    struct{}
	tickMsg     struct{}
)

// liveModel is what the view is drawn from.
type liveModel struct {
	width, height int
	ascii         bool // is all that the terminal shows
	now           progress.Event
	results       resultTable
	stopping      bool
	closed        bool
}

// Init implements tea.Model.
func (m liveModel) Init() tea.Cmd { return tick() }

// tick lets the time left go down between events.
func tick() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} }) }

// Update implements tea.Model.
func (m liveModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tickMsg:
		return m, tick()
	case stoppingMsg:
		m.stopping = true
	case closeMsg:
		m.closed = true
		return m, tea.Quit
	case progress.Event:
		m.results = m.results.with(msg)
		if msg.Kind != progress.Note {
			m.now = msg
		}
	}
	return m, nil
}

// View implements tea.Model.
func (m liveModel) View() tea.View {
	if m.closed || m.now.Of == 0 && !m.stopping {
		return tea.NewView("")
	}
	lines := m.lines()
	v := tea.NewView(strings.Join(lines, "\n"))
	last := lines[len(lines)-1]
	// A cursor that was hidden would stay so after a kill -9.
	v.Cursor = tea.NewCursor(len([]rune(last)), len(lines)-1)
	return v
}

func (m liveModel) lines() []string {
	lines := m.results.lines(m.width-1, m.height-5)
	lines = append(lines, m.progress(), m.doing())
	for i, l := range lines {
		lines[i] = cut(sanitize.Text(l), m.width-1)
		if m.ascii { // some characters become two
			lines[i] = runewidth.Truncate(sanitize.ToASCII(lines[i]), m.width-1, "")
		}
	}
	return lines
}

func (m liveModel) progress() string {
	bar := fmt.Sprintf("%s %d/%d", bar(min(20, m.width/3), m.now.Done), m.now.Position, m.now.Of)
	if left := m.now.Left - time.Since(m.now.At); left > 0 && !m.stopping {
		return bar + "  " + leftText(left)
	}
	return bar
}

func (m liveModel) doing() string {
	what := stageText(m.now)
	switch {
	case m.stopping && m.width < 80:
		what = "interrupted: " + what
	case m.stopping:
		what = "interrupted, cleaning up (Ctrl-C again to stop waiting): " + what
	case m.now.Kind == progress.Live && m.now.Throughput > 0 && m.width < 60:
		what = fmt.Sprintf("%s %s  p95 %s", words.Number(m.now.Throughput), m.now.Unit, words.Latency(m.now.P95))
	case m.now.Kind == progress.Live:
		what = liveText(m.now)
	case m.now.Kind == progress.TrialBegan:
		what = "begin"
	}
	return strings.TrimSpace(m.now.Trial + "  " + what)
}

// bar draws a share from 0 to 1.
func bar(width int, share float64) string {
	full := max(0, min(width, int(share*float64(width))))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// cut shortens a line to a width in columns.
func cut(line string, width int) string { return runewidth.Truncate(line, max(width, 1), "…") }
