package verdict_test

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/say/verdict"
	"plimsoll/internal/study"
)

func TestBestFirst(t *testing.T) {
	samples := slices.Concat(laddered("a", 2), laddered("b", 8), []analysistest.Sample{{Variant: "failed", Rung: 1, Failed: true}}, laddered("c", 4))
	for name, objectives := range map[string][]study.Objective{"by load line": analysistest.MeanBelow(0.2), "by throughput": nil} {
		a, err := analysis.Analyse(analysistest.MadeUp(objectives, samples...), analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"b", "c", "a", "failed"}; !slices.Equal(a.Ranking, want) {
			t.Errorf("%s: the order is %v, not %v", name, a.Ranking, want)
		}
		a.Variants[0].Work.Unit.Throughput = "MB/s"
		if want := []string{"a", "b", "failed", "c"}; !slices.Equal(verdict.BestFirst(a), want) {
			t.Errorf("%s, of different units: the order is %v, not %v", name, verdict.BestFirst(a), want)
		}
	}
}
