package fakekubelet

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// logbook is what a container has written, in lines with the time of each.
type logbook struct {
	mu      sync.Mutex
	lines   []line
	partial []byte
	closed  bool
	changed chan struct{} // closed at the next change
}

type line struct {
	at   time.Time
	text []byte // with its end
}

func newLogbook() *logbook { return &logbook{changed: make(chan struct{})} }

// Write implements io.Writer.
func (l *logbook) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, data...)
	for {
		end := bytes.IndexByte(l.partial, '\n')
		if end < 0 {
			break
		}
		l.lines = append(l.lines, line{time.Now(), bytes.Clone(l.partial[:end+1])})
		l.partial = l.partial[end+1:]
	}
	l.notify()
	return len(data), nil
}

func (l *logbook) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.partial) > 0 {
		l.lines = append(l.lines, line{time.Now(), append(l.partial, '\n')})
	}
	l.closed = true
	l.notify()
}

// notify wakes who waits for a change. The caller holds mu.
func (l *logbook) notify() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// from gives the lines after the first n.
func (l *logbook) from(n int) (lines []line, closed bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines[min(n, len(l.lines)):], l.closed, l.changed
}

// tail is the end of it.
func (l *logbook) tail() []byte {
	lines, _, _ := l.from(0)
	var text []byte
	for _, one := range lines[max(0, len(lines)-80):] {
		text = append(text, one.text...)
	}
	return text
}

// serve answers a request for the log.
func (l *logbook) serve(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	since, _ := time.Parse(time.RFC3339, query.Get("sinceTime")) // none is the beginning
	lines, _, _ := l.from(0)
	next := 0
	if last, err := strconv.Atoi(query.Get("tailLines")); err == nil {
		next = max(0, len(lines)-last)
	}
	for {
		lines, closed, changed := l.from(next)
		for _, one := range lines {
			if one.at.Before(since) {
				continue
			}
			if query.Get("timestamps") == "true" {
				fmt.Fprint(w, one.at.UTC().Format(time.RFC3339Nano), " ")
			}
			_, _ = w.Write(one.text) // who has gone is seen below
		}
		next += len(lines)
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		if closed || query.Get("follow") != "true" {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

var _ io.Writer = (*logbook)(nil)
