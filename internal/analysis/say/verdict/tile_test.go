package verdict

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

func TestTileSaysWhatIsCarriedAndWhoBreaks(t *testing.T) {
	slow := "mean was 500 ms (mean ≤ 200 ms)"
	both := []string{"a.shop", "a.bulk"}
	for _, c := range []struct {
		tile model.Tile
		why  []string
		want string
	}{
		{model.Tile{}, nil, "`a` has no finished trial."},
		{model.Tile{Rung: 2}, nil, "`a` carries 2 tiles, the most that was measured: every member keeps its objectives."},
		{model.Tile{Rung: 2, Next: 4, Broken: []string{"bulk"}}, []string{slow}, "`a` carries 2 tiles; at 4, bulk: " + slow + "."},
		{model.Tile{Next: 4, Broken: []string{"bulk"}}, []string{slow}, "`a` carries not even 4 tiles: bulk: " + slow + "."},
		{model.Tile{Next: 16, Broken: []string{"shop", "bulk"}}, []string{slow, slow}, "`a` carries not even 16 tiles: " + slow + "."},
		{model.Tile{Rung: 1, Next: 2, Broken: []string{"shop", "bulk"}}, []string{"errors", slow}, "`a` carries 1 tile; at 2, shop: errors; bulk: " + slow + "."},
	} {
		c.tile.Variant, c.tile.Members = "a", both
		if got := Tile(c.tile, c.why, nil); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	v, objectives := &model.Variant{}, []study.Objective{{Metric: "mean", Limit: 0.2}}
	r := &rung.Rung{Repetitions: 1, Objectives: []rung.ObjectiveResult{{Metric: "mean", Value: 0.5, Limit: 0.2}}}
	if got := BrokenMember(objectives, v, r); got != slow {
		t.Errorf("a slow member: %s", got)
	}
	failed := &rung.Rung{Failed: 1, Breaks: "1 of 1 trials failed: a driver ended early"}
	failed.Break.Failed = &result.Trial{}
	if got := BrokenMember(objectives, v, failed); got != failed.Breaks {
		t.Errorf("a member that failed: %s", got)
	}
	if got := BrokenMember(nil, nil, nil); got != "nothing was measured" {
		t.Errorf("a member without trials: %s", got)
	}
}

// The member that breaks first is named as such only where the repetitions show it; the score
// is said of more than the reference.
func TestTileSaysWhoBreaksFirstAndTheScore(t *testing.T) {
	scored := func(tiles int, score float64) model.TileRung {
		return model.TileRung{Tiles: tiles, Score: stats.Exactly(score)}
	}
	tile := model.Tile{
		Variant: "a", Rung: 2, Next: 4, Broken: []string{"shop", "bulk"}, Peak: 1, Flat: 2,
		First:      &model.TileBreak{Member: "bulk", At: 2.52, Tile: 3},
		References: []model.TileReference{{Member: "shop", Throughput: 1, Published: true}},
		Rungs:      []model.TileRung{scored(1, 1.5), scored(2, 1.42), scored(4, 2)},
	}
	why := []string{"errors", "slow"}
	for _, c := range []struct {
		shown bool
		want  string
	}{
		{true, "`a` carries 2 tiles; at 4, shop: errors; bulk: slow. The first to break is bulk, at 2.52 tiles; it is worst in tile 3 of 4. The score at 2 tiles is 1.42; 2 tiles add nothing to it (1.42), and it is highest at 1 (1.5)."},
		{false, "`a` carries 2 tiles; at 4, shop: errors; bulk: slow. The first to break may be bulk, at 2.52 tiles by interpolation; it is worst in tile 3 of 4. The score at 2 tiles is 1.42; 2 tiles add nothing to it (1.42), and it is highest at 1 (1.5)."},
	} {
		tile.First.Shown = c.shown
		if got := Tile(tile, why, &model.Variant{}); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	saturated := &model.Variant{Rungs: []rung.Rung{{Instances: 4, Repetitions: 1, Resources: []resource.Resource{
		{Kind: resource.CPU, Name: "CPU", Utilisation: 0.97, Servers: 2},
	}}}}
	tile.Broken, tile.First.Cause, tile.Rungs = []string{"bulk"}, &diagnose.Cause{}, nil
	if got := Tile(tile, why[1:], saturated); !strings.Contains(got, "bottleneck") && !strings.Contains(got, "saturated") {
		t.Errorf("what limits is missing: %s", got)
	}
}

// The answer on several stores has the count of each, as a bracket.
func TestTilesAreCounted(t *testing.T) {
	a := &model.Analysis{Tiles: []model.Tile{{Variant: "a", Rung: 4, Next: 6}, {Variant: "b", Rung: 6}, {Variant: "c", Next: 2}, {Variant: "d"}}}
	if got, want := carried(a, nil), "`b` carries at least 6 tiles, `a` 4 to 5 and `c` fewer than 2."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	a.Tiles = append(a.Tiles, model.Tile{Variant: "e", Rung: 1, Next: 2})
	if got, want := carried(a, nil), "Of 4 variants, `b` carries at least 6 tiles and `c` fewer than 2."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
