package followup

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare"
)

// decided plays an interleaved comparison to its end.
func decided(effect float64, seed uint64, carried float64) (pairs int, v compare.Verdict) {
	random := rand.New(rand.NewPCG(seed, 3))
	var a, b []float64
	last := random.NormFloat64()
	value := func(level float64) float64 {
		last = carried*last + (1-carried)*random.NormFloat64()
		return level * (1 + 0.02*last)
	}
	for {
		d := Sequential{Metric: "throughput", Most: 12}.Next(a, b)
		if !d.More {
			return len(a), d.Verdict
		}
		a, b = append(a, value(1000)), append(b, value(1000*(1+effect)))
	}
}

func TestSequentialSeldomErrs(t *testing.T) {
	for _, c := range []struct {
		effect, carried float64
		wrong           func(compare.Verdict) bool
		name            string
	}{
		{0, 0, func(v compare.Verdict) bool { return v == compare.Better || v == compare.Worse }, "no effect is called one"},
		{0, 0.5, func(v compare.Verdict) bool { return v == compare.Better || v == compare.Worse }, "no effect under carried noise is called one"},
		{-0.05, 0, func(v compare.Verdict) bool { return v == compare.NoDifference || v == compare.Better }, "an effect of 5 % is denied"},
		{-0.2, 0, func(v compare.Verdict) bool { return v != compare.Worse }, "an effect of 20 % is missed"},
	} {
		wrong := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
			_, v := decided(c.effect, seed, c.carried)
			return c.wrong(v)
		})
		t.Logf("%s: %.3f", c.name, wrong)
		if wrong > 0.06 {
			t.Errorf("%s: %.3f", c.name, wrong)
		}
	}
	if pairs, _ := decided(-0.2, 1, 0); pairs > 6 {
		t.Error(fmt.Sprint("20 % after ", pairs, " pairs"))
	}
}
