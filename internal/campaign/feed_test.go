package campaign_test

import (
	"slices"
	"sync"
	"testing"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/result"
)

// heard is a feed that stores everything it receives, by trial.
type heard struct {
	mu     sync.Mutex
	trials []*heardTrial
	events []progress.Event
}

type heardTrial struct {
	result.Tile
	records []result.Record
	samples []result.Series
}

func (h *heard) Begin(t result.Tile) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trials = append(h.trials, &heardTrial{Tile: t})
}

func (h *heard) Record(r result.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.trials[len(h.trials)-1]
	now.records = append(now.records, r)
}

func (h *heard) Sampled(some []result.Series) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.trials[len(h.trials)-1]
	now.samples = append(now.samples, some...)
}

func (h *heard) event(e progress.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// TestTheFeedGetsWhatTheResultIsMadeOf checks, trial by trial, that the feed received as many
// records as the result counts.
func TestTheFeedGetsWhatTheResultIsMadeOf(t *testing.T) {
	inTime(t, stacked(), func(r *runs) {
		feed := &heard{}
		r.options.Feed, r.options.Progress = feed, feed.event
		trials := r.finishes()
		passed(t, trials...)
		if len(feed.trials) != len(trials) {
			t.Fatalf("%d trials began, and %d ended", len(feed.trials), len(trials))
		}
		for n, got := range feed.trials {
			want := trials[n]
			if got.ID != want.ID || got.Variant.Name != "a" || got.Rung != 2 || got.Members[0].Profile.Whole() != want.Profile.Whole() {
				t.Errorf("trial %s begins as %+v", want.ID, got.Trial)
			}
			var count int64
			for _, record := range got.records {
				if record.Kind == result.KindOperation && record.Operation == want.Profile.Whole() && record.Phase == result.Measure {
					count += record.Count
				}
			}
			if whole := want.Whole(); count == 0 || count != whole.Count {
				t.Errorf("%s: records of %d units, and a result of %d", want.ID, count, whole.Count)
			}
			if len(got.samples) != 1 || got.samples[0].Machine != "fake" {
				t.Errorf("%s: sampled %+v", want.ID, got.samples)
			}
		}
	})
}

// TestEventsSayHowManyInstancesAreReady: from none, while their volumes are being made, to
// all while users are at work.
func TestEventsSayHowManyInstancesAreReady(t *testing.T) {
	inTime(t, stacked(), func(r *runs) {
		feed := &heard{}
		r.options.Progress = feed.event
		passed(t, r.finishes()...)
		var stages, live []int
		for _, e := range feed.events {
			if e.Kind == progress.TrialBegan && (e.Variant != "a" || e.Rung != 2) {
				t.Errorf("the trial begins as %+v", e)
			}
			if e.Instances == 2 && e.Text == "clone volumes" {
				stages = append(stages, e.Ready)
			}
			if e.Kind == progress.Live {
				live = append(live, e.Ready)
			}
		}
		if len(stages) == 0 || slices.Max(stages) != 0 {
			t.Errorf("before servers have started, %v instances are ready", stages)
		}
		if len(live) == 0 || slices.Min(live) != 2 {
			t.Errorf("while users are at work, %v instances are ready", live)
		}
	})
}
