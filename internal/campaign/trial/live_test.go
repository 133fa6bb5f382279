package trial

import (
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// The rate shown is over all of the last seconds, those without a unit of work
// included, and over more of them where a unit takes long.
func TestLiveRate(t *testing.T) {
	start := time.Now()
	for name, c := range map[string]struct {
		unit    describe.Unit
		seconds map[int]int64 // units that ended in a second
		now     int
		want    float64
	}{
		"each second":     {describe.Unit{Seconds: 1}, map[int]int64{5: 10, 6: 10, 7: 10, 8: 10}, 11, 8},
		"stalled":         {describe.Unit{Seconds: 1}, map[int]int64{1: 10, 2: 10}, 11, 0},
		"not yet a lag":   {describe.Unit{Seconds: 1}, map[int]int64{0: 10, 1: 10}, 3, 10},
		"none yet":        {describe.Unit{Seconds: 1}, nil, 0, 0},
		"slow units":      {describe.Unit{Seconds: 3600}, map[int]int64{3: 1, 39: 1}, 41, 180},
		"slow, long past": {describe.Unit{Seconds: 3600}, map[int]int64{3: 1, 90: 1}, 101, 60},
	} {
		tr := alone(&trial{result: &result.Tile{Trial: result.Trial{Start: start, MeasureEnd: start.Add(time.Minute)}}}, "some")
		tr.members[0].result.Profile.Unit = c.unit
		l := tr.newLive()
		for second, count := range c.seconds {
			l.seconds[second] = &liveSecond{count: count}
		}
		l.forget(c.now)
		if got := l.event(c.now).Throughput; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
