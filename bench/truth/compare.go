package main

import (
	"fmt"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/compare/family"
)

// ladders are the ladders that comparisons are counted on.
var ladders = []struct {
	name  string
	rungs []int
}{{"one rung", analysistest.OneRung}, {"five rungs", analysistest.FiveRungs}}

var (
	repetitions = []int{2, 3, 5, 10}
	sideNoises  = []float64{0.01, 0.02, 0.04, 0.1}
)

// shown reports whether the verdict is a difference between two sides.
func shown(a, b analysistest.Side) func(seed uint64) bool {
	return func(seed uint64) bool {
		c, err := compare.Runs(compare.Side{Run: a.Run(2 * seed), Label: "a"}, compare.Side{Run: b.Run(2*seed + 1), Label: "b"}, compare.Options{})
		return err == nil && (c.Verdict == family.Better || c.Verdict == family.Worse)
	}
}

func sidesText(a, b analysistest.Side) string {
	return fmt.Sprintf("%d rungs, %d and %d repetitions, noise %v and %v", len(a.Rungs), a.Repetitions, b.Repetitions, a.Noise, b.Noise)
}

// falseVerdicts counts differences that are reported where there is none, for every
// number of repetitions of both sides, over every noise of both.
func falseVerdicts() table {
	return table{"compare without an effect, noise of 1, 2, 4 and 10 % on each side: a difference is reported", func(c *counter) [][]string {
		header := []string{"repetitions"}
		for _, l := range ladders {
			header = append(header, l.name+": on average", "with the worst noise")
		}
		rows := [][]string{header}
		for i, na := range repetitions {
			for _, nb := range repetitions[i:] {
				row := []string{fmt.Sprintf("%d and %d", na, nb)}
				for _, l := range ladders {
					mean, most := overNoises(c, analysistest.Side{Rungs: l.rungs, Repetitions: na}, analysistest.Side{Rungs: l.rungs, Repetitions: nb})
					row = append(row, percent(mean), percent(most))
				}
				rows = append(rows, row)
			}
		}
		return rows
	}}
}

// overNoises is how often a difference is shown between two sides, over every noise
// of both.
func overNoises(c *counter, a, b analysistest.Side) (mean, most float64) {
	for _, a.Noise = range sideNoises {
		for _, b.Noise = range sideNoises {
			share := c.atMost(mostWrong, "no effect is one, "+sidesText(a, b), shown(a, b))
			mean, most = mean+share/float64(len(sideNoises)*len(sideNoises)), max(most, share)
		}
	}
	return mean, most
}

// halvings counts how often a halving at one rung is found.
func halvings() table {
	return table{"compare with throughput halved at one rung: found", func(c *counter) [][]string {
		header := []string{"ladder, repetitions; noise of both sides:"}
		for _, noise := range sideNoises {
			header = append(header, fmt.Sprintf("%.0f %%", 100*noise))
		}
		header = append(header, "1 % and 10 %", "10 % and 1 %")
		rows := [][]string{header}
		for _, l := range ladders {
			for _, n := range [][2]int{{2, 2}, {3, 3}, {10, 2}, {10, 3}} {
				row := []string{fmt.Sprintf("%s, %d and %d", l.name, n[0], n[1])}
				for _, noise := range [][2]float64{{0.01, 0.01}, {0.02, 0.02}, {0.04, 0.04}, {0.1, 0.1}, {0.01, 0.1}, {0.1, 0.01}} {
					a := analysistest.Side{Rungs: l.rungs, Repetitions: n[0], Noise: noise[0]}
					b := analysistest.Side{Rungs: l.rungs, Repetitions: n[1], Noise: noise[1], Factor: 0.5, At: 8}
					row = append(row, percent(c.atLeast(leastFound, "a halving is found, "+sidesText(a, b), shown(a, b))))
				}
				rows = append(rows, row)
			}
		}
		return rows
	}}
}

// gates counts how often a condition passes and holds, by the true change and the
// margin.
func gates() table {
	return table{"compare --fail-if \"throughput < -3%\", noise of 2 %, five rungs: passes, holds", func(c *counter) [][]string {
		condition, err := family.ParseCondition("throughput < -3%")
		if err != nil {
			panic(err) // it is a constant
		}
		header := []string{"repetitions, margin; true change:"}
		changes := []float64{0, -0.03, -0.06, -0.1}
		for _, change := range changes {
			header = append(header, fmt.Sprintf("%.0f %%", 100*change))
		}
		rows := [][]string{header}
		for _, n := range []int{3, 5, 10} {
			for _, margin := range []float64{0.03, 0.06} {
				row := []string{fmt.Sprintf("%d, %.0f %%", n, 100*margin)}
				for _, change := range changes {
					a := analysistest.Side{Rungs: analysistest.FiveRungs, Repetitions: n, Noise: 0.02}
					b := a
					b.Factor = 1 + change
					gate := func(is func(*compare.Comparison) bool) func(uint64) bool {
						return func(seed uint64) bool {
							c, err := compare.Runs(compare.Side{Run: a.Run(2 * seed)}, compare.Side{Run: b.Run(2*seed + 1)}, compare.Options{Margin: margin, FailIf: []family.Condition{condition}})
							return err == nil && is(c)
						}
					}
					passes := gate(func(c *compare.Comparison) bool { return len(c.Passed) > 0 })
					holds := gate(func(c *compare.Comparison) bool { return len(c.Failed) > 0 })
					row = append(row, percent(c.atMost(mostPassing(change, margin), fmt.Sprintf("%s passes at %v", row[0], change), passes))+", "+
						percent(c.atMost(mostHolding(change), fmt.Sprintf("%s holds at %v", row[0], change), holds)))
				}
				rows = append(rows, row)
			}
		}
		return rows
	}}
}

// mostPassing is the share of gates that may pass where the change is at least the margin, and
// mostHolding is the share that may hold where it is within the limit.
func mostPassing(change, margin float64) float64 {
	if -change >= margin {
		return mostWrong
	}
	return 1
}

func mostHolding(change float64) float64 {
	if change >= -0.03 {
		return mostWrong
	}
	return 1
}
