package live

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/campaign/progress"
)

// update is what a reader needs to be up to date, having seen some number.
// Applying it twice does nothing more than once.
type update struct {
	Number int64 `json:"number"`
	// Whole reports that what the reader has is of another run or too old: the lists
	// are complete.
	Whole   bool            `json:"whole,omitempty"`
	State   State           `json:"state"`
	Closing string          `json:"closing,omitempty"`
	Now     progress.Event  `json:"now"`
	Left    float64         `json:"left"` // of the run as estimated now, s
	Trials  []numberedEvent `json:"trials,omitempty"`
	Notes   []numberedEvent `json:"notes,omitempty"`
	Points  []point         `json:"points,omitempty"`
	Figures figuresState    `json:"figures"`
}

// Rhythm of a stream of events.
const (
	shortestGap = 500 * time.Millisecond // between two updates
	heartbeat   = 10 * time.Second       // at the latest something is sent, to notice that the other side is gone
	sendLimit   = 30 * time.Second       // for a reader to take an update
)

// events streams updates until the reader leaves. Last-Event-ID, or since in the
// address, says what the reader has already.
func (l *Live) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // proxies would hold events back
	seen := l.seen(r)
	l.enter()
	defer l.leave()
	for {
		u, changed := l.since(seen)
		if err := l.send(w, u); err != nil {
			return
		}
		seen = u.Number
		if !l.wait(r, changed) {
			return
		}
	}
}

// seen reads the number that the reader has; 0 for none of this Live.
func (l *Live) seen(r *http.Request) int64 {
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = r.URL.Query().Get("since")
	}
	boot, text, _ := strings.Cut(id, "-")
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || boot != l.boot {
		return 0
	}
	return number
}

// since collects everything newer than a number.
func (l *Live) since(seen int64) (update, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := update{
		Number: l.number, Whole: seen == 0, State: l.state, Closing: l.closing, Now: l.now,
		Trials:  newer(l.trials, seen, func(n numberedEvent) int64 { return n.Number }),
		Notes:   newer(l.notes, seen, func(n numberedEvent) int64 { return n.Number }),
		Points:  newer(l.points, seen, func(p point) int64 { return p.Number }),
		Figures: l.figuresNow(),
	}
	if l.now.Left > 0 {
		u.Left = max(0, (l.now.Left - time.Since(l.now.At)).Seconds())
	}
	return u, l.changed
}

// newer is the end of a list that grows in order.
func newer[T any](list []T, seen int64, number func(T) int64) []T {
	for i, one := range list {
		if number(one) > seen {
			return list[i:len(list):len(list)]
		}
	}
	return nil
}

// send sends one update at once.
func (l *Live) send(w http.ResponseWriter, u update) error {
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	c := http.NewResponseController(w)
	if err := c.SetWriteDeadline(time.Now().Add(sendLimit)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "id: %s-%d\ndata: %s\n\n", l.boot, u.Number, text); err != nil {
		return err
	}
	return c.Flush()
}

// wait returns when there is something to send; false when the reader left, or
// has what was there when the server stopped.
func (l *Live) wait(r *http.Request, changed <-chan struct{}) bool {
	gap, beat := time.NewTimer(shortestGap), time.NewTimer(heartbeat)
	defer gap.Stop()
	defer beat.Stop()
	select {
	case <-gap.C:
	case <-r.Context().Done():
		return false
	case <-l.closed:
		return unseen(changed)
	}
	select {
	case <-changed:
	case <-beat.C:
	case <-r.Context().Done():
		return false
	case <-l.closed:
		return unseen(changed)
	}
	return true
}

// unseen reports whether there was a change since.
func unseen(changed <-chan struct{}) bool {
	select {
	case <-changed:
		return true
	default:
		return false
	}
}

// enter counts a reader; while there is one, figures are made.
func (l *Live) enter() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers++
	l.consider()
}

func (l *Live) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers--
	l.left = time.Now()
}
