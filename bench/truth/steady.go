package main

import (
	"fmt"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
)

// steadyNoise counts steady series that are taken for unsteady ones.
func steadyNoise() table {
	carries := []float64{0, 0.3, 0.6, 0.8, 0.95}
	return table{"Steady series that are doubted", func(sets int) [][]string {
		header := []string{"phase, noise; carried to the next second:"}
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

// called are the names that a series can be given.
var called = []string{"", "warm-up", "drift", "shift", "dip", "dips", "stall"}

// courses counts what series that are not steady are called.
func courses(seconds int) table {
	return table{fmt.Sprintf("What series of %d s are called, with noise of 0.2, 1 and 3 %%", seconds), func(sets int) [][]string {
		header := []string{"it"}
		for _, name := range called {
			if name == "" {
				name = "steady"
			}
			header = append(header, name)
		}
		rows := [][]string{header}
		for _, c := range analysistest.Courses(seconds) {
			row := []string{c.Name}
			for _, n := range calledHow(c, seconds, sets) {
				row = append(row, n)
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

// calledHow gives for each name how often it is given at each noise.
func calledHow(c analysistest.Course, seconds, sets int) []string {
	out := make([]string, len(called))
	for _, noise := range []float64{0.002, 0.01, 0.03} {
		r := analysistest.Rates{Seconds: seconds, Noise: noise, Carried: 0.3, Level: c.Level}
		names := make([]string, sets)
		analysistest.Share(sets, func(seed uint64) bool {
			if w := trust.Unsteady(r.Series(seed)); len(w) > 0 {
				names[seed] = w[0].Kind
			}
			return false
		})
		for i, name := range called {
			n := 0
			for _, x := range names {
				if x == name {
					n++
				}
			}
			if out[i] += " "; n > 0 {
				out[i] += fmt.Sprintf("%.3g %%", 100*float64(n)/float64(sets))
			} else {
				out[i] += "–"
			}
		}
	}
	return out
}
