package tilescore

import (
	"math"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
)

// did is a trial of a member with so many instances, which did so many orders a minute each.
func did(repetition int, opm ...float64) *result.Trial {
	total := 0.0
	for _, x := range opm {
		total += x
	}
	return analysistest.Sample{Variant: "a", Rung: len(opm), OPM: total, Mean: 0.1, Change: func(t *result.Trial) {
		for i, x := range opm {
			t.Instances = append(t.Instances, result.InstanceSummary{Instance: i, Count: int64(x * t.MeasureEnd.Sub(t.MeasureStart).Minutes())})
		}
	}}.Trial(repetition)
}

func near(got, want float64) bool { return math.Abs(got-want) < 1e-9 }

// Each tile has two shops and one bulk. At two tiles, the first tile's shops do as much as
// in the tile of the first rung, the second tile's a quarter of that, and the bulks all of
// it.
func TestTheScoreIsTheSumOfGeometricMeans(t *testing.T) {
	shop := Member{Weight: 2, Trials: []*result.Trial{did(1, 100, 100, 25, 25), did(1, 100, 100)}}
	bulk := Member{Weight: 1, Trials: []*result.Trial{did(1, 40), did(1, 40, 40)}}
	rungs, references := Of([]Member{shop, bulk})
	if len(rungs) != 2 || len(references) != 2 || !near(references[0], 200) || !near(references[1], 40) {
		t.Fatalf("rungs %+v of %v", rungs, references)
	}
	if one, two := rungs[0], rungs[1]; one.Tiles != 1 || !near(one.Scores[0], 1) || two.Tiles != 2 || !near(two.Scores[0], 1.5) || !near(two.Each[0], 1) || !near(two.Each[1], 0.5) {
		t.Errorf("scores are %+v", rungs)
	}
	shop.Published, bulk.Published = 100, 40
	if rungs, _ := Of([]Member{shop, bulk}); !near(rungs[0].Scores[0], math.Sqrt2) {
		t.Errorf("against a published tile: %+v", rungs)
	}
}

// A member that does nothing in a tile has the tile count nothing; one that was not measured
// at a rung, or that does nothing in the reference, leaves nothing to score.
func TestWhatCannotBeScored(t *testing.T) {
	shop := Member{Weight: 1, Trials: []*result.Trial{did(1, 100), did(1, 100, 100), did(2, 100, 100)}}
	idle := Member{Weight: 1, Trials: []*result.Trial{did(1, 100), did(1, 100, 0)}}
	if rungs, _ := Of([]Member{shop, idle}); len(rungs) != 2 || len(rungs[1].Scores) != 1 || !near(rungs[1].Scores[0], 1) {
		t.Errorf("scores are %+v", rungs)
	}
	for name, members := range map[string][]Member{
		"no member": nil, "no trials": {{Weight: 1}}, "nothing done": {{Weight: 1, Trials: []*result.Trial{did(1, 0)}}},
		"no rung of both": {shop, {Weight: 1, Trials: []*result.Trial{did(1, 1, 1, 1)}}},
	} {
		if rungs, _ := Of(members); len(rungs) != 0 {
			t.Errorf("%s: %+v", name, rungs)
		}
	}
	alike := did(1, 100, 50)
	alike.Instances = nil
	if each := MemberThroughputs(alike, 2); !near(each[0], 75) || !near(each[1], 75) {
		t.Errorf("without instances: %v", each)
	}
}
