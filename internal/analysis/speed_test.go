package analysis_test

import (
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
)

// BenchmarkAnalyse reads and analyses 500 trials of ten minutes with telemetry
// at one second.
func BenchmarkAnalyse(b *testing.B) {
	dir := b.TempDir()
	if err := resulttest.Run(dir, []string{"a", "b", "c", "d", "e"}, []int{1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 120, 124, 126, 127, 128}, 5, 600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		run, err := result.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if len(run.Trials) != 500 {
			b.Fatal(len(run.Trials), run.Problems)
		}
		if _, err := analysis.Analyse(run, analysis.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
