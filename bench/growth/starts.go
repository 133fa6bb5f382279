package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"plimsoll/internal/campaign/climit"
	"plimsoll/internal/campaign/climit/climittest"
)

// The model of starts: a cluster with startNodes machines. At first each machine gets as many
// starts as a single one would.
const (
	startTakes = 10 * time.Second
	startNoise = 0.3 // standard deviation of its logarithm
	startFirst = 8
	startNodes = 1000
	startRuns  = 20 // of each kind, whose median is printed
)

// printStarts prints how long it takes to start n servers on made-up clusters that take some at
// a time, in made-up time: with a limit that is learned and with the one that it begins with.
func printStarts(w io.Writer, n int) {
	fmt.Fprintf(w, "| the cluster starts at once | what is more | %d at a time | learned | at best | refused for each, %d at a time | refused for each, learned |\n|---:|---|---:|---:|---:|---:|---:|\n", startFirst, startFirst)
	for _, beyond := range []climittest.Beyond{climittest.Refused, climittest.Waits, climittest.Slows} {
		for _, takes := range []int{4, 50, 200, 1000} {
			s := climittest.System{Takes: takes, Beyond: beyond, Work: startTakes, Noise: startNoise, Again: time.Second}
			fixed := started(s, n, func() *climit.Limit { return climit.Fixed(startFirst) })
			learned := started(s, n, func() *climit.Limit { return climit.New(startFirst, startFirst*startNodes) })
			best := time.Duration(n) * startTakes / time.Duration(takes)
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", grouped(takes), beyond,
				minutes(fixed.Took), minutes(learned.Took), minutes(best), each(fixed.Refused, n), each(learned.Refused, n))
		}
	}
}

// started is the run of median length.
func started(s climittest.System, n int, limit func() *climit.Limit) climittest.Run {
	var all []climittest.Run
	for seed := range startRuns {
		s.Seed = uint64(seed)
		all = append(all, s.Do(limit(), n))
	}
	slices.SortFunc(all, func(a, b climittest.Run) int { return int(a.Took - b.Took) })
	return all[len(all)/2]
}

func each(refused, n int) string { return figure(float64(refused) / float64(n)) }

func minutes(d time.Duration) string { return fmt.Sprintf("%s min", figure(d.Minutes())) }
