package main

import (
	"fmt"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
)

// steadyNoise counts steady series that are taken for unsteady ones.
func steadyNoise() table {
	carries := []float64{0, 0.3, 0.6, 0.8}
	return table{"Steady series that are doubted", func(sets int) [][]string {
		header := []string{"phase, noise, of which so much is carried to the next second:"}
		for _, c := range carries {
			header = append(header, fmt.Sprint(c))
		}
		rows := [][]string{header}
		for _, seconds := range []int{40, 60, 120, 300} {
			for _, noise := range []float64{0.02, 0.2} {
				row := []string{fmt.Sprintf("%d s, %.0f %%", seconds, 100*noise)}
				for _, carried := range carries {
					r := analysistest.Rates{Seconds: seconds, Noise: noise, Carried: carried}
					row = append(row, percent(analysistest.Share(sets, func(seed uint64) bool {
						return len(trust.Unsteady(r.Series(seed))) > 0
					})))
				}
				rows = append(rows, row)
			}
		}
		return rows
	}}
}
