package live

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/report"
)

// figures is the report of the run as it stands. It is made only while a viewer
// watches, and not while a trial is measured: the analysis takes processor time
// that the measured servers may need.
type figures struct {
	contents []byte    // for the script; nil before the first
	number   int64     // of the change that brought them
	covered  int       // how many finished trials they show
	busy     bool      // being made
	asked    bool      // they are asked for although a trial is measured
	after    time.Time // the next are not made before
	delayed  bool      // they are considered again then
	failure  string
}

// figuresState is what readers know of the figures.
type figuresState struct {
	Number int64 `json:"number"` // of the contents that there are, 0 for none
	Trials int   `json:"trials"` // finished trials that they show
	// Waits reports that finished trials are not shown because one is being measured.
	Waits   bool   `json:"waits,omitempty"`
	Failure string `json:"failure,omitempty"`
}

// The time between two analyses: at least shortestPause, and so that analyses
// take a tenth of one processor at most.
const (
	shortestPause = 2 * time.Second
	pauseFactor   = 10
)

func (f *figures) set(number int64, contents []byte, covered int) {
	f.contents, f.number, f.covered, f.failure = contents, number, covered, ""
}

// measuring reports whether users are at work. The lock is held.
func (l *Live) measuring() bool { return l.now.Kind == progress.Live }

// figuresNow is what readers know of the figures. The lock is held.
func (l *Live) figuresNow() figuresState {
	f := &l.figures
	waits := f.covered < len(l.trials) && l.measuring() && !f.asked && !f.busy && !l.over()
	return figuresState{Number: f.number, Trials: f.covered, Waits: waits, Failure: f.failure}
}

// consider makes figures when they are wanted and do no harm. The lock is held.
func (l *Live) consider() {
	f := &l.figures
	if f.busy || f.delayed || l.readers == 0 || f.covered == len(l.trials) || l.over() || l.measuring() && !f.asked {
		return
	}
	if pause := time.Until(f.after); pause > 0 {
		f.delayed = true
		time.AfterFunc(pause, l.reconsider)
		return
	}
	f.busy = true
	go l.makeFigures(len(l.trials))
}

func (l *Live) reconsider() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.figures.delayed = false
	l.consider()
}

// makeFigures makes figures of the trials that have finished.
func (l *Live) makeFigures(covered int) {
	began := time.Now()
	contents, err := l.contentsNow()
	l.mu.Lock()
	defer l.mu.Unlock()
	f := &l.figures
	f.busy, f.asked, f.after = false, false, time.Now().Add(max(shortestPause, pauseFactor*time.Since(began)))
	if l.over() {
		return
	}
	l.change()
	if err != nil {
		f.covered, f.failure = covered, err.Error()
		return
	}
	f.set(l.number, contents, covered)
	l.consider()
}

// contentsNow are the figures of the run as it stands. A mistake of ours in them must not end the
// run.
func (l *Live) contentsNow() (_ []byte, err error) {
	defer caught.As("make the figures of run "+l.about.Run, &err)
	a, series, err := l.analyse()
	if a != nil { // a verdict that was refused comes with the analysis
		return contentsOf(a, series)
	}
	return nil, err
}

func contentsOf(a *analysis.Analysis, series report.SeriesSource) ([]byte, error) {
	var text bytes.Buffer
	err := report.Contents(&text, a, series, report.Options{})
	return text.Bytes(), err
}

// contents answers with the figures that there are.
func (l *Live) contents(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	text, number := l.figures.contents, l.figures.number
	l.mu.Unlock()
	if text == nil {
		http.Error(w, "There are no figures yet.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Number", fmt.Sprint(number))
	if _, err := w.Write(text); err != nil {
		return // the reader went away
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delivered = l.delivered || l.state == Finished && number == l.figures.number
}

// hurry makes figures although a trial is measured.
func (l *Live) hurry(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	l.figures.asked = true
	l.consider()
	l.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}
