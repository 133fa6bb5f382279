package trust

import (
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/analysis/bound"
)

// A warning of nothing has no bound, and those of a trial without any are no reason for a grade.
func TestWarningsWithoutBounds(t *testing.T) {
	w := Warn(Clock, Caution, ClockMoved)
	if of := w.By(bound.Bound{}); of.Bound != nil || BoundOf([]Warning{w, of}) != (bound.Bound{}) {
		t.Errorf("%+v", of)
	}
	if of := BoundOf([]Warning{w, w.By(bound.TooLowBy(0.2)), w.By(bound.Unbounded)}); !of.Open || of.Grade() != "F" {
		t.Errorf("%+v", of)
	}
}

// Either level of a phase that changed for good lies within the bound of its mean.
func TestTheMeanOfTwoLevels(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		change, first := rapid.Float64Range(-0.98, 5).Draw(r, "change"), rapid.Float64Range(0, 1).Draw(r, "first")
		b, mean := ofLevels(change, first), first+(1-first)*(1+change)
		low, high := mean*(1-b.TooHigh), mean*(1+b.TooLow)
		if rounding := 1e-9; low > min(1, 1+change)+rounding || high < max(1, 1+change)-rounding || low < min(1, 1+change)-rounding || high > max(1, 1+change)+rounding {
			r.Fatalf("%+v: %g to %g", b, low, high)
		}
	})
}
