package telemetry

import (
	"slices"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/result"
)

func TestJoinPutsPiecesTogetherAndPrefersTheFirstSource(t *testing.T) {
	piece := func(machine, metric string, times ...int64) result.Series {
		s := result.Series{Machine: machine, Kind: "cpu", Metric: metric, Times: times}
		for _, at := range times {
			s.Values = append(s.Values, float64(at)/10)
		}
		return s
	}
	got := Join(
		[]result.Series{piece("b", "busy", 10, 20), piece("a", "busy", 10), piece("b", "busy", 30)},
		[]result.Series{piece("b", "busy", 15, 25, 35), piece("b", "user", 15)},
	)
	if len(got) != 3 || got[0].Machine != "a" || !slices.Equal(got[1].Times, []int64{10, 20, 30}) || !slices.Equal(got[1].Values, []float64{1, 2, 3}) || got[2].Metric != "user" {
		t.Errorf("%+v", got)
	}
}

// Samples taken in pieces are the same as samples taken at once.
func TestTakeGivesEverySampleOnce(t *testing.T) {
	var mu sync.Mutex
	var pieces []result.Series
	calls := 0
	s := Start(t.Context(), Config{Interval: 20 * time.Millisecond, Start: time.Now(), Take: func(some []result.Series) {
		mu.Lock()
		defer mu.Unlock()
		pieces = append(pieces, some...)
		calls++
	}})
	for again := true; again; {
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		again = calls < 3
		mu.Unlock()
	}
	if rest := s.Stop(); len(rest) != 0 {
		t.Errorf("%d series are left", len(rest))
	}
	whole := Join(pieces)
	at := slices.IndexFunc(whole, func(s result.Series) bool { return s.Kind == "machine" && s.Metric == "memory_used" })
	if at < 0 || len(whole[at].Values) != s.taken || !slices.IsSorted(whole[at].Times) || slices.Contains(whole[at].Values, 0) {
		t.Errorf("of %d samples: %+v", s.taken, whole)
	}
}
