package tail

import (
	"math"
	"testing"
)

// The share above a limit follows a log-linear tail through the percentiles.
func TestShareAboveALimit(t *testing.T) {
	of := map[string]float64{"p50": 0.1, "p95": 0.4, "p99": 0.8}
	at := func(name string) float64 { return of[name] }
	for limit, want := range map[float64]float64{0.05: 0.5, 0.1: 0.5, 0.4: 0.05, 0.8: 0.01, 1.6: 0.002, 0.2: math.Sqrt(0.5 * 0.05)} {
		if got := above(limit, at); math.Abs(got-want) > 1e-9 {
			t.Errorf("above %v: %v, want %v", limit, got, want)
		}
	}
	if got := above(1, func(string) float64 { return math.NaN() }); got != 0 {
		t.Errorf("of a second without units of work: %v", got)
	}
}

// A second that is high by itself is none: periods have two at least, with one before and after.
func TestStretches(t *testing.T) {
	c := seconds{high: make([]bool, 20)}
	for _, i := range []int{3, 8, 9, 10, 18, 19} {
		c.high[i] = true
	}
	want := []stretch{{0, 7, false}, {7, 12, true}, {12, 17, false}, {17, 20, true}}
	got := c.stretches()
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}
