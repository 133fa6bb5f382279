package main

import (
	"fmt"

	"plimsoll/internal/analysis/analysistest"
)

// counter counts over so many made-up sets and remembers which bounds did not hold.
type counter struct {
	sets   int
	broken []string
}

// again is how many times as many sets a share beyond its bound is counted over: of
// hundreds of shares a few lie beyond it by chance.
const again = 10

// share is the share of the sets in which something happens, without a bound.
func (c *counter) share(happens func(seed uint64) bool) float64 {
	return analysistest.Share(c.sets, happens)
}

// atMost is a share that must not be larger than its bound.
func (c *counter) atMost(bound float64, what string, happens func(seed uint64) bool) float64 {
	share := c.share(happens)
	if share > bound {
		share = analysistest.Share(again*c.sets, happens)
	}
	if share > bound {
		c.broken = append(c.broken, fmt.Sprintf("%s: %s, bound %s", what, percent(share), percent(bound)))
	}
	return share
}

// atLeast is a share that must not be smaller than its bound.
func (c *counter) atLeast(bound float64, what string, happens func(seed uint64) bool) float64 {
	return 1 - c.atMost(1-bound, "not: "+what, func(seed uint64) bool { return !happens(seed) })
}

// Bounds of everything that is counted: wrong statements, and true ones that are found.
const (
	mostWrong  = 0.05
	leastFound = 0.95
)
