package grade

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"plimsoll/internal/analysis/trust"
)

// However the seconds that were lost are spread over the units of work, and whichever of
// the slowest are left out: an objective that is kept without them is not missed by far.
func TestLostTimeMakesNoObjectiveMissedByFar(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		times := make([]float64, 200+random.IntN(2000))
		for i := range times {
			times[i] = random.ExpFloat64()
		}
		slices.Sort(times)
		limit := times[len(times)-1-len(times)/20] // p95
		lost := trust.DoubtBound{Units: int64(random.IntN(20)), Seconds: 0.1 * random.Float64() * float64(len(times))}
		spread(times, lost, limit, random)
		if exceeds(buckets(times), lost, "p95", wide*limit) {
			t.Errorf("seed %d: p95 is kept at %.2f without %+v", seed, limit, lost)
		}
	}
}

// spread lengthens some units of work at will, and others until they miss the limit by far.
func spread(times []float64, lost trust.DoubtBound, limit float64, random *rand.Rand) {
	for range lost.Units {
		times[random.IntN(len(times))] = 1e3
	}
	budget := lost.Seconds
	for i := len(times) - 1; i >= 0; i-- {
		need := max(0, (wide+0.01)*limit-times[i])
		if need > budget {
			return
		}
		times[i], budget = times[i]+need, budget-need
	}
}

func buckets(times []float64) (all []bucket) {
	for _, v := range times {
		all = append(all, bucket{v, 1})
	}
	return all
}

// What misses a limit by far does so without a few units of work and seconds, too.
func TestWhatMissesByFarWithoutLostTime(t *testing.T) {
	times := slices.Repeat([]bucket{{2, 1}}, 300)
	for metric, c := range map[string]struct {
		lost trust.DoubtBound
		want bool
	}{
		"p95":  {trust.DoubtBound{Units: 100, Seconds: 50}, true},
		"p99":  {trust.DoubtBound{Units: 300}, false},
		"mean": {trust.DoubtBound{Units: 20, Seconds: 100}, true},
		"p90":  {trust.DoubtBound{Seconds: 500}, false},
		"p50":  {trust.DoubtBound{Units: math.MaxInt64}, false},
		"max":  {trust.DoubtBound{}, false}, // unknown
	} {
		if got := exceeds(slices.Clone(times), c.lost, metric, wide); got != c.want {
			t.Errorf("%s without %+v: %v", metric, c.lost, got)
		}
	}
}
