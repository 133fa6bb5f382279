package rung

import (
	"math/rand/v2"
	"slices"
	"testing"

	"plimsoll/internal/analysis/stats"
)

func TestMedianOfTheOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		all := make(sortedFigures, r.IntN(9)+1)
		for i := range all {
			all[i] = float64(r.IntN(6)) // some are equal
		}
		slices.Sort(all)
		for i, own := range all {
			others := slices.Delete(slices.Clone(all), i, i+1)
			if got, want := all.without(own), stats.Median(others); got != want {
				t.Fatalf("%v without %v: %v, want %v", all, own, got, want)
			}
		}
	}
}
