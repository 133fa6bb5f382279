package saving

import (
	"math"
	"testing"

	"plimsoll/internal/describe"
)

// exact is Daly's sum for failures that come at random with a mean time between them.
func exact(save, restore, interval, failures float64) float64 {
	return failures*math.Exp(restore/failures)*(math.Exp((interval+save)/failures)-1)/interval - 1
}

// Wherever a figure is given it is close to the exact sum, and below it.
func TestFirstOrderIsCloseWhereItIsGiven(t *testing.T) {
	given := 0
	for _, save := range []float64{1, 10, 100, 1000} {
		for _, restore := range []float64{0.1, 10, 1000} {
			for _, interval := range []float64{10, 100, 1000, 10_000} {
				for _, failures := range []float64{100, 1000, 10_000, 100_000} {
					c := Of(describe.Saves{Interval: interval, Failures: failures}, save, restore)
					if c.Lost == 0 {
						continue
					}
					given++
					if want := exact(save, restore, interval, failures); c.Lost > want || c.Lost < 0.75*want {
						t.Errorf("%+v: %v, exactly %v", c, c.Lost, want)
					}
				}
			}
		}
	}
	if given < 50 {
		t.Errorf("only %d figures were given", given)
	}
}

// The best interval is √(2δM), and no other loses less.
func TestBestInterval(t *testing.T) {
	s := describe.Saves{Interval: 1800, Failures: 24 * 3600}
	c := Of(s, 60, 30)
	if math.Abs(c.Best-3219.94) > 0.01 || math.Abs(c.Lost-(60.0/1800+1800.0/172_800+30.0/86_400)) > 1e-12 {
		t.Errorf("%+v", c)
	}
	for _, times := range []float64{0.5, 0.9, 1.1, 2} {
		if other := c.lost(times * c.Best); other <= c.Least {
			t.Errorf("%v times the best interval loses %v, and the best %v", times, other, c.Least)
		}
	}
}

// Where a save takes as long as the work lives, or nothing was measured, nothing is said.
func TestNothingIsSaidBeyondTheFormula(t *testing.T) {
	for _, c := range []Loss{
		Of(describe.Saves{Interval: 60, Failures: 3600}, 1000, 10),
		Of(describe.Saves{Interval: 3600, Failures: 3600}, 1, 1),
		Of(describe.Saves{Interval: 60, Failures: 3600}, 0, 0),
		Of(describe.Saves{}, 1, 1),
	} {
		if c.Lost != 0 {
			t.Errorf("%+v", c)
		}
	}
}
