package next

import (
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
)

// A spoiled trial is measured again, unless that would end after the time of the search.
func TestRetryWithinATime(t *testing.T) {
	for _, within := range []struct {
		trials int // that the time is enough for, 0 for no limit
		again  bool
	}{{0, true}, {3, true}, {1, false}} {
		run := analysistest.MadeUp(analysistest.MeanBelow(1), analysistest.Sample{Variant: "a", Rung: 1, OPM: 1000, Mean: 0.1, Change: analysistest.Stolen(0.2)})
		p := &plan.Plan{
			Study:    &study.Study{Ladder: study.Ladder{Auto: true, From: 1, To: 8, Budget: 8}, Application: study.Application{Objectives: analysistest.MeanBelow(1)}, Phases: study.Phases{Measure: unit.Duration(time.Minute)}},
			Variants: []study.Variant{{Name: "a"}},
		}
		p.Within = time.Duration(within.trials) * p.Cost("a", 1)
		run.Trials[0].Begun = time.Unix(0, 0)
		run.Trials[0].Ended = run.Trials[0].Begun.Add(p.Cost("a", 1))
		next, why, ok := Retry(p, 2)(run)
		if ok != within.again || ok && next.Attempt != 2 || !ok && !strings.Contains(why, "would not end in the search's time") {
			t.Errorf("%+v: %v, %+v, %q", within, ok, next, why)
		}
	}
}
