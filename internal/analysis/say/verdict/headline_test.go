package verdict_test

import (
	"fmt"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/study"
)

// laddered makes a variant that keeps a mean of 200 ms up to a rung.
func laddered(name string, kept int) (all []analysistest.Sample) {
	for n := 1; n <= 16; n *= 2 {
		mean := 0.05
		if n > kept {
			mean = 0.5
		}
		all = append(all, analysistest.Sample{Variant: name, Rung: n, OPM: float64(1000 * min(n, kept)), Mean: mean})
	}
	return all
}

func TestHeadline(t *testing.T) {
	var many []analysistest.Sample
	for i, kept := range []int{2, 8, 1, 4} {
		many = append(many, laddered(fmt.Sprintf("v%d", i), kept)...)
	}
	for _, c := range []struct {
		name       string
		objectives []study.Objective
		samples    []analysistest.Sample
		want       string
	}{
		{"one", analysistest.MeanBelow(0.2), laddered("a", 4), "Within mean ≤ 200 ms, `a` carries 4 to 7 instances."},
		{"open", analysistest.MeanBelow(0.2), laddered("a", 16), "Within mean ≤ 200 ms, `a` carries at least 16 instances."},
		{"two", analysistest.MeanBelow(0.2), append(laddered("a", 2), laddered("b", 8)...), "Within mean ≤ 200 ms, `b` carries 8 to 15 instances and `a` 2 to 3."},
		{"alike", analysistest.MeanBelow(0.2), append(laddered("a", 2), laddered("b", 2)...), "Within mean ≤ 200 ms, both `a` and `b` carry 2 to 3 instances."},
		{"many", analysistest.MeanBelow(0.2), many, "Within mean ≤ 200 ms, `v1` carries the most of 4 variants, 8 to 15 instances. `v2` carries the fewest, 1."},
		{"no objective", nil, append(laddered("a", 2), laddered("b", 8)...), "`b` reaches the most, 8,000 OPM at 8 instances, and `a` the least, 2,000 OPM at 2 instances."},
		{"failed", analysistest.MeanBelow(0.2), []analysistest.Sample{{Variant: "a", Rung: 1, Failed: true}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := analysis.Analyse(analysistest.MadeUp(c.objectives, c.samples...), analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.want != "" {
				c.want += " Measured once: chance is not excluded."
			}
			if a.Headline != c.want {
				t.Errorf("got  %s\nwant %s", a.Headline, c.want)
			}
		})
	}
}
