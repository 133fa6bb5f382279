package verdict

import (
	"testing"

	"plimsoll/internal/analysis/model"
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
		if got := Tile(c.tile, c.why); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	if got := BrokenMember(nil, nil, nil); got != "nothing was measured" {
		t.Errorf("a member without trials: %s", got)
	}
}
