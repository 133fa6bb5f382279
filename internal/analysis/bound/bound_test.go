package bound

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// anyBound draws a bound, as checks make them.
func anyBound() *rapid.Generator[Bound] {
	share := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 1e7), rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), math.Inf(1)}))
	return rapid.Custom(func(r *rapid.T) Bound {
		v := share.Draw(r, "share")
		switch rapid.IntRange(0, 5).Draw(r, "made by") {
		case 0:
			return TooLowBy(v)
		case 1:
			return TooHighBy(v)
		case 2:
			return Either(v)
		case 3:
			return Lacks(v)
		case 4:
			return RandomBy(v, share.Draw(r, "too high"))
		}
		return Unbounded
	})
}

// inRange reports whether a bound can be written as JSON and be true.
func (b Bound) inRange() bool {
	return b.TooLow >= 0 && b.TooLow <= largest && b.TooHigh >= 0 && b.TooHigh <= 1 && !math.IsNaN(b.TooLow+b.TooHigh)
}

// noLess reports whether a bound allows all that another one does, but for rounding.
func (b Bound) noLess(than Bound) bool {
	const rounding = 1e-9
	return b.Open || !than.Open && b.TooLow >= than.TooLow*(1-rounding)-rounding && b.TooHigh >= than.TooHigh-rounding
}

func TestOneMoreDoubtNeverShrinksASum(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		all := rapid.SliceOfN(anyBound(), 0, 6).Draw(r, "doubts")
		one := anyBound().Draw(r, "one more")
		before, after := Sum(all...), Sum(append(slices.Clone(all), one)...)
		if !after.inRange() || !one.inRange() {
			r.Fatalf("%+v", after)
		}
		if !after.noLess(before) || !after.noLess(one) {
			r.Fatalf("%+v and %+v make %+v", before, one, after)
		}
		if after.Grade() < before.Grade() {
			r.Fatalf("graded %s, and %s before", after.Grade(), before.Grade())
		}
	})
}

func TestASumDoesNotDependOnItsOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		all := rapid.SliceOfN(anyBound(), 0, 6).Draw(r, "doubts")
		turned := slices.Clone(all)
		slices.Reverse(turned)
		if a, b := Sum(all...), Sum(turned...); !a.noLess(b) || !b.noLess(a) {
			r.Fatalf("%+v, %+v", a, b)
		}
	})
}

// What pushes a figure the same way adds up, and chance partly cancels.
func TestSums(t *testing.T) {
	for name, c := range map[string]struct {
		all  []Bound
		want Bound
	}{
		"nothing":        {nil, Bound{}},
		"one direction":  {[]Bound{TooLowBy(0.1), TooLowBy(0.1)}, Bound{TooLow: 0.21}},
		"the other":      {[]Bound{TooHighBy(0.1), TooHighBy(0.1)}, Bound{TooHigh: 0.19}},
		"both":           {[]Bound{TooLowBy(0.1), TooHighBy(0.2)}, Bound{TooLow: 0.1, TooHigh: 0.2}},
		"chance":         {[]Bound{RandomBy(0.03, 0.03), RandomBy(0.04, 0.04)}, Bound{TooLow: 0.05, TooHigh: 0.05}},
		"with something": {[]Bound{RandomBy(0.1, 0.1), TooLowBy(0.1)}, Bound{TooLow: 0.21, TooHigh: 0.1}},
		"open":           {[]Bound{TooLowBy(0.1), Unbounded}, Bound{TooLow: 0.1, Open: true}},
	} {
		if got := Sum(c.all...); math.Abs(got.TooLow-c.want.TooLow) > 1e-9 || math.Abs(got.TooHigh-c.want.TooHigh) > 1e-9 || got.Open != c.want.Open {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// The true figure that was lowered by a share, or raised, lies at the end of its bound.
func TestBoundsHoldTheTruth(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		share, truth := rapid.Float64Range(0, 0.95).Draw(r, "share"), rapid.Float64Range(0.1, 1e6).Draw(r, "truth")
		close := func(a, b float64) bool { return math.Abs(a/b-1) < 1e-9 }
		lowered := truth * (1 - share)
		if b := Lacks(share); !close(lowered*(1+b.TooLow), truth) || b.TooHigh > 0 {
			r.Fatalf("%g was lowered to %g: %+v", truth, lowered, b)
		}
		if b := Either(share); !close(lowered*(1+b.TooLow), truth) || b.TooHigh != share {
			r.Fatalf("%g was lowered to %g: %+v", truth, lowered, b)
		}
	})
	for _, b := range []Bound{Either(1), Lacks(1), Either(2), Lacks(1.5)} {
		if !b.Open {
			t.Errorf("of a figure that is not there, %+v", b)
		}
	}
}

// A repetition of which less is known never shrinks the bound of the one in the middle.
func TestOpeningOneNeverShrinksTheMiddle(t *testing.T) {
	middle := func(all []Bound) Bound {
		low, high := Middle(all)
		return Bound{TooLow: all[low].TooLow, TooHigh: all[high].TooHigh, Open: all[low].Open || all[high].Open}
	}
	rapid.Check(t, func(r *rapid.T) {
		all := rapid.SliceOfN(anyBound(), 1, 7).Draw(r, "repetitions")
		i := rapid.IntRange(0, len(all)-1).Draw(r, "one of them")
		before, worse := middle(all), slices.Clone(all)
		if worse[i] = Sum(worse[i], anyBound().Draw(r, "more")); rapid.Bool().Draw(r, "opened") {
			worse[i] = Unbounded
		}
		if after := middle(worse); !after.noLess(before) {
			r.Fatalf("%+v after %+v", after, before)
		}
		beyond := func(b Bound) bool { return b.Open || b.TooLow > before.TooLow }
		if n := len(slices.DeleteFunc(slices.Clone(all), func(b Bound) bool { return !beyond(b) })); !before.Open && 2*n > len(all) {
			r.Fatalf("%d of %d are beyond %+v", n, len(all), before)
		}
	})
}

func TestGradesAreBySize(t *testing.T) {
	for _, c := range []struct {
		b    Bound
		want string
	}{
		{Bound{}, "A"}, {TooLowBy(0.05), "A"}, {TooHighBy(0.051), "B"}, {TooLowBy(0.1), "B"}, {Bound{TooLow: 0.01, TooHigh: 0.25}, "C"},
		{TooLowBy(0.26), "D"}, {TooHighBy(0.5), "D"}, {TooLowBy(0.51), "E"}, {TooLowBy(1e9), "E"}, {Unbounded, "F"}, {Bound{Open: true}, "F"},
	} {
		if got := c.b.Grade(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.b, got, c.want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		a, b := anyBound().Draw(r, "a"), anyBound().Draw(r, "b")
		if a.Size() <= b.Size() && a.Grade() > b.Grade() {
			r.Fatalf("%s and %s", a.Grade(), b.Grade())
		}
	})
}

// Users who think for three quarters of their time do a seventh more work when waits are half as long.
func TestWaitingIsOnlyAPartOfAUsersTime(t *testing.T) {
	b := Bound{TooLow: 1, TooHigh: 0.5}
	if got := b.OfWaiting(0.25); math.Abs(got.TooLow-1.0/7) > 1e-9 || math.Abs(got.TooHigh-0.2) > 1e-9 {
		t.Errorf("%+v", got)
	}
	if got := b.OfWaiting(1); got != b {
		t.Errorf("users who never think: %+v", got)
	}
	if got := Unbounded.OfWaiting(0.1); !got.Open {
		t.Errorf("%+v", got)
	}
	if got := (Bound{TooHigh: 1}).OfWaiting(0.5); got.TooHigh != 1 {
		t.Errorf("%+v", got)
	}
	for share := 0.05; share < 1; share += 0.05 {
		if got := b.OfWaiting(share); got.TooLow > b.TooLow || got.TooHigh > b.TooHigh {
			t.Errorf("%g: %+v", share, got)
		}
	}
}

func TestABoundTowardsTheTrueFigure(t *testing.T) {
	b := Bound{TooLow: 0.3, TooHigh: 0.1}
	if b.Towards(0.2) != 0.3 || b.Towards(-0.2) != 0.1 || !math.IsInf(Unbounded.Towards(1), 1) {
		t.Errorf("%g, %g", b.Towards(0.2), b.Towards(-0.2))
	}
}
