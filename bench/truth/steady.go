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
	return table{"Steady series that are doubted", func(c *counter) [][]string {
		header := []string{"phase, noise; carried to the next second:"}
		for _, carried := range carries {
			header = append(header, fmt.Sprint(carried))
		}
		rows := [][]string{header}
		for _, seconds := range []int{40, 60, 120, 300} {
			for _, noise := range []float64{0.02, 0.2} {
				row := []string{fmt.Sprintf("%d s, %.0f %%", seconds, 100*noise)}
				for _, carried := range carries {
					r := analysistest.Rates{Seconds: seconds, Noise: noise, Carried: carried}
					row = append(row, percent(c.atMost(mostWrong, fmt.Sprintf("a steady series is doubted, %+v", r), func(seed uint64) bool {
						return len(trust.Unsteady(r.Series(seed))) > 0
					})))
				}
				rows = append(rows, row)
			}
		}
		return rows
	}}
}

// shortPhases counts phases too short for shapes: steady ones that are doubted, and those
// whose throughput doubles that are not.
func shortPhases() table {
	return table{"Phases below 20 s that are said to drift", func(c *counter) [][]string {
		rows := [][]string{{"phase", "noise", "steady", "steady, 0.3 carried", "steady, 0.6 carried", "doubles in a line"}}
		for _, seconds := range []int{10, 15} {
			for _, noise := range []float64{0.02, 0.05, 0.2} {
				said := func(r analysistest.Rates) func(uint64) bool {
					r.Seconds, r.Noise = seconds, noise
					return func(seed uint64) bool { return len(trust.Unsteady(r.Series(seed))) > 0 }
				}
				what := fmt.Sprintf("%d s, noise %v", seconds, noise)
				row := []string{fmt.Sprintf("%d s", seconds), fmt.Sprintf("%.0f %%", 100*noise)}
				for _, carried := range []float64{0, 0.3, 0.6} {
					row = append(row, percent(c.atMost(mostWrong, "a steady phase is doubted, "+what, said(analysistest.Rates{Carried: carried}))))
				}
				doubles := said(analysistest.Rates{Level: func(i int) float64 { return 500 * (1 + float64(i)/float64(seconds-1)) }})
				if noise < 0.1 { // more noise hides it, which is no fault
					row = append(row, percent(c.atLeast(leastFound, "a phase that doubles is doubted, "+what, doubles)))
				} else {
					row = append(row, percent(c.atMost(1, "", doubles)))
				}
				rows = append(rows, row)
			}
		}
		return rows
	}}
}

// noises are what the courses are tried with.
var noises = []float64{0.002, 0.01, 0.03}

// courses counts the names that series get, by their true course.
func courses(seconds int) table {
	return table{fmt.Sprintf("What series of %d s are called, by their noise", seconds), func(c *counter) [][]string {
		rows := [][]string{{"throughput", "is to be called", "0.2 %", "1 %", "3 %"}}
		for _, course := range analysistest.Courses(seconds) {
			row := []string{course.Name, nameOf(course.Kind)}
			for _, noise := range noises {
				r := analysistest.Rates{Seconds: seconds, Noise: noise, Carried: 0.3, Level: course.Level}
				row = append(row, called(c, r, course))
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

func nameOf(kind string) string { return cmp.Or(kind, "steady") }

// called lists the names that series of many seeds get, the most frequent first.
func called(c *counter, r analysistest.Rates, course analysistest.Course) string {
	name := func(seed uint64) string {
		if w := trust.Unsteady(r.Series(seed)); len(w) > 0 {
			return string(w[0].Kind)
		}
		return ""
	}
	names := make([]string, c.sets)
	c.atLeast(leastFound, fmt.Sprintf("what %s is called %s, noise %v, %d s", course.Name, nameOf(course.Kind), r.Noise, r.Seconds), func(seed uint64) bool {
		kind := name(seed)
		if seed < uint64(len(names)) {
			names[seed] = kind
		}
		return kind == course.Kind
	})
	counts := map[string]int{}
	for _, name := range names {
		counts[nameOf(name)]++
	}
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, k := range kinds {
		kinds[i] = fmt.Sprintf("%s %.3g %%", k, 100*float64(counts[k])/float64(c.sets))
	}
	return strings.Join(kinds, ", ")
}
