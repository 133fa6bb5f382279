package next

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/study"
)

// A ladder that is climbed ends with the first number of tiles that breaks an objective of any
// member, or that adds nothing to the score.
func TestTilesAreClimbed(t *testing.T) {
	tenant := func(name string, mean, falls float64) analysistest.Tenant {
		return analysistest.Tenant{
			Member: study.Member{Name: name, Weight: 1, Application: study.Application{Objectives: analysistest.MeanBelow(0.2)}}, OPM: 1000, Mean: mean, Grows: 1, Falls: falls,
		}
	}
	for _, c := range []struct {
		what         string
		mean, falls  float64 // of the member that decides
		rungs        []int
		next, repeat int // 0: the ladder ends
	}{
		{"after the first rung", 0.01, 0, []int{1}, 2, 1},
		{"both rules are kept", 0.01, 0.2, []int{1, 2}, 4, 1},
		{"an objective is broken", 0.15, 0.2, []int{1, 2}, 0, 0},
		{"nothing is added", 0.01, 2.1, []int{1, 2}, 0, 0},
		{"the end of the ladder", 0.01, 0.2, []int{1, 2, 4}, 0, 0},
	} {
		run := analysistest.Tenants(c.rungs, 1, analysistest.Noise{}, 1, tenant("easy", 0.01, 0), tenant("hard", c.mean, c.falls))
		run.Plan.Study.Ladder = study.Ladder{Auto: true, Rungs: []int{1, 2, 4}, From: 1, To: 4, Budget: 3}
		steps, _ := nextOf(run.Plan, run)
		if step := steps["a"]; step.Rung != c.next || step.Repetition != c.repeat {
			t.Errorf("%s: %+v, want rung %d", c.what, step, c.next)
		}
	}
}
