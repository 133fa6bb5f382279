package steadiness

import (
	"math"
	"testing"
)

// The chance of a sequence is that of its inversions: one in six that three repetitions rise, and
// so one in three that they rise or fall.
func TestChanceOfASequence(t *testing.T) {
	likely := []float64{1}
	for n := 1; n <= 3; n++ {
		likely = spreadOver(likely, n)
	}
	for i, want := range []float64{1, 2, 2, 1} {
		if math.Abs(likely[i]-want/6) > 1e-12 {
			t.Errorf("%v", likely)
		}
	}
}
