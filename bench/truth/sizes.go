package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
)

// sizes counts the changes that are doubted, by their size and the noise: what can be seen at all.
func sizes() table {
	return table{"Steps and drifts of 120 s that are doubted, by their size", func(c *counter) [][]string {
		header, rows := []string{"throughput; noise, carried to the next second:"}, [][]string{}
		noises := []analysistest.Rates{{Noise: 0.02, Carried: 0.3}, {Noise: 0.05, Carried: 0.3}, {Noise: 0.05, Carried: 0.6}, {Noise: 0.1, Carried: 0.3}}
		for _, n := range noises {
			header = append(header, fmt.Sprintf("%.0f %%, %v", 100*n.Noise, n.Carried))
		}
		for _, size := range []float64{0.05, 0.1, 0.2, 0.4} {
			for _, of := range []struct {
				name string
				fell func(share float64) float64
			}{
				{"falls by %.0f %% half way", math.Round},
				{"falls by %.0f %% in a line", func(share float64) float64 { return share }},
			} {
				row := []string{fmt.Sprintf(of.name, 100*size)}
				for _, n := range noises {
					n.Seconds, n.Level = 120, func(i int) float64 { return 1000 * (1 - size*of.fell((float64(i)+0.5)/120)) }
					row = append(row, percent(c.share(func(seed uint64) bool { return len(trust.Unsteady(n.Series(seed))) > 0 })))
				}
				rows = append(rows, row)
			}
		}
		return append([][]string{header}, rows...)
	}}
}

// evenWork counts steady work without a normal distribution that is doubted.
func evenWork() table {
	return table{"Steady work of other kinds that is doubted", func(c *counter) [][]string {
		rows := [][]string{{"units of work in a second", "40 s", "120 s", "300 s"}}
		for _, of := range []struct {
			name   string
			second func(i int, random *rand.Rand) float64
		}{
			{"at random, 2 on average", func(_ int, r *rand.Rand) float64 { return atRandom(2, r) }},
			{"at random, 10 on average", func(_ int, r *rand.Rand) float64 { return atRandom(10, r) }},
			{"30 at random, each of 1 to 9", func(_ int, r *rand.Rand) float64 {
				sum := 0.0
				for range int(atRandom(30, r)) {
					sum += float64(1 + r.IntN(9))
				}
				return sum
			}},
			{"100 and 101 in turn", func(i int, _ *rand.Rand) float64 { return 100 + float64(i%2) }},
		} {
			row := []string{of.name}
			for _, seconds := range []int{40, 120, 300} {
				row = append(row, percent(c.atMost(mostWrong, fmt.Sprintf("steady work is doubted, %s, %d s", of.name, seconds), func(seed uint64) bool {
					random, rate := rand.New(rand.NewPCG(seed, 19)), make([]float64, seconds)
					for i := range rate {
						rate[i] = of.second(i, random)
					}
					return len(trust.Unsteady(rate)) > 0
				})))
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

// atRandom draws how many of a Poisson process end in a second.
func atRandom(mean float64, random *rand.Rand) (n float64) {
	for waited := random.ExpFloat64(); waited < mean; waited += random.ExpFloat64() {
		n++
	}
	return n
}
