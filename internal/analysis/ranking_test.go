package analysis

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/answer/verdict"
	"plimsoll/internal/study"
)

func TestBestFirst(t *testing.T) {
	samples := slices.Concat(laddered("a", 2), laddered("b", 8), []sample{{"failed", 1, 0, 0, true, nil}}, laddered("c", 4))
	for name, objectives := range map[string][]study.Objective{"by load line": meanBelow(0.2), "by throughput": nil} {
		a, err := Analyse(madeUp(objectives, samples...), Options{})
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
