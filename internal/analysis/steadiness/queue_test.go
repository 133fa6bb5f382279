package steadiness_test

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/steadiness"
)

// Queues of open loops grow where more is due than is served, and not where they come and go, or
// nothing was served for a while.
func TestQueuesThatGrow(t *testing.T) {
	evenly := func(rate float64) []float64 {
		ended := make([]float64, 120)
		for i := range ended {
			ended[i] = rate
		}
		return ended
	}
	stalled := evenly(80)
	for i := 100; i < 104; i++ {
		stalled[i] = 0
	}
	for _, c := range []struct {
		name  string
		queue steadiness.Queue
		want  bool
	}{
		{"1.5 % more is due than is served", steadiness.Queue{Ended: evenly(78.8), Due: 9600}, true},
		{"as much", steadiness.Queue{Ended: evenly(80), Due: 9600}, false},
		{"a stall near the end", steadiness.Queue{Ended: stalled, Due: 9600}, false},
		{"too short", steadiness.Queue{Ended: evenly(70)[:20], Due: 1600}, false},
		{"nothing", steadiness.Queue{}, false},
	} {
		if got := steadiness.Grow([]steadiness.Queue{c.queue}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	for busy, want := range map[float64]bool{0.95: false, 1: false, 1.05: true} {
		wrong := analysistest.Share(100, func(seed uint64) bool {
			var all []steadiness.Queue
			for n := range uint64(3) {
				ended, due, _ := analysistest.Queue{Seconds: 120, Rate: 80, Busy: busy}.Series(3*seed + n)
				all = append(all, steadiness.Queue{Ended: ended, Due: float64(due)})
			}
			return steadiness.Grow(all) != want
		})
		if wrong > 0.02 {
			t.Errorf("%v busy: %v are wrong", busy, wrong)
		}
	}
}
