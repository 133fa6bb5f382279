package main

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/describe"
)

// portion is a made-up ladder whose disk makes the response time grow, as it was measured.
type portion struct {
	what        string
	rungs       []int
	repetitions int
	growing     float64 // noise of the next rung
}

// leastCovered is how often 95 % intervals must hold the truth: those of two rungs whose noise
// differs hold it a little less often.
const leastCovered = 0.9

// portions counts how often the interval of a share of the growth holds the true share.
func portions() table {
	return table{"Shares of the growth of response time: how often their intervals hold the truth", func(c *counter) [][]string {
		header := []string{"ladder"}
		for _, noise := range timedNoise {
			header = append(header, fmt.Sprintf("holds, has an interval, with noise of %.0f %%", 100*noise))
		}
		rows := [][]string{header}
		for _, p := range []portion{
			{"two rungs, 2 repetitions", []int{1, 3}, 2, 1},
			{"two rungs, 3 repetitions", []int{1, 3}, 3, 1},
			{"four rungs, 2 repetitions", []int{1, 2, 3, 4}, 2, 1},
			{"four rungs, 3 repetitions", []int{1, 2, 3, 4}, 3, 1},
			{"two rungs, 3 repetitions, noise doubles", []int{1, 3}, 3, 2},
			{"four rungs, 2 repetitions, noise grows to 3 times", []int{1, 2, 3, 4}, 2, 1.44},
			{"four rungs, 3 repetitions, noise falls to a third", []int{1, 2, 3, 4}, 3, 1 / 1.44},
		} {
			row := []string{p.what}
			for _, noise := range timedNoise {
				row = append(row, p.counted(c, noise))
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

// counted is how often the interval holds the true share, and how often there is one.
func (p portion) counted(c *counter, noise float64) string {
	var bounded, sets atomic.Int64
	holds := c.atLeast(leastCovered, fmt.Sprintf("interval of a share of the growth: %s, noise %g", p.what, noise), func(seed uint64) bool {
		sets.Add(1)
		held, has := p.holds(seed, noise)
		if has {
			bounded.Add(1)
		}
		return held || !has
	})
	return percent(holds) + ", " + percent(float64(bounded.Load())/float64(sets.Load()))
}

// holds reports whether the share of the disk has an interval, and that holds the true one.
func (p portion) holds(seed uint64, noise float64) (holds, has bool) {
	random := rand.New(rand.NewPCG(seed, 0x9a1))
	l := analysistest.Timed{
		Stations: []analysistest.TimedStation{
			{Demand: between(0.001, 0.004, random), Servers: 2, Inside: "running", Waiting: "cpu_wait", CPU: true},
			{Inside: "device_wait", Waiting: "device_wait", Device: "vda"},
		},
		At: 1, Busy: between(0.8, 0.97, random), Rungs: p.rungs, Repetitions: p.repetitions, Noise: noise, Growing: p.growing,
	}
	a, err := analysis.Analyse(l.Run(seed), analysis.Options{})
	if err != nil || a.Variants[0].Time == nil {
		return false, false
	}
	found := a.Variants[0].Time
	after, spent := l.Spent(found.To, string(describe.DeviceWait))
	before, spentBefore := 0.0, 0.0
	if found.From > 0 {
		before, spentBefore = l.Spent(found.From, string(describe.DeviceWait))
	}
	share := shareOf(found, describe.DeviceWait)
	if share == nil || !share.Share.Bounded() {
		return false, false
	}
	truth := (spent - spentBefore) / (after - before)
	return share.Share.Low <= truth && truth <= share.Share.High, true
}

func shareOf(a *timeprofile.Attribution, component describe.Component) *timeprofile.Growth {
	for i := range a.Growth {
		if a.Growth[i].Component == component {
			return &a.Growth[i]
		}
	}
	return nil
}
