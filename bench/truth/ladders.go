package main

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// ladderShapes are how throughput can grow, in orders a minute of n instances; the law's
// are Gunther's, of contention 0.05 and, with a peak at 14, coherency 0.005.
func ladderShapes() map[string]analysistest.Curve {
	law := func(sigma, kappa float64) analysistest.Curve {
		return func(n int) float64 {
			v := float64(n)
			return 1000 * v / (1 + sigma*(v-1) + kappa*v*(v-1))
		}
	}
	return map[string]analysistest.Curve{
		"linear":                    law(0, 0),
		"up to 8, then flat":        func(n int) float64 { return 1000 * float64(min(n, 8)) },
		"contention alone, no peak": law(0.05, 0),
		"a peak at 14":              law(0.05, 0.005),
	}
}

// growths counts the statements about how throughput grows over the rungs 1 to 32, by the true
// growth.
func growths() table {
	return table{"What is said of ladders, by how throughput truly grows", func(c *counter) [][]string {
		rows := [][]string{{"truth", "noise", "linear", "levels off", "a peak", "nothing of these"}}
		for _, name := range []string{"linear", "up to 8, then flat", "contention alone, no peak", "a peak at 14"} {
			for _, noise := range []float64{0.01, 0.02, 0.05} {
				rows = append(rows, ladderRow(c, name, noise))
			}
		}
		return rows
	}}
}

func ladderRow(c *counter, name string, noise float64) []string {
	made := analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: analysistest.Constant(0.1), Throughput: ladderShapes()[name]}},
		Rungs:    []int{1, 2, 4, 8, 16, 32}, Repetitions: 3, Noise: analysistest.Noise{Throughput: noise},
	}
	headlines := make([]string, c.sets)
	c.atMost(mostWrong, fmt.Sprintf("something wrong of a ladder that is %s, noise %v", name, noise), func(seed uint64) bool {
		what := headlineOfLadder(made.Run(seed), seed)
		if seed < uint64(len(headlines)) {
			headlines[seed] = what
		}
		return slices.Contains(wrongOf[name], what)
	})
	row := []string{name, fmt.Sprintf("%.0f %%", 100*noise)}
	for _, what := range []string{"linear", "levels off", "a peak", ""} {
		n := 0
		for _, other := range headlines {
			if other == what {
				n++
			}
		}
		row = append(row, percent(float64(n)/float64(c.sets)))
	}
	return row
}

// wrongOf is what must not be said of a ladder.
var wrongOf = map[string][]string{
	"linear":                    {"levels off", "a peak"},
	"up to 8, then flat":        {"linear", "a peak"},
	"contention alone, no peak": {"linear", "a peak"},
	"a peak at 14":              {"linear"},
}

func headlineOfLadder(run *result.Run, seed uint64) string {
	a := analysed(run, study.Answer{}, seed)
	if a == nil || a.Variants[0].Scalability == nil {
		return ""
	}
	switch s := a.Variants[0].Scalability; {
	case s.PeakAt > 0 || strings.Contains(s.Text, "past its peak"):
		return "a peak"
	case strings.Contains(s.Text, "it is linear"):
		return "linear"
	case strings.Contains(s.Text, "it levels off"):
		return "levels off"
	}
	return ""
}
