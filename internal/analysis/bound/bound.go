// Package bound has how far a figure may be off, for one reason or for several, and adds that up.
package bound

import (
	"cmp"
	"math"
	"slices"
)

// Bound is how far a figure may be off for one reason or for several: the true one may be higher by
// TooLow, or lower by TooHigh, both as shares of the figure that was measured.
type Bound struct {
	TooLow  float64 `json:"too_low" within:"0..1000000"` // 0.06: the true figure may be 6 % higher
	TooHigh float64 `json:"too_high" within:"0..1"`      // 0.03: it may be 3 % lower
	// Open reports that nothing that was measured bounds it.
	Open bool `json:"open,omitempty"`
	// Random reports that it would be another one the next time: such parts add up in quadrature,
	// others by direction.
	Random bool `json:"random,omitempty"`
}

// Confidence is how often a bound is to hold the true figure.
const Confidence = 0.90

// Unbounded is the bound of a doubt whose size nothing measured.
var Unbounded = Bound{Open: true}

// TooLowBy bounds a figure that something can only have lowered.
func TooLowBy(share float64) Bound { return Bound{TooLow: sane(share)} }

// TooHighBy bounds a figure that something can only have raised.
func TooHighBy(share float64) Bound { return Bound{TooHigh: min(1, sane(share))} }

// Either bounds a figure that may be off in both directions: as low as 1 - share of it, or so much
// lower than the true one.
func Either(share float64) Bound {
	share = sane(share)
	if share >= 1 {
		return Unbounded
	}
	return Bound{TooLow: share / (1 - share), TooHigh: share}
}

// Lacks bounds a figure that lacks a share of itself.
func Lacks(share float64) Bound {
	if share >= 1 {
		return Unbounded
	}
	return TooLowBy(share / (1 - sane(share)))
}

// RandomBy is the bound from scatter.
func RandomBy(tooLow, tooHigh float64) Bound {
	return Bound{TooLow: sane(tooLow), TooHigh: min(1, sane(tooHigh)), Random: true}
}

func sane(share float64) float64 {
	if math.IsNaN(share) || share < 0 {
		return 0
	}
	return min(share, largest)
}

// largest is the largest bound that is given.
const largest = 1e6

// OfWaiting turns a bound of response times into one of throughput, for users who wait for a share of their time
// and think in the rest: the interactive response time law, X = N/(R+Z) (Denning and
// Buzen, 1978).
func (b Bound) OfWaiting(share float64) Bound {
	if b.Open || share >= 1 {
		return b
	}
	share = sane(share)
	sooner := share * b.TooLow / (1 + b.TooLow)
	b.TooLow = sooner / (1 - sooner)
	if b.TooHigh >= 1 {
		return b
	}
	b.TooHigh = 1 - 1/(1-share+share/(1-b.TooHigh))
	return b
}

// Size is the larger of both directions; infinite where it is open.
func (b Bound) Size() float64 {
	if b.Open {
		return math.Inf(1)
	}
	return max(b.TooLow, b.TooHigh)
}

// Towards is the bound in the direction of the true figure, which is off by a share of the measured one.
func (b Bound) Towards(off float64) float64 {
	switch {
	case b.Open:
		return math.Inf(1)
	case off > 0:
		return b.TooLow
	}
	return b.TooHigh
}

// Zero reports whether nothing is off.
func (b Bound) Zero() bool { return b.Size() == 0 }

// Sum adds up bounds of one figure: random ones in quadrature (ISO/IEC Guide 98-3, 5.1.2, for parts that
// are independent), those with a direction one after the other, because what pushes a figure the
// same way does not cancel.
func Sum(all ...Bound) (sum Bound) {
	low, high, kept := 0.0, 0.0, 1.0
	raised := 1.0
	for _, b := range all {
		sum.Open = sum.Open || b.Open
		if b.Random {
			low, high = math.Hypot(low, b.TooLow), math.Hypot(high, b.TooHigh)
			continue
		}
		raised, kept = raised*(1+b.TooLow), kept*(1-b.TooHigh)
	}
	sum.TooLow = sane(raised*(1+low) - 1)
	sum.TooHigh = sane(1 - kept*(1-min(1, high)))
	return sum
}

// Middle finds among bounds of repetitions the one in the middle by each direction: the median of their
// figures is no further off, because no more than half of them are.
func Middle(all []Bound) (low, high int) {
	at := func(of func(Bound) float64) int {
		order := make([]int, len(all))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(of(all[x]), of(all[y])) })
		return order[len(order)/2]
	}
	either := func(share float64, b Bound) float64 {
		if b.Open {
			return math.Inf(1)
		}
		return share
	}
	return at(func(b Bound) float64 { return either(b.TooLow, b) }), at(func(b Bound) float64 { return either(b.TooHigh, b) })
}

// Largest bounds of the grades A to D; E has none, and F is open.
var gradeBounds = []float64{0.05, 0.10, 0.25, 0.50}

// Grade is the letter for a bound: A for up to 5 %, B for 10 %, C for 25 %, D for 50 %, E for more, F for
// one that is open.
func (b Bound) Grade() string {
	if b.Open {
		return "F"
	}
	const rounding = 1e-9
	for i, most := range gradeBounds {
		if b.Size() <= most+rounding {
			return "ABCD"[i : i+1]
		}
	}
	return "E"
}
