package analysis

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

func TestTheLeastSpoiledAttemptCounts(t *testing.T) {
	for name, c := range map[string]struct {
		first, second func(*result.Trial)
		counts        string
		steadily      bool
	}{
		"the neighbour has gone":   {analysistest.Stolen(0.2), analysistest.Healthy, "a/1/1.2", false},
		"less than before":         {analysistest.Stolen(0.2), analysistest.Stolen(0.05), "a/1/1.2", false},
		"as much as before":        {analysistest.Stolen(0.2), analysistest.Stolen(0.2), "a/1/1", true},
		"more than before":         {analysistest.Stolen(0.05), analysistest.Stolen(0.2), "a/1/1", true},
		"the second lost an order": {analysistest.Stolen(0.2), analysistest.Loses, "a/1/1.2", false},
	} {
		t.Run(name, func(t *testing.T) {
			run := madeUp(meanBelow(1),
				sample{"a", 1, 1000, 0.1, false, c.first}, sample{"a", 1, 1200, 0.1, false, analysistest.SecondAttempt(c.second)})
			run.Plan.Trials = []plan.Trial{{ID: "a/1/1", Variant: "a", Rung: 1, Repetition: 1}}
			a := analyse(t, run)
			if missing := ofWarnings(a, "missing"); missing != nil {
				t.Errorf("missing: %+v", missing)
			}
			if got := a.Variants[0].Rungs[0].Trials; !slices.Equal(got, []string{c.counts}) {
				t.Errorf("%v count, want %s", got, c.counts)
			}
			left := ofWarnings(a, "left-out")
			if len(left) != 1 || left[0].Trial == c.counts {
				t.Errorf("left out: %+v", left)
			}
			if steadily := len(ofWarnings(a, "steadily-busy")) == 1; steadily != c.steadily {
				t.Errorf("steadily busy: %v", steadily)
			}
			for _, info := range a.Trials {
				if (info.Status == LeftOut) != (info.ID != c.counts) {
					t.Errorf("%s is listed as %s", info.ID, info.Status)
				}
			}
		})
	}
}
