package steadiness

import (
	"math"
	"testing"
)

// The probability of a sequence follows from its inversions: three repetitions rise in one
// of six orders, so they rise or fall in one of three.
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
