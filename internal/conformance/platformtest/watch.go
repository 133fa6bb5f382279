package platformtest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/result"
)

// patience is how long a Watch waits for the expected event, on a busy machine.
const patience = 5 * time.Minute

// Watch collects what an observer passes on, so that tests wait for values rather than for
// a time. Its method Seen is for platform.Observation.
type Watch struct {
	mu     sync.Mutex
	passed []result.Series
	more   chan struct{}
}

// NewWatch gives one that has seen nothing.
func NewWatch() *Watch { return &Watch{more: make(chan struct{}, 1)} }

// Seen takes samples.
func (w *Watch) Seen(some []result.Series) {
	w.mu.Lock()
	w.passed = append(w.passed, some...)
	w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default: // Until looks at all of it anyway
	}
}

// All are the series so far, each with the values of all its sources.
func (w *Watch) All() []result.Series {
	w.mu.Lock()
	defer w.mu.Unlock()
	return telemetry.Join(w.passed)
}

// Until waits until the series so far are enough.
func (w *Watch) Until(t *testing.T, enough func([]result.Series) bool) {
	t.Helper()
	late := time.After(patience)
	for !enough(w.All()) {
		select {
		case <-w.more:
		case <-late:
			t.Fatalf("after %v, what was sampled is %+v", patience, w.All())
		}
	}
}

// Values gives the values of one of the series, nil when there is none.
func Values(all []result.Series, kind, name, metric string) []float64 {
	at := slices.IndexFunc(all, func(s result.Series) bool { return s.Kind == kind && s.Name == name && s.Metric == metric })
	if at < 0 {
		return nil
	}
	return all[at].Values
}
