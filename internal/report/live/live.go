package live

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/report"
)

// Analyse gives the analysis of a run as it stands, and its time series.
type Analyse func() (*analysis.Analysis, report.SeriesSource, error)

// RunInfo is what the live page says of its run from the beginning.
type RunInfo struct {
	Run    string `json:"run"`   // name of its directory
	Study  string `json:"study"` // title, or name
	Report string `json:"report"`
}

// Live is the page of a run in progress. Take receives every event of the campaign; Finish
// or Stop says how the run ended.
//
// Every change has a number. A reader sends the number of the last change that it has seen
// and gets all newer ones once, whether it missed a second or an hour. Nothing is queued
// for readers.
type Live struct {
	about   RunInfo
	analyse Analyse
	boot    string // distinguishes the numbers of this Live from another's

	mu      sync.Mutex
	number  int64
	changed chan struct{} // closed at the next change
	now     progress.Event
	state   State
	closing string // how the run ended, in words
	trials  []numberedEvent
	notes   []numberedEvent
	points  []point
	figures figures
	readers int
	left    time.Time     // when a reader left last
	closed  chan struct{} // the server stops

	delivered bool // a viewer has the final figures
}

// State is how far the run is.
type State string

// States of a run.
const (
	Running  State = "running"
	Stopping State = "stopping" // interrupted, cleaning up
	Stopped  State = "stopped"  // before its end
	Finished State = "finished" // the figures are the report's
)

// numberedEvent is an event that stays, such as the end of a trial.
type numberedEvent struct {
	Number int64 `json:"number"`
	progress.Event
}

// point is what the load was like in one second of the running trial.
type point struct {
	Number     int64   `json:"number"`
	Trial      string  `json:"trial"`
	At         int64   `json:"at"` // ms since 1970
	Phase      string  `json:"phase"`
	Throughput float64 `json:"throughput"`
	P99        float64 `json:"p99"` // s
}

// Bounds of the history held for readers.
const (
	mostNotes  = 100
	mostPoints = 600 // of the running trial: ten minutes
)

// NewLive makes the page of a run.
func NewLive(about RunInfo, analyse Analyse) *Live {
	return &Live{about: about, analyse: analyse, boot: rand.Text()[:8], changed: make(chan struct{}), closed: make(chan struct{}), state: Running}
}

// Register adds the page to a Listener, and has its closing end the streams.
func (l *Live) Register(to *Listener) {
	to.OnClose(sync.OnceFunc(func() { close(l.closed) }))
	to.Handle("GET /{$}", http.HandlerFunc(l.page))
	to.Handle("GET /events", http.HandlerFunc(l.events))
	to.Handle("GET /contents", http.HandlerFunc(l.contents))
	to.Handle("POST /figures", http.HandlerFunc(l.hurry))
}

// page answers with the page, which asks for everything else.
func (l *Live) page(w http.ResponseWriter, _ *http.Request) {
	writePage(w, l.about.Study, map[string]any{"live": l.about})
}

// writePage writes a page; that its reader went away is nobody's error.
func writePage(w io.Writer, title string, data any) {
	if answer, ok := w.(http.ResponseWriter); ok {
		answer.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	_ = report.Shell(w, title, data)
}

// Take takes an event of the campaign. It costs the campaign no waiting.
func (l *Live) Take(e progress.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change()
	switch e.Kind {
	case progress.Note:
		l.notes = last(append(l.notes, numberedEvent{l.number, e}), mostNotes)
		return
	case progress.TrialBegan:
		l.points = nil
	case progress.Live:
		l.points = last(append(l.points, point{l.number, e.Trial, e.At.UnixMilli(), e.Phase, e.Throughput, e.P99}), mostPoints)
	case progress.TrialEnded, progress.TrialKept:
		l.trials = append(l.trials, numberedEvent{l.number, e})
	}
	l.now = e
	l.consider()
}

// last keeps the last most of a list.
func last[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }

// Interrupted says that the run is cleaning up.
func (l *Live) Interrupted() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == Running {
		l.change()
		l.state = Stopping
	}
}

// Stop says why the run ended without a report; one that finished did not.
func (l *Live) Stop(why string) { l.end(Stopped, why, nil) }

// Finish shows the analysis that the report was written from.
func (l *Live) Finish(a *analysis.Analysis, series report.SeriesSource) error {
	if !l.watched() {
		return nil
	}
	contents, err := contentsOf(a, series)
	if err != nil {
		return fmt.Errorf("show the report in the live page: %w", err)
	}
	l.end(Finished, "The run has ended; this is its report.", contents)
	return nil
}

// watched reports whether a viewer watches, or may just be loading the page again.
func (l *Live) watched() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.readers > 0 || time.Since(l.left) < reload
}

// reload is how long a reader who left may take to come back, and be the same.
const reload = 3 * time.Second

func (l *Live) end(state State, why string, contents []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over() {
		return
	}
	l.change()
	l.state, l.closing = state, why
	if contents != nil {
		l.figures.set(l.number, contents, len(l.trials))
	}
}

// change gives what follows a number and wakes the readers. The lock is held.
func (l *Live) change() {
	l.number++
	close(l.changed)
	l.changed = make(chan struct{})
}

// over reports whether nothing will change any more. The lock is held.
func (l *Live) over() bool { return l.state == Stopped || l.state == Finished }

// Drain waits until no reader is connected, or the context ends. Readers leave when they
// have all updates of a run that ended.
func (l *Live) Drain(ctx context.Context) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for l.waitedFor() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// waitedFor reports whether a reader may not have the end yet: one who left with it
// said so.
func (l *Live) waitedFor() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.readers > 0 || !l.delivered && time.Since(l.left) < reload
}
