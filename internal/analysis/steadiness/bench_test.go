package steadiness

import (
	"fmt"
	"testing"

	"plimsoll/internal/analysis/analysistest"
)

func BenchmarkJudge(b *testing.B) {
	for _, seconds := range []int{120, 300} {
		rate := analysistest.Rates{Seconds: seconds, Noise: 0.03}.Series(1)
		b.Run(fmt.Sprintf("%d s", seconds), func(b *testing.B) {
			for b.Loop() {
				ShapeOf(rate)
			}
		})
	}
}
