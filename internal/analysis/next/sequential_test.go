package next

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare/family"
)

// decided plays an interleaved comparison to its end; B has so many times the noise of A.
func decided(effect float64, seed uint64, carried, noisier float64) (pairs int, v family.Verdict) {
	random := rand.New(rand.NewPCG(seed, 3))
	var a, b []float64
	last := random.NormFloat64()
	value := func(level, noise float64) float64 {
		last = carried*last + (1-carried)*random.NormFloat64()
		return level * (1 + noise*last)
	}
	for {
		d := Sequential{Metric: "throughput", Most: 12}.Next(a, b)
		if !d.More {
			return len(a), d.Verdict
		}
		a, b = append(a, value(1000, 0.02)), append(b, value(1000*(1+effect), 0.02*noisier))
	}
}

func TestSequentialSeldomErrs(t *testing.T) {
	for _, c := range []struct {
		effect, carried, noisier float64
		wrong                    func(family.Verdict) bool
		name                     string
	}{
		{0, 0, 1, func(v family.Verdict) bool { return v == family.Better || v == family.Worse }, "no effect is called one"},
		{0, 0, 5, func(v family.Verdict) bool { return v == family.Better || v == family.Worse }, "no effect is called one where a side is five times noisier"},
		{0, 0, 0.2, func(v family.Verdict) bool { return v == family.Better || v == family.Worse }, "no effect is called one where a side is five times quieter"},
		{0, 0.5, 1, func(v family.Verdict) bool { return v == family.Better || v == family.Worse }, "no effect under carried noise is called one"},
		{-0.05, 0, 1, func(v family.Verdict) bool { return v == family.NoDifference || v == family.Better }, "an effect of 5 % is denied"},
		{-0.2, 0, 3, func(v family.Verdict) bool { return v != family.Worse }, "an effect of 20 % is missed where a side is three times noisier"},
		{-0.2, 0, 1, func(v family.Verdict) bool { return v != family.Worse }, "an effect of 20 % is missed"},
	} {
		wrong := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
			_, v := decided(c.effect, seed, c.carried, c.noisier)
			return c.wrong(v)
		})
		t.Logf("%s: %.3f", c.name, wrong)
		if wrong > 0.06 {
			t.Errorf("%s: %.3f", c.name, wrong)
		}
	}
	if pairs, _ := decided(-0.2, 1, 0, 1); pairs > 6 {
		t.Error(fmt.Sprint("20 % after ", pairs, " pairs"))
	}
}
