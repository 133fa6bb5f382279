package main

import (
	"fmt"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/each"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// instancesMetrics are those that instances are judged by, in the table's order.
var instancesMetrics = []string{"mean", "p50", "p95", "p99"}

// instancesAlike counts rungs that an instance is said to break where all are alike and
// the limit is exactly their true figure, and instancesStarving those where one is
// seventy times slower and found.
func instancesAlike() table {
	return table{"Rungs broken by an instance where all are alike, at the limit", func(sets int) [][]string {
		return instanceRows(sets, 0, 1)
	}}
}

func instancesStarving() table {
	return table{"Instances found that are seventy times slower, at five times the true figure", func(sets int) [][]string {
		return instanceRows(sets, 70, 5)
	}}
}

func instanceRows(sets int, slower, times float64) [][]string {
	rows := [][]string{append([]string{"instances, orders of each, carried to the next order"}, instancesMetrics...)}
	for _, instances := range []int{2, 8, 64} {
		for _, orders := range []int{30, 300, 3000} {
			for _, carried := range []float64{0, 0.6} {
				c := analysistest.Crowd{Instances: instances, Orders: orders, Carried: carried, Slower: slower}
				rows = append(rows, instanceRow(c, sets, times))
			}
		}
	}
	return rows
}

func instanceRow(c analysistest.Crowd, sets int, times float64) []string {
	row := []string{fmt.Sprintf("%d, %d, %v", c.Instances, c.Orders, c.Carried)}
	for _, metric := range instancesMetrics {
		o := study.Objective{Metric: metric, Limit: times * c.Truth()[metric]}
		row = append(row, percent(analysistest.Share(sets, func(seed uint64) bool {
			w := each.Judge(o, []*result.Trial{c.Trial(3 * seed), c.Trial(3*seed + 1), c.Trial(3*seed + 2)})
			return w != nil && w.Misses
		})))
	}
	return row
}
