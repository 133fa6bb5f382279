package steadiness

import (
	"slices"
	"testing"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Bursts of 6 s in every 10 are not dips; the seconds within bursts are judged.
func TestSecondsOfBursts(t *testing.T) {
	s := func(n int) unit.Duration { return unit.Duration(time.Duration(n) * time.Second) }
	trial := &result.Trial{WarmupSeconds: 3}
	trial.Variant.Load.Bursts = &study.Bursts{Every: s(10), On: s(6), Offset: s(2)}
	var rate []float64
	for second := range 40 {
		rate = append(rate, float64(second))
	}
	// The phase begins 1 s into a burst: seconds 0..4 of it are within, then 9 (the
	// first of the next burst) is left out.
	got := InBursts(rate, trial)
	if want := []float64{0, 1, 2, 3, 4, 10, 11, 12, 13, 14}; len(got) != 20 || !slices.Equal(got[:10], want) {
		t.Errorf("%v", got)
	}
}
