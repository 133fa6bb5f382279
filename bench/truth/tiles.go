package main

import (
	"math"
	"sync"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

// tileRungs are the rungs of every made-up ladder of tiles.
func tileRungs() []int { return []int{1, 2, 4, 8} }

// made is a tile of two members with known limits: the response times of member a reach 200 ms at
// a tiles, and member b's at b tiles. At n tiles, responses take n times as long as in one, and
// each tile does n^-0.4 of the work of a single one.
type made struct {
	what   string
	a, b   float64 // tiles
	beside float64 // how many times as long responses take in one tile as alone
	noise  float64 // standard deviation of a trial, relative
}

func (m made) run(seed uint64) *model.Tile {
	limit := analysistest.MeanBelow(0.2)
	member := func(name string, at float64) analysistest.Tenant {
		return analysistest.Tenant{Member: study.Member{Name: name, Weight: 1, Application: study.Application{Objectives: limit}}, OPM: 5000, Mean: 0.2 / at, Alone: 0.2 / at / m.beside, Grows: 1, Falls: 0.4}
	}
	run := analysistest.Tenants(tileRungs(), 3, analysistest.Noise{Throughput: m.noise, Response: m.noise}, seed, member("a", m.a), member("b", m.b))
	run.Plan.Study.ObjectivesOf = study.OfWhole
	a := analysed(run, study.Answer{}, seed)
	if a == nil || len(a.Tiles) != 1 {
		return nil
	}
	return &a.Tiles[0]
}

// first is the member that truly breaks first; empty where both do at the same number.
func (m made) first() string {
	switch {
	case m.a < m.b:
		return "a"
	case m.b < m.a:
		return "b"
	}
	return ""
}

func madeTiles() []made {
	return []made{
		{"a breaks at 3 tiles, b at 12, 1.5 times as slow as alone; noise 5 %", 3, 12, 1.5, 0.05},
		{"b breaks at 2.5 tiles, a at 3.6, 1.2 times as slow as alone; noise 2 %", 3.6, 2.5, 1.2, 0.02},
		{"b breaks at 4.5 tiles, a at 7, 3 times as slow as alone; noise 5 %", 7, 4.5, 3, 0.05},
		{"both break at 3 tiles, as slow as alone; noise 5 %", 3, 3, 1, 0.05},
	}
}

// twoMembers counts how often the analysis of a tile is right about which member breaks first,
// how far it is slowed down by the other and by more tiles, and what the tiles score.
func twoMembers() table {
	return table{title: "Two members of a tile", rows: func(c *counter) [][]string {
		rows := [][]string{{"what is true", "first, and right", "first, and wrong", "by interpolation, right", "tile to alone within its interval", "top to tile within its interval", "median error of tile to alone", "median error of top to alone", "median error of the score"}}
		for _, m := range madeTiles() {
			rows = append(rows, m.row(c))
		}
		return rows
	}}
}

func (m made) row(c *counter) []string {
	var sets sync.Map // several figures are of each
	set := func(seed uint64) *model.Tile {
		if t, is := sets.Load(seed); is {
			return t.(*model.Tile)
		}
		t := m.run(seed)
		sets.Store(seed, t)
		return t
	}
	says := func(shown, right bool) func(uint64) bool {
		return func(seed uint64) bool {
			t := set(seed)
			return t != nil && t.First != nil && t.First.Shown == shown && (t.First.Member == m.first()) == right && (shown || len(t.Broken) > 1)
		}
	}
	within := func(truth float64, of func(model.Interference) stats.Interval) func(uint64) bool {
		return func(seed uint64) bool {
			t := set(seed)
			if t == nil || len(t.Interference) != 2 || t.Interference[0].Alone == nil {
				return false
			}
			i := of(t.Interference[0])
			return i.Confidence > 0 && i.Low <= truth && truth <= i.High
		}
	}
	toAlone := func(i model.Interference) stats.Interval { return i.TileOverAlone.Mean }
	toTile := func(i model.Interference) stats.Interval { return i.Mean }
	return []string{
		m.what, percent(c.share(says(true, true))),
		percent(c.atMost(mostWrong, "a tile names the wrong member first: "+m.what, says(true, false))),
		percent(c.share(says(false, true))),
		percent(c.atLeast(leastFound, "the interval of the tile to a member alone holds it: "+m.what, within(m.beside, toAlone))),
		percent(c.atLeast(leastFound, "the interval of interference holds it: "+m.what, within(m.slower(), toTile))),
		m.error(c, set, m.beside, func(t *model.Tile) float64 { return t.Interference[0].TileOverAlone.Mean.Value }),
		m.error(c, set, m.beside*m.slower(), func(t *model.Tile) float64 { return t.Interference[0].TopOverAlone.Mean.Value }),
		m.error(c, set, m.score(), func(t *model.Tile) float64 { return t.Rungs[len(t.Rungs)-1].Score.Value }),
	}
}

// slower is how many times as long a response takes in the most tiles as in one.
func (m made) slower() float64 { return float64(tileRungs()[len(tileRungs())-1]) }

// score is the score at the largest number of tiles.
func (m made) score() float64 { return math.Pow(m.slower(), 0.6) }

// error is the median over the sets of how far a figure is off, and holds it to a fifth.
func (m made) error(c *counter, set func(uint64) *model.Tile, truth float64, of func(*model.Tile) float64) string {
	off := func(seed uint64) float64 {
		if t := set(seed); t != nil {
			return math.Abs(of(t)/truth - 1)
		}
		return math.Inf(1)
	}
	c.atMost(mostWrong, "a figure of a tile is off by more than a fifth: "+m.what, func(seed uint64) bool { return off(seed) > 0.2 })
	all := make([]float64, c.sets)
	for seed := range all {
		all[seed] = off(uint64(seed))
	}
	return percent(stats.MedianOf(all))
}
