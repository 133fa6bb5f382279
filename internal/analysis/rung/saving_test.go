package rung

import (
	"math"
	"testing"

	"plimsoll/internal/describe"
)

// exact is Daly's sum for failures that come at random with a mean time between them.
func exact(save, restore, interval, failures float64) float64 {
	return failures*math.Exp(restore/failures)*(math.Exp((interval+save)/failures)-1)/interval - 1
}

// Within the range of the first order a figure is close to the exact sum, and below it; beyond,
// it is that sum.
func TestLossIsCloseToTheExactSum(t *testing.T) {
	given := 0
	for _, save := range []float64{1, 10, 100, 1000} {
		for _, restore := range []float64{0.1, 10, 1000} {
			for _, interval := range []float64{10, 100, 1000, 10_000} {
				for _, failures := range []float64{100, 1000, 10_000, 100_000} {
					c := SaveLossOf(describe.Saves{Interval: interval, Failures: failures}, save, restore)
					if c.Lost == 0 {
						continue
					}
					given++
					least := 0.75
					if save+restore+interval > 0.25*failures {
						least = 1 - 1e-9
					}
					if want := exact(save, restore, interval, failures); c.Lost > (1+1e-9)*want || c.Lost < least*want {
						t.Errorf("%+v: %v, exactly %v", c, c.Lost, want)
					}
				}
			}
		}
	}
	if given < 100 {
		t.Errorf("only %d figures were given", given)
	}
}

// The best interval is √(2δM), and no other loses less.
func TestBestInterval(t *testing.T) {
	s := describe.Saves{Interval: 1800, Failures: 24 * 3600}
	c := SaveLossOf(s, 60, 30)
	if math.Abs(c.Best-3219.94) > 0.01 || math.Abs(c.Lost-(60.0/1800+1800.0/172_800+30.0/86_400)) > 1e-12 {
		t.Errorf("%+v", c)
	}
	for _, times := range []float64{0.5, 0.9, 1.1, 2} {
		if other := c.lost(times * c.Best); other <= c.Least {
			t.Errorf("%v times the best interval loses %v, and the best %v", times, other, c.Least)
		}
	}
}

// A save that takes 600 s with a failure every hour is beyond Young's range: δ/M = 1/6, where
// Daly's sum is least by its own condition, and Young's √(2δM) = 0.577 M loses more.
func TestBestIntervalBeyondTheFirstOrder(t *testing.T) {
	c := SaveLossOf(describe.Saves{Interval: 1800, Failures: 3600}, 600, 60)
	x := c.Best / 3600
	if held := (1 - x) * math.Exp(x+1.0/6); math.Abs(held-1) > 1e-9 || x <= 0.3 || x >= 0.57 {
		t.Errorf("best at %v of the time between failures, where the condition gives %v", x, held)
	}
	if want := exact(600, 60, 1800, 3600); math.Abs(c.Lost-want) > 1e-9 {
		t.Errorf("lost %v, want %v", c.Lost, want)
	}
	for interval := 300.0; interval < 3600; interval += 60 {
		if least := exact(600, 60, interval, 3600); least < c.Least-1e-12 {
			t.Errorf("every %v s loses %v, less than the best, %v", interval, least, c.Least)
		}
	}
}

// Where nothing was measured, or no job would ever end, nothing is said.
func TestNothingIsSaidWhereNothingEnds(t *testing.T) {
	for _, c := range []SaveLoss{
		SaveLossOf(describe.Saves{Interval: 60, Failures: 3600}, 0, 0),
		SaveLossOf(describe.Saves{Interval: 36_000, Failures: 3600}, 1, 1),
		SaveLossOf(describe.Saves{Interval: 1e9, Failures: 1}, 1, 1),
		SaveLossOf(describe.Saves{}, 1, 1),
	} {
		if c.Lost != 0 || c.Best != 0 {
			t.Errorf("%+v", c)
		}
	}
}
