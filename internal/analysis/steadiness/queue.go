package steadiness

import "math"

// Queue is what an open loop asks for in a phase, and gets.
type Queue struct {
	Ended []float64 // units of work in each second
	Due   float64   // units of work in all
}

// surely is the least growth of a queue, in standard deviations of the served work. Where
// arrivals are as irregular as service, this is 2.8 standard deviations of the queue's own:
// fewer than one in a hundred queues served as fast as work arrives grow by more.
const surely = 4

// evenly is the share of their growth that queues must have in either half of a phase: one that
// comes from a moment in which nothing was served does not grow on.
const evenly = 0.25

// Grow reports whether queues grew by more than chance all together, and in both halves of
// their phases. Where a queue is served all the time, and as fast as work falls due, it is
// a random walk held at none, with steps as what ends in each second has (heavy traffic;
// Kleinrock, "Queueing Systems", volume 2, 1976); where there is less to do, it comes back
// and grows less. It is false of phases too short to tell.
func Grow(queues []Queue) bool {
	variance, first, second := 0.0, 0.0, 0.0
	for _, q := range queues {
		half := len(q.Ended) / 2
		inFirst, in := sum(q.Ended[:half]), sum(q.Ended)
		dueInFirst := q.Due * float64(half) / float64(max(1, len(q.Ended)))
		first, second = first+dueInFirst-inFirst, second+q.Due-dueInFirst-(in-inFirst)
		variance += longRun(q.Ended)
	}
	behind := first + second
	return behind > surely*math.Sqrt(variance) && min(first, second) >= evenly*behind
}

func sum(values []float64) (all float64) {
	for _, v := range values {
		all += v
	}
	return all
}

// block is the number of seconds over which completions are summed: delays in one second
// are made up for in the next.
const block = 5

// longRun is the variance of the sum of a series by the method of batch means (Law, "Simulation
// Modeling and Analysis"), from the differences of neighbours, which a trend hardly adds to (von
// Neumann, "Distribution of the Ratio of the Mean Square Successive Difference to the Variance",
// Annals of Mathematical Statistics 12, 1941). It is infinite of fewer than ten blocks.
func longRun(rate []float64) float64 {
	var sums []float64
	for from := 0; from+block <= len(rate); from += block {
		if all := sum(rate[from : from+block]); !math.IsNaN(all) {
			sums = append(sums, all)
		}
	}
	if len(sums) < 10 {
		return math.Inf(1)
	}
	squares := 0.0
	for i := 1; i < len(sums); i++ {
		squares += (sums[i] - sums[i-1]) * (sums[i] - sums[i-1])
	}
	return squares / 2 / float64(len(sums)-1) * float64(len(rate)) / block
}
