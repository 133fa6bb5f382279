package main

import (
	"fmt"
	"sync"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// instancesMetrics are the metrics that instances are judged by, in the table's order.
var instancesMetrics = []string{"mean", "p50", "p95", "p99"}

// instancesAlike counts rungs that an instance is said to break where all are alike and
// the limit is exactly their true figure, and instancesStarving those where one is
// seventy times slower and found.
func instancesAlike() table {
	return table{"Rungs broken by an instance where all are alike, at the limit", func(c *counter) [][]string {
		return instanceRows(c, 0, 1)
	}}
}

func instancesStarving() table {
	return table{"Instances found that are seventy times slower, at five times the true figure", func(c *counter) [][]string {
		return instanceRows(c, 70, 5)
	}}
}

func instanceRows(count *counter, slower, times float64) [][]string {
	rows := [][]string{append([]string{"instances, units of work of each, carried to the next"}, instancesMetrics...)}
	for _, instances := range []int{2, 8, 64} {
		for _, orders := range []int{30, 300, 1000, 3000} {
			for _, carried := range []float64{0, 0.6} {
				c := analysistest.Crowd{Instances: instances, Orders: orders, Carried: carried, Slower: slower, Scattered: true}
				rows = append(rows, instanceRow(c, count, times))
			}
		}
	}
	return rows
}

func instanceRow(c analysistest.Crowd, count *counter, times float64) []string {
	row := []string{fmt.Sprintf("%d, %d, %v", c.Instances, c.Orders, c.Carried)}
	made := crowds{of: c, seen: map[uint64][]*result.Trial{}}
	for _, metric := range instancesMetrics {
		o := study.Objective{Metric: metric, Limit: times * c.Truth()[metric]}
		what := fmt.Sprintf("%s of %+v misses %v", metric, c, o.Limit)
		misses := func(seed uint64) bool {
			w := rung.JudgeInstances(o, made.trials(seed))
			return w != nil && w.Misses
		}
		if c.Slower > 0 {
			row = append(row, percent(count.atLeast(leastFound, what, misses)))
		} else {
			row = append(row, percent(count.atMost(mostWrong, what, misses)))
		}
	}
	return row
}

// crowds are the trials of a row by their seeds: making them costs more than judging them.
type crowds struct {
	of   analysistest.Crowd
	mu   sync.Mutex
	seen map[uint64][]*result.Trial
}

func (c *crowds) trials(seed uint64) []*result.Trial {
	c.mu.Lock()
	trials, ok := c.seen[seed]
	c.mu.Unlock()
	if ok {
		return trials
	}
	trials = []*result.Trial{c.of.Trial(3 * seed), c.of.Trial(3*seed + 1), c.of.Trial(3*seed + 2)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[seed] = trials
	return trials
}
