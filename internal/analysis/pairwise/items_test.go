package pairwise

import (
	"math"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// A list has three items; the longest finished for one variant only. The two items that
// both finished are done 240 times an hour, and twice as often with two streams at once.
func TestThroughputOfTheCommonItems(t *testing.T) {
	for streams, want := range map[int64]float64{1: 240, 2: 480} {
		operation := func(mean float64) result.OperationSummary { return result.OperationSummary{Count: streams, Mean: mean} }
		one := &result.Trial{
			Part: result.Part{Profile: describe.Profile{Unit: describe.Unit{Name: "query", Seconds: 3600}}, Operations: map[string]result.OperationSummary{"q1": operation(10), "q2": operation(20), "q3": operation(70)}},
		}
		if got := rateOf(one, []string{"q1", "q2"}); math.Abs(got-want) > 1e-6 {
			t.Errorf("%d streams: %v, want %v", streams, got, want)
		}
		if got := rateOf(one, []string{"q4"}); got != 0 {
			t.Errorf("an item that was not done: %v", got)
		}
	}
}
