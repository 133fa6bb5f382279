package loadline_test

import (
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/result"
)

// oneSlow is a ladder on which instance 7 of 8 is seventy times slower in so many of three
// trials, while all together keep their limit.
func oneSlow(slow int) *result.Run {
	set := analysistest.Set{Rungs: []int{1, 2, 4, 8}, Repetitions: 3, Objectives: analysistest.MeanBelow(0.4), Variants: []analysistest.Variant{{
		Name: "v", Response: analysistest.Constant(0.1), Throughput: analysistest.Power(1000, 1),
	}}}
	run := set.Run(1)
	at := 0
	for _, t := range run.Trials {
		if t.Rung != 8 {
			continue
		}
		crowd := analysistest.Crowd{Instances: 8, Orders: 3000}
		if at++; at <= slow {
			crowd.Slower = 70
		}
		t.Instances = crowd.Trial(uint64(at)).Instances
	}
	return run
}

// An instance that misses the limit in every trial surely breaks the rung, however much the
// figure over all differs; one that does in a single trial may not the next time.
func TestARungThatOneInstanceBreaks(t *testing.T) {
	for slow, sure := range map[int]bool{1: false, 2: false, 3: true} {
		a, err := analysis.Analyse(oneSlow(slow), analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l := a.Variants[0].LoadLine
		if l.Rung != 4 || l.Next != 8 || l.SureAbove() != sure {
			t.Errorf("slow in %d of 3 trials: %+v, sure above %v", slow, l, l.SureAbove())
		}
		for _, f := range a.Findings {
			if c := f.Cause; f.Kind == "bottleneck" && (c.Kind == diagnose.Instance) != sure {
				t.Errorf("slow in %d of 3 trials: cause %+v", slow, *c)
			} else if f.Kind == "bottleneck" && sure && c.Instance != 7 {
				t.Errorf("the finding is about instance %d", c.Instance)
			}
		}
	}
}
