package compare

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Runs of tiles are compared member by member; what was measured of a member alone is no part
// of it.
func TestCompareRunsOfTiles(t *testing.T) {
	run := func(shop float64, seed uint64) *result.Run {
		return analysistest.Tenants([]int{1, 2}, 6, analysistest.Noise{Throughput: 0.01, Response: 0.01}, seed,
			analysistest.Tenant{Member: study.Member{Name: "shop", Weight: 2}, OPM: 1000 * shop, Mean: 0.1 / shop, Alone: 0.05},
			analysistest.Tenant{Member: study.Member{Name: "bulk", Weight: 1}, OPM: 400, Mean: 0.05})
	}
	c := compared(t, run(1, 1), run(0.7, 2), Options{})
	worse := map[string]bool{}
	for _, d := range c.Differences {
		if d.NA != 6 || d.NB != 6 {
			t.Errorf("%s at %d: %d and %d repetitions", d.Variant, d.Instances, d.NA, d.NB)
		}
		worse[d.Variant] = worse[d.Variant] || d.Verdict == family.Worse
	}
	if c.Verdict != family.Worse || !worse["a.shop"] || worse["a.bulk"] || len(worse) != 2 {
		t.Errorf("%s: %v", c.Verdict, worse)
	}
	within, err := Runs(sides.Side{Run: run(1, 1), Variant: "a.bulk"}, sides.Side{Run: run(0.7, 3), Variant: "a.bulk"}, Options{})
	if err != nil || within.Verdict == family.Worse || within.Verdict == family.Better {
		t.Errorf("bulk: %+v, %v", within, err)
	}
}
