package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// noises are what the courses are tried with.
var noises = []float64{0.002, 0.01, 0.03}

// courses counts what series are called that do what is said of them.
func courses(seconds int) table {
	return table{fmt.Sprintf("What series of %d s are called, by their noise", seconds), func(sets int) [][]string {
		rows := [][]string{{"throughput", "is to be called", "0.2 %", "1 %", "3 %"}}
		for _, c := range analysistest.Courses(seconds) {
			row := []string{c.Name, nameOf(c.Kind)}
			for _, noise := range noises {
				r := analysistest.Rates{Seconds: seconds, Noise: noise, Carried: 0.3, Level: c.Level}
				row = append(row, called(r, sets))
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

func nameOf(kind string) string { return cmp.Or(kind, "steady") }

// called lists the names that series of many seeds get, the most frequent first.
func called(r analysistest.Rates, sets int) string {
	names := make([]string, sets)
	analysistest.Share(sets, func(seed uint64) bool {
		if w := trust.Unsteady(r.Series(seed)); len(w) > 0 {
			names[seed] = w[0].Kind
		}
		return false
	})
	counts := map[string]int{}
	for _, name := range names {
		counts[nameOf(name)]++
	}
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, k := range kinds {
		kinds[i] = fmt.Sprintf("%s %.3g %%", k, 100*float64(counts[k])/float64(sets))
	}
	return strings.Join(kinds, ", ")
}
