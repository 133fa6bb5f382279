package telemetry

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/storage"
)

func TestCountsOfDaemonsBecomeSamples(t *testing.T) {
	at := time.Unix(100, 0)
	answer := func(after time.Duration, counts ...storage.Count) counted {
		return counted{counts: counts, at: at.Add(after)}
	}
	first := answer(0, storage.Count{Metric: "queue", Value: 3}, storage.Count{Metric: "reads", As: storage.Rate, Value: 10},
		storage.Count{Metric: "read_latency", As: storage.Mean, Value: 1, Of: 10})
	for name, c := range map[string]struct {
		before, now counted
		want        map[string]float64
	}{
		"the first answer has no growth": {counted{}, first, map[string]float64{"queue": 3}},
		"growth": {first, answer(2*time.Second, storage.Count{Metric: "queue"}, storage.Count{Metric: "reads", As: storage.Rate, Value: 30},
			storage.Count{Metric: "read_latency", As: storage.Mean, Value: 2, Of: 30}), map[string]float64{"queue": 0, "reads": 10, "read_latency": 0.05}},
		"nothing was read": {first, answer(time.Second, storage.Count{Metric: "reads", As: storage.Rate, Value: 10},
			storage.Count{Metric: "read_latency", As: storage.Mean, Value: 1, Of: 10}), map[string]float64{"reads": 0}},
		"it began again": {first, answer(time.Second, storage.Count{Metric: "reads", As: storage.Rate, Value: 1},
			storage.Count{Metric: "read_latency", As: storage.Mean, Value: 2, Of: 1}), map[string]float64{}},
		"one that was not there before": {first, answer(time.Second, storage.Count{Metric: "writes", As: storage.Rate, Value: 1}), map[string]float64{}},
	} {
		if got := c.now.since(c.before); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestDaemonsAreAskedAndOneThatIsSilentIsNoted(t *testing.T) {
	began := time.Now()
	meters := func() []storage.Meter {
		return []storage.Meter{
			{Name: "osd.0", Read: func(context.Context) ([]storage.Count, error) {
				return []storage.Count{{Metric: "reads", As: storage.Rate, Value: 50 * time.Since(began).Seconds()}}, nil
			}},
			{Name: "osd.1", Read: func(context.Context) ([]storage.Count, error) { return nil, errors.New("no such socket") }},
		}
	}
	sampleUntil(t, Config{Meters: meters}, "what a daemon counts", func(all []result.Series) bool {
		return highest(find(all, "daemon", "osd.0", "reads")) > 0
	})
	var k ticker
	s := Start(t.Context(), Config{Interval: 20 * time.Millisecond, Start: time.Now(), Meters: meters, Drivers: k.drivers})
	k.wait(t, 5)
	s.Stop()
	if notes := strings.Join(s.Notes(), "; "); !strings.Contains(notes, "what osd.1 counts is not known: no such socket") || strings.Contains(notes, "osd.0") {
		t.Errorf("notes are %q", notes)
	}
}
