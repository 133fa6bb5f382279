package loadline

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestInterpolateStaysBetweenTheRungs(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a := rapid.Float64Range(1, 100).Draw(r, "a")
		b := a * rapid.Float64Range(1.01, 10).Draw(r, "factor")
		va := rapid.Float64Range(0, 5).Draw(r, "va")
		vb := rapid.Float64Range(0, 5).Draw(r, "vb")
		limit := rapid.Float64Range(0.001, 5).Draw(r, "limit")
		n := interpolate(a, b, va, vb, limit)
		if math.IsInf(n, 1) && vb <= limit {
			return
		}
		if math.IsNaN(n) || n < a-1e-9 || n > b+1e-9 {
			r.Fatalf("%v outside [%v, %v]", n, a, b)
		}
	})
}

func TestInterpolateFromAlmostNothing(t *testing.T) {
	if n := interpolate(1, 2, 2.78e-309, 1, 0.5); math.IsNaN(n) || n < 1 || n > 2 {
		t.Errorf("%v outside [1, 2]", n)
	}
}
