package analysis

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// tiles is a run of two shops and one bulk in each tile. The shops are fast enough up to
// 8 tiles, and the bulk up to 2.
func tiles(rungs ...int) *result.Run {
	most := map[string]int{"shop": 8, "bulk": 2}
	mean := func(member string, tiles int) float64 {
		if tiles <= most[member] {
			return 0.1
		}
		return 0.5
	}
	return analysistest.Tile(study.Ladder{Rungs: rungs}, rungs, mean,
		study.Member{Name: "shop", Weight: 2, Objectives: analysistest.MeanBelow(0.2), Load: study.Load{Users: 2}},
		study.Member{Name: "bulk", Weight: 1, Objectives: analysistest.MeanBelow(0.2), Load: study.Load{Users: 2}})
}

// A rung is carried when every member keeps its objectives, and who does not is named; each
// member is judged by its own instances.
func TestATileIsCarriedByAllOfItsMembers(t *testing.T) {
	a, err := Analyse(tiles(1, 2, 4, 8), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Tiles) != 1 {
		t.Fatalf("tiles are %+v", a.Tiles)
	}
	tile := a.Tiles[0]
	if tile.Rung != 2 || tile.Next != 4 || !slices.Equal(tile.Broken, []string{"bulk"}) || !slices.Equal(tile.Members, []string{"a.shop", "a.bulk"}) {
		t.Errorf("the tile is %+v", tile)
	}
	if a.Headline != tile.Text {
		t.Errorf("the headline is %s, the tile's text %s", a.Headline, tile.Text)
	}
	if len(a.Variants) != 2 || a.Variants[0].LoadLine.Rung != 16 || !a.Variants[0].LoadLine.Open || a.Variants[1].LoadLine.Rung != 2 {
		t.Errorf("load lines of the members are %+v and %+v", a.Variants[0].LoadLine, a.Variants[1].LoadLine)
	}
	ids := map[string]bool{}
	for _, one := range a.Trials {
		ids[one.ID] = true
	}
	if len(ids) != 8 || !ids["a.shop/8/1"] || !ids["a.bulk/1/1"] {
		t.Errorf("trials are %v", ids)
	}
}

func TestTilesAtTheEndsOfTheLadder(t *testing.T) {
	for _, c := range []struct {
		rungs []int
		want  string
	}{
		{[]int{1, 2}, "`a` carries 2 tiles, the most that was measured: every member keeps its objectives."},
		{[]int{4, 8}, "`a` carries not even 4 tiles: bulk: mean was 500 ms (mean ≤ 200 ms)."},
		{[]int{16}, "`a` carries not even 16 tiles: mean was 500 ms (mean ≤ 200 ms)."},
	} {
		a, err := Analyse(tiles(c.rungs...), Options{})
		if err != nil || a.Headline != c.want {
			t.Errorf("%v: got %s, %v, want %s", c.rungs, a.Headline, err, c.want)
		}
	}
}

// A trial that failed while users were at work breaks the rung for all, with its cause.
func TestATileThatFailed(t *testing.T) {
	run := tiles(1, 2)
	run.Trials[1].Status, run.Trials[1].Failure = result.Failed, &result.Failure{Stage: "drive", Cause: "member bulk: bulk-driver-0 ended early"}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tile := a.Tiles[0]; tile.Rung != 1 || len(tile.Broken) != 2 || tile.Text != "`a` carries 1 tile; at 2, 1 of 1 trials failed: member bulk: bulk-driver-0 ended early (stage: drive)." {
		t.Errorf("the tile is %+v", tile)
	}
}
