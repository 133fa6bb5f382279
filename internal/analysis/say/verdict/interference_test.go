package verdict

import (
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
)

func sure(value, low, high float64) stats.Interval {
	return stats.Interval{Value: value, Low: low, High: high, Confidence: stats.Confidence}
}

func response(mean stats.Interval) *model.Responses { return &model.Responses{Mean: mean} }

// What members do to each other is said as far as it was measured, and how sure it is.
func TestTileAnswers(t *testing.T) {
	shop := model.Interference{
		Member: "shop", From: 1, To: 4, Alone: response(stats.Exactly(0.005)),
		TileOverAlone: response(sure(1.4, 1.2, 1.6)), TopOverAlone: response(sure(4.1, 3.5, 4.8)),
	}
	idle := model.Interference{
		Member: "idle", From: 1, To: 1, Alone: response(stats.Exactly(0.001)),
		TileOverAlone: response(sure(1.05, 0.9, 1.2)), TopOverAlone: response(sure(1.05, 0.9, 1.2)),
	}
	wide := idle
	wide.TileOverAlone = response(sure(1.2, 0.4, 4.7))
	once := idle
	once.TileOverAlone = response(stats.Exactly(1.3))
	const unknown = " There are too few repetitions for an interval, so how far these figures are due to chance is unknown."
	for _, c := range []struct {
		tile model.Tile
		want string // of the last answer
	}{
		{model.Tile{Text: "It carries 1."}, "It carries 1."},
		{model.Tile{Interference: []model.Interference{{Member: "shop", From: 1, To: 4}}}, ""},
		{model.Tile{Interference: []model.Interference{shop, idle}}, "On average, shop takes 5 ms alone, and 1.4 times as long (1.2 to 1.6) in 1 tile and 4.1 times as long (3.5 to 4.8) in 4; idle takes 1 ms alone, and about as long (0.9 to 1.2 times) in 1 tile."},
		{model.Tile{Interference: []model.Interference{wide}}, "On average, idle takes 1 ms alone, and 0.4 to 4.7 times as long (no difference is shown) in 1 tile."},
		{model.Tile{Interference: []model.Interference{once}}, "On average, idle takes 1 ms alone, and 1.3 times as long in 1 tile." + unknown},
		{model.Tile{Bursty: "backup", CostsAt: 2, Costs: []model.BurstCost{{Member: "shop", Response: sure(1.5, 1.4, 1.6), Work: sure(0.9, 0.8, 0.95), On: 0.003, Off: 0.002}}},
			"At 2 tiles, while backup is at work, shop takes 1.5 times as long (1.4 to 1.6): 3 ms on average, otherwise 2 ms, and does 0.9 of the work (0.8 to 0.95)."},
		{model.Tile{Bursty: "backup", CostsAt: 1, Costs: []model.BurstCost{{Member: "idle", Response: stats.Exactly(1.5), On: 0.003, Off: 0.002}}},
			"At 1 tile, while backup is at work, idle takes 1.5 times as long: 3 ms on average, otherwise 2 ms." + unknown},
		{model.Tile{Bursty: "backup", CostsAt: 1, Costs: []model.BurstCost{{Member: "idle", On: 0.03, Off: 0.02, Blurred: 0.9, Burst: 4}}},
			"At 1 tile, while backup is at work, idle takes up to 900 ms (p99), too long to tell what bursts or pauses of 4 s do to it."},
	} {
		all := TileAnswers(c.tile)
		if got := all[len(all)-1].Text; got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
