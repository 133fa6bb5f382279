package live

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/report/browsertest"
	"plimsoll/test/quick"
)

// stream reads updates of a live page.
type stream struct {
	t      *testing.T
	lines  *bufio.Scanner
	answer *http.Response
	id     string
}

func openStream(t *testing.T, l *Listener, lastID string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), browsertest.Limit)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", l.URL()+"events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", lastID)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 16<<20)
	return &stream{t: t, lines: lines, answer: answer}
}

// next waits for an update that satisfies is.
func (s *stream) next(is func(update) bool) (u update) {
	s.t.Helper()
	for s.lines.Scan() {
		if id, ok := strings.CutPrefix(s.lines.Text(), "id: "); ok {
			s.id = id
		}
		if data, ok := strings.CutPrefix(s.lines.Text(), "data: "); ok {
			u = update{}
			if err := json.Unmarshal([]byte(data), &u); err != nil {
				s.t.Fatal(err)
			}
			if is(u) {
				return u
			}
		}
	}
	s.t.Fatalf("the stream ended: %v", s.lines.Err())
	return u
}

func whatever(update) bool { return true }

func TestAReaderWhoWasAwayIsGivenWhatIsNew(t *testing.T) {
	l := listen(t, Options{})
	r := newReplay(t)
	register(t, l, r.live)
	r.begin(3)
	r.end()
	first := openStream(t, l, "")
	if u := first.next(whatever); !u.Whole || len(u.Trials) != 1 || len(u.Points) != 3 {
		t.Errorf("at first: %+v", u)
	}
	first.answer.Body.Close() // the laptop is closed
	for range 2 {
		r.begin(2)
		r.end()
	}
	second := openStream(t, l, first.id)
	u := second.next(whatever)
	if u.Whole || len(u.Trials) != 2 || u.Trials[0].Trial != r.trials[1].ID || len(u.Points) != 2 {
		t.Errorf("after a while: %+v", u)
	}
	if u := openStream(t, l, second.id).next(whatever); u.Whole || len(u.Trials) != 0 || len(u.Points) != 0 {
		t.Errorf("with everything: %+v", u)
	}
	for _, id := range []string{"another-3", "nonsense", r.live.boot + "-x", r.live.boot + "-0"} {
		if u := openStream(t, l, id).next(whatever); !u.Whole || len(u.Trials) != 3 {
			t.Errorf("with %q: %+v", id, u)
		}
	}
}

func TestFiguresAreMadeOnlyForReadersAndNotWhileATrialIsMeasured(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	l := listen(t, Options{})
	r := newReplay(t)
	register(t, l, r.live)
	made := func() int {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.analysed
	}
	r.begin(2)
	r.end()
	r.say(progress.Event{Kind: progress.Stage, Text: "start the instances"})
	if n := made(); n != 0 {
		t.Fatalf("%d analyses that nobody watches", n)
	}
	r.begin(2)
	s := openStream(t, l, "")
	if u := s.next(whatever); !u.Figures.Waits || made() != 0 {
		t.Errorf("while a trial is measured: %+v, %d analyses", u.Figures, made())
	}
	if status, _, _ := ask(t, l, "GET", "/contents", nil); status != http.StatusNotFound {
		t.Errorf("status %d", status)
	}
	if status, _, _ := ask(t, l, "POST", "/figures", nil); status != http.StatusNoContent {
		t.Errorf("status %d", status)
	}
	u := s.next(func(u update) bool { return u.Figures.Trials == 1 })
	if status, text, _ := ask(t, l, "GET", "/contents", nil); status != http.StatusOK || !strings.Contains(text, r.trials[0].ID) {
		t.Errorf("status %d after %+v", status, u)
	}
	r.end()
	s.next(func(u update) bool { return u.Figures.Trials == 2 })
	if n := made(); n != 2 {
		t.Errorf("%d analyses of two states", n)
	}
}

func TestARunThatEndsHasReadersLeaveWithItsEnd(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	l := listen(t, Options{})
	r := newReplay(t)
	register(t, l, r.live)
	s := openStream(t, l, "")
	s.next(whatever)
	for range r.trials {
		r.end()
	}
	r.finish()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		r.live.Drain(limited(t))
	}()
	s.next(func(u update) bool { return u.State == Finished && u.Figures.Trials == len(r.trials) })
	select {
	case <-drained:
		t.Error("the server did not wait for its reader")
	case <-time.After(100 * time.Millisecond):
	}
	if status, _, _ := ask(t, l, "GET", "/contents", nil); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	s.answer.Body.Close()
	<-drained
}

// Closing ends streams at once, after the last update.
func TestClosingEndsStreams(t *testing.T) {
	l := listen(t, Options{})
	r := newReplay(t)
	register(t, l, r.live)
	s := openStream(t, l, "")
	s.next(whatever)
	r.live.Stop("interrupted")
	closed := make(chan error)
	go func() { closed <- l.Close(limited(t)) }()
	s.next(func(u update) bool { return u.State == Stopped && u.Closing == "interrupted" })
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
