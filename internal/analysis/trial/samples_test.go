package trial

import (
	"math"
	"testing"
	"time"

	"plimsoll/internal/result"
)

// every are samples of so many seconds, but for those that are left out.
func every(interval, seconds int64, without func(second int64) bool) Samples {
	s := Samples{at: map[int64]bool{}, usual: interval * 1000}
	for at := interval; at <= seconds; at += interval {
		if !without(at) {
			s.at[at*1000] = true
		}
	}
	return s
}

func TestStretchesWithoutSamples(t *testing.T) {
	between := func(from, to int64) func(int64) bool {
		return func(at int64) bool { return at > from && at < to }
	}
	for name, c := range map[string]struct {
		of   Samples
		want float64
	}{
		"all":                    {every(1, 100, between(0, 0)), 0},
		"two are late":           {every(1, 100, between(40, 43)), 0},
		"a fifth":                {every(1, 100, between(40, 61)), 0.2},
		"the end":                {every(1, 100, between(50, 101)), 0.49},
		"the beginning":          {every(1, 100, between(0, 30)), 0.29},
		"a kubelet's":            {every(10, 100, between(0, 0)), 0},
		"too slow for the phase": {every(30, 100, between(30, 100)), 0},
		"none but one":           {Samples{at: map[int64]bool{1000: true}}, 0},
	} {
		start := time.UnixMilli(0)
		if got := c.of.Missing(&result.Trial{MeasureStart: start, MeasureEnd: start.Add(100 * time.Second)}); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
