package rung_test

import (
	"fmt"
	"math"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// crowds are made-up instances that are all alike, to test that chance alone breaks no
// rung.
func crowds() []analysistest.Crowd {
	var all []analysistest.Crowd
	for _, instances := range []int{2, 8, 64} {
		for _, orders := range []int{5, 12, 30, 300} {
			for _, carried := range []float64{0, 0.6} {
				all = append(all, analysistest.Crowd{Instances: instances, Orders: orders, Carried: carried, Scattered: true})
			}
		}
	}
	return all
}

// limits are objectives whose limits are exactly the true figure of every instance: the
// hardest case in which none misses.
func limits(c analysistest.Crowd) (all []study.Objective) {
	for metric, limit := range c.Truth() {
		all = append(all, study.Objective{Metric: metric, Limit: limit})
	}
	return all
}

func trials(c analysistest.Crowd, seed uint64) (all []*result.Trial) {
	for n := range 3 {
		all = append(all, c.Trial(seed*3+uint64(n)))
	}
	return all
}

func TestChanceBreaksNoRungByInstance(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	sets := nightly.Times(30, 100)
	for _, c := range crowds() {
		if c.Instances*c.Orders > 5000 {
			continue // the same with more of both; make truth counts it
		}
		for _, o := range limits(c) {
			t.Run(fmt.Sprintf("%d instances, %d orders, %v carried, %s", c.Instances, c.Orders, c.Carried, o.Metric), func(t *testing.T) {
				wrong := analysistest.Share(sets, func(seed uint64) bool {
					w := rung.JudgeInstances(o, trials(c, seed))
					return w != nil && w.Misses
				})
				if wrong > 0.05 {
					t.Errorf("a miss that is none in %.0f %% of the sets", 100*wrong)
				}
			})
		}
	}
}

func TestStarvingInstancesAreFound(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	sets := nightly.Times(10, 40)
	for _, c := range crowds() {
		if c.Instances*c.Orders > 5000 || c.Orders < 30 {
			continue // one order of a starving instance tells nothing
		}
		c.Slower = 70
		for _, metric := range []string{"mean", "p50", "p95", "p99"} {
			o := study.Objective{Metric: metric, Limit: 5 * c.Truth()[metric]}
			found := analysistest.Share(sets, func(seed uint64) bool {
				w := rung.JudgeInstances(o, trials(c, seed))
				return w != nil && w.Misses && w.Instance == c.Instances-1
			})
			if found < 0.95 {
				t.Errorf("%+v, %s: found in %.0f %% of the sets", c, metric, 100*found)
			}
		}
	}
}

// Instances that completed nothing, in an otherwise busy trial, have no response times
// that anything could be read from.
func TestAnInstanceThatCompletesNothingStarves(t *testing.T) {
	made := analysistest.Crowd{Instances: 8, Orders: 300}.Trial(1)
	made.Instances[3] = result.InstanceSummary{Instance: 3}
	w := rung.JudgeInstances(study.Objective{Metric: "p95", Limit: 1}, []*result.Trial{made})
	if w == nil || !w.Misses || !w.Starved || w.Instance != 3 || w.Value < 100 {
		t.Errorf("%+v", w)
	}
}

// An instance that is far behind the others is found however few or many units of work it
// has: fourteen are neither next to nothing nor enough for a mean or a median of its own.
func TestInstancesOfFewUnitsOfWork(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	sets := nightly.Times(20, 100)
	for _, c := range []analysistest.Crowd{
		{Instances: 8, Orders: 1000, Slower: 70}, {Instances: 8, Orders: 1000, Carried: 0.6, Slower: 70}, // 14
		{Instances: 2, Orders: 300, Carried: 0.6, Slower: 15}, // 20
		{Instances: 64, Orders: 100, Slower: 10},              // 10
	} {
		c.Scattered = true
		for _, metric := range []string{"mean", "p50", "p95", "p99", "max"} {
			o := study.Objective{Metric: metric, Limit: 2 * c.Truth()["p50"]}
			found := analysistest.Share(sets, func(seed uint64) bool {
				w := rung.JudgeInstances(o, trials(c, seed))
				return w != nil && w.Misses && w.Instance == c.Instances-1
			})
			if found < 0.95 {
				t.Errorf("%+v, %s: found in %.0f %% of the sets", c, metric, 100*found)
			}
		}
	}
}

// An instance that is eight times slower has a mean of too much scatter, and yet its users
// completed too little for it to be chance.
func TestAMeanIsKnownByTheCountOfAClosedLoop(t *testing.T) {
	c := analysistest.Crowd{Instances: 8, Orders: 300, Carried: 0.6, Scattered: true, Slower: 8}
	o := study.Objective{Metric: "mean", Limit: 2 * c.Truth()["mean"]}
	if found := analysistest.Share(20, func(seed uint64) bool { w := rung.JudgeInstances(o, trials(c, seed)); return w != nil && w.Misses }); found < 0.95 {
		t.Errorf("found in %.0f %% of the sets", 100*found)
	}
}

// An instance that stood still after a tenth of the others' work has fast units of work
// alone; what its users were left waiting for is the mean.
func TestAnInstanceThatStoppedHalfWay(t *testing.T) {
	made := analysistest.Crowd{Instances: 8, Orders: 1000}.Trial(1)
	made.Instances[3].Count = 100
	for _, open := range []bool{false, true} {
		made.OpenLoop = open
		w := rung.JudgeInstances(study.Objective{Metric: "mean", Limit: 1}, []*result.Trial{made})
		if w == nil || !w.Misses || !w.Starved || w.Instance != 3 || w.Value > 60 {
			t.Errorf("open loop %v: %+v", open, w)
		}
	}
}

// The share of errors of an instance counts as well.
func TestErrorsOfOneInstance(t *testing.T) {
	made := analysistest.Crowd{Instances: 64, Orders: 300}.Trial(1)
	o := study.Objective{Metric: "errors", Limit: 0.01}
	if w := rung.JudgeInstances(o, []*result.Trial{made}); w == nil || w.Misses || w.Doubtful {
		t.Errorf("without errors: %+v", w)
	}
	made.Instances[5].Errors = map[string]int64{"refused": 150}
	if w := rung.JudgeInstances(o, []*result.Trial{made}); w == nil || !w.Misses || w.Instance != 5 {
		t.Errorf("a third of one instance: %+v", w)
	}
}

func TestUnevenInstances(t *testing.T) {
	c := analysistest.Crowd{Instances: 8, Orders: 300}
	if u := rung.LeastEvenTrial([]*result.Trial{c.Trial(1)}); u != nil {
		t.Errorf("even: %+v", u)
	}
	c.Slower = 70
	u := rung.LeastEvenTrial([]*result.Trial{c.Trial(1)})
	if u == nil || u.Least != 7 || u.Jain < 0.87 || u.Jain > 0.885 {
		t.Errorf("one of eight starves: %+v", u)
	}
}

// An operation of one instance may be slow where its orders are not, and its longest
// time is its own.
func TestASlowOperationOfOneInstance(t *testing.T) {
	c := analysistest.Crowd{Instances: 8, Orders: 3000, SlowPart: 20}
	for metric, least := range map[string]float64{"mean": 0.1, "p95": 0.3, "max": 0.3} {
		made := []*result.Trial{c.Trial(1)}
		w := rung.JudgeInstances(study.Objective{Operation: analysistest.Part, Metric: metric, Limit: least}, made)
		if w == nil || !w.Misses || w.Instance != 7 || w.Value < least || w.Units != 3000 {
			t.Errorf("%s of the operation: %+v", metric, w)
		}
		if w := rung.JudgeInstances(study.Objective{Operation: analysistest.Part, Metric: metric, Limit: 10}, made); w == nil || w.Misses || w.Doubtful {
			t.Errorf("%s of the operation within the limit: %+v", metric, w)
		}
	}
	few := analysistest.Crowd{Instances: 8, Orders: 40, SlowPart: 2}
	w := rung.JudgeInstances(study.Objective{Operation: analysistest.Part, Metric: "p99", Limit: 0.03}, []*result.Trial{few.Trial(1)})
	if w == nil || w.Misses || w.TooFew == 0 {
		t.Errorf("40 of them have no 99th percentile of their own: %+v", w)
	}
}

// A run from before there were operations of instances is judged over all.
func TestOperationsThatWereNotRecordedAreNotJudged(t *testing.T) {
	made := analysistest.Crowd{Instances: 8, Orders: 300}.Trial(1)
	if w := rung.JudgeInstances(study.Objective{Operation: analysistest.Part, Metric: "p95", Limit: 0.001}, []*result.Trial{made}); w != nil {
		t.Errorf("%+v", w)
	}
}

// Counts that cannot be are of no instance that anything is said of, and break nothing.
func TestCountsThatCannotBe(t *testing.T) {
	for _, n := range []int64{math.MinInt64, -1, math.MaxInt64} {
		made := analysistest.Crowd{Instances: 3, Orders: 300}.Trial(1)
		made.Instances[1].Count = n
		for _, metric := range []string{"mean", "p50", "p99", "max", "errors"} {
			if w := rung.JudgeInstances(study.Objective{Metric: metric, Limit: 100}, []*result.Trial{made}); w != nil && (math.IsNaN(w.Value) || math.IsInf(w.Value, 0)) {
				t.Errorf("%d: %s: %+v", n, metric, w)
			}
		}
	}
}
