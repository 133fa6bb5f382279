package sizing

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/study"
)

// A member's line is a basis like any other: it was measured with the other members beside it,
// whose objectives are named.
func TestSizeFromAMember(t *testing.T) {
	mean := func(member string, tiles int) float64 { return 0.05 * float64(tiles) }
	run := analysistest.Tile(study.Ladder{Rungs: []int{1, 2, 4, 8}}, []int{1, 2, 4, 8}, mean,
		study.Member{Name: "shop", Weight: 2, Application: study.Application{Objectives: analysistest.MeanBelow(0.21)}}, study.Member{Name: "bulk", Weight: 1, Application: study.Application{Objectives: analysistest.MeanBelow(0.11)}})
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for variant, instances := range map[string]int{"a.shop": 8, "a.bulk": 2} {
		b, err := BasisFrom(a, BasisOf{Variant: variant, Nodes: 1})
		if err != nil || b.Rung != instances || b.Nodes != 1 || b.Noun != "instance" || !strings.Contains(b.Objectives, "shop: ") || !strings.Contains(b.Objectives, "bulk: ") {
			t.Errorf("%s: %+v, %v", variant, b, err)
		}
	}
	if _, err := BasisFrom(a, BasisOf{Variant: "a.shp"}); err == nil || !strings.Contains(err.Error(), `did you mean "a.shop"?`) {
		t.Errorf("an unknown member: %v", err)
	}
}
