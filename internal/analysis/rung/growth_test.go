package rung

import (
	"math"
	"math/rand/v2"
	"testing"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// ladderOf makes rungs of some throughputs, each measured three times with noise.
func ladderOf(r *rand.Rand, noise float64, throughputs ...float64) ([]Rung, []trial.Group) {
	logs := make([][]float64, len(throughputs))
	rungs, groups := make([]Rung, len(throughputs)), make([]trial.Group, len(throughputs))
	for i, x := range throughputs {
		for range 3 {
			logs[i] = append(logs[i], math.Log(x)+noise*r.NormFloat64())
			groups[i].Passed = append(groups[i].Passed, &result.Trial{})
		}
		rungs[i] = Rung{Instances: i + 1, Repetitions: 3, Kept: true, Objectives: []ObjectiveResult{{Metric: study.Decline, Unknown: true}}}
	}
	for i, e := range stats.Means(logs) {
		rungs[i].Throughput = stats.Relative(math.Exp(e.Value), e, logs[i])
	}
	return rungs, groups
}

// A plateau is called a decline in few of many runs, however many rungs it has, and a decline in most.
func TestGrowth(t *testing.T) {
	growth := []study.Objective{{Metric: study.Decline}}
	broken := func(throughputs ...float64) (share float64) {
		const sets = 500
		for seed := range uint64(sets) {
			rungs, groups := ladderOf(rand.New(rand.NewPCG(seed, 1)), 0.03, throughputs...)
			judged := withGrowth(rungs, groups, growth)
			if last := judged[len(judged)-1]; !last.Kept {
				share += 1.0 / sets
			}
		}
		return share
	}
	if share := broken(50, 100, 100, 100, 100, 100, 100); share > 0.05 {
		t.Errorf("the end of a plateau is said to decline in %.1f %%", 100*share)
	}
	if share := broken(50, 100, 120, 150); share > 0.01 {
		t.Errorf("a rung that does more is said to decline in %.1f %%", 100*share)
	}
	if share := broken(50, 100, 100, 75); share < 0.9 {
		t.Errorf("a decline by a quarter is found in %.1f %%", 100*share)
	}
}

// Figures that were published are taken as they are; a limit allows a decline.
func TestGrowthOfPublishedFigures(t *testing.T) {
	rungs, groups := ladderOf(rand.New(rand.NewPCG(1, 1)), 0, 50, 100, 80)
	for i := range groups {
		for _, published := range groups[i].Passed {
			published.Published = true
		}
	}
	for limit, kept := range map[float64]bool{0: false, 0.1: false, 0.21: true} {
		for i := range rungs {
			rungs[i].Objectives = []ObjectiveResult{{Metric: study.Decline, Limit: limit, Unknown: true}}
		}
		judged := withGrowth(rungs, groups, []study.Objective{{Metric: study.Decline, Limit: limit}})
		if last := judged[2]; last.Kept != kept || math.Abs(last.Objectives[0].Value-0.2) > 1e-9 || !judged[0].Kept || !judged[1].Kept {
			t.Errorf("limit %g: %+v", limit, last.Objectives)
		}
	}
}
