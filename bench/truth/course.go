package main

import (
	"fmt"
	"math"
	"slices"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trust"
)

// mostAlarms bounds how often a steady series is called unsteady.
const mostAlarms = 0.01

// bends counts what goes somewhere and comes back, by its size and noise.
func bends() table {
	return table{"Courses that go and come back, of 120 s, that are doubted", func(c *counter) [][]string {
		rows := [][]string{{"throughput", "2 % noise, 0.3 carried", "2 % noise, 0.6 carried", "5 % noise, 0.3 carried"}}
		for _, of := range analysistest.Excursions(120) {
			row := []string{of.Name}
			for _, n := range []analysistest.Rates{{Noise: 0.02, Carried: 0.3}, {Noise: 0.02, Carried: 0.6}, {Noise: 0.05, Carried: 0.3}} {
				n.Seconds, n.Level = 120, of.Level
				doubted := func(seed uint64) bool { return len(trust.Unsteady(n.Series(seed))) > 0 }
				if of.Kind == "" { // the figure hardly changes
					row = append(row, percent(c.share(doubted)))
					continue
				}
				row = append(row, percent(c.atLeast(leastFound, fmt.Sprintf("throughput that %s is doubted, noise %v, %v carried", of.Name, n.Noise, n.Carried), doubted)))
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

// responses counts response times that are said not to be steady.
func responses() table {
	return table{"Response times of 120 s that are doubted, with 30 units of work in a second", func(c *counter) [][]string {
		rows := [][]string{{"mean response time", "is it steady?", "doubted"}}
		for _, of := range analysistest.Responses(120) {
			doubted := func(seed uint64) bool {
				done, mean := of.Series(seed)
				return steadiness.JudgeResponse(steadiness.Course{Done: done, Response: mean}) != nil
			}
			if of.Steady {
				rows = append(rows, []string{of.Name, "yes", percent(c.atMost(mostAlarms, "response time that "+of.Name+" is doubted", doubted))})
				continue
			}
			rows = append(rows, []string{of.Name, "no", percent(c.atLeast(leastFound, "response time that "+of.Name+" is doubted", doubted))})
		}
		return rows
	}}
}

// queues counts open loops that are said to fall behind.
func queues() table {
	return table{"Open loops of three trials of 120 s that are said to fall behind", func(c *counter) [][]string {
		rows := [][]string{{"due each second", "at random", "evenly"}}
		for _, rate := range []float64{20, 80, 500} {
			for _, busy := range []float64{0.5, 0.8, 0.95, 0.99, 1, 1.05, 1.1} {
				row := []string{fmt.Sprintf("%v, %.0f %% of what can be served", rate, 100*busy)}
				for _, evenly := range []bool{false, true} {
					q := analysistest.Queue{Seconds: 120, Rate: rate, Busy: busy, Evenly: evenly}
					falls := func(seed uint64) bool {
						var all []steadiness.Queue
						for n := range uint64(3) {
							ended, due, _ := q.Series(3*seed + n)
							all = append(all, steadiness.Queue{Ended: ended, Due: float64(due)})
						}
						return steadiness.Grow(all)
					}
					what := fmt.Sprintf("an open loop falls behind, %+v", q)
					switch {
					case busy <= 1:
						row = append(row, percent(c.atMost(mostAlarms, what, falls)))
					case q.Detectable(3):
						row = append(row, percent(c.atLeast(leastFound, what, falls)))
					default: // too few units of work to tell
						row = append(row, percent(c.share(falls))+" (too few)")
					}
				}
				rows = append(rows, row)
			}
		}
		return rows
	}}
}

// orders counts variants whose repetitions are said to change one after the other.
func orders() table {
	return table{"Repetitions that are said to change one after the other", func(c *counter) [][]string {
		rows := [][]string{{"rungs, repetitions, noise of a trial; carried to the next", "steady", "throughput grows by 30 %", "settles from 70 %"}}
		settling := []float64{0.7, 0.85, 0.93, 0.97, 0.99}
		for _, of := range []struct {
			rungs, repetitions int
			noise, carried     float64
		}{{4, 3, 0.02, 0}, {4, 3, 0.02, 0.6}, {3, 5, 0.02, 0}, {3, 5, 0.02, 0.6}, {3, 5, 0.04, 0}, {6, 3, 0.03, 0.3}} {
			set := analysistest.Set{
				Variants: []analysistest.Variant{{Name: "v", Response: analysistest.Constant(0.05)}}, Repetitions: of.repetitions,
				Rungs: []int{1, 2, 4, 8, 16, 32}[:of.rungs], Noise: analysistest.Noise{Throughput: of.noise, Response: of.noise, Carried: of.carried},
			}
			said := func(level func(repetition int) float64) func(seed uint64) bool {
				return func(seed uint64) bool {
					run := set.Run(seed)
					for _, t := range run.Trials {
						o := t.Operations["order"]
						o.Count, o.Mean = int64(math.Round(float64(o.Count)*level(t.Repetition))), o.Mean/level(t.Repetition)
						t.Operations["order"] = o
					}
					return slices.ContainsFunc(trust.Sift(run).Doubts(), func(w trust.Warning) bool { return w.Kind == trust.Sequence })
				}
			}
			what := fmt.Sprintf("%d rungs, %d repetitions, %.0f %%; %v", of.rungs, of.repetitions, 100*of.noise, of.carried)
			last := float64(of.repetitions - 1)
			rows = append(rows, []string{
				what,
				percent(c.atMost(mostAlarms, "steady repetitions are said to change, "+what, said(func(int) float64 { return 1 }))),
				percent(c.atLeast(leastFound, "repetitions that grow are said to, "+what, said(func(n int) float64 { return 1 + 0.3*float64(n-1)/last }))),
				percent(c.atLeast(leastFound, "repetitions that settle are said to change, "+what, said(func(n int) float64 { return settling[n-1] }))),
			})
		}
		return rows
	}}
}
