// This file judges the work done in each second of a phase: whether it was steady, or else
// how it changed (warmed up, drifted, changed at one moment, dipped once or each period),
// and for how long nothing ended. It allows for autocorrelated noise, which makes all of
// these more likely by chance. Input and output are numbers.

package steadiness

import "slices"

// Mean is the average, 0 of nothing.
func Mean(y []float64) float64 {
	if len(y) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	return sum / float64(len(y))
}

func medianOf(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// largest is the rate past which a value counts as not known: nothing that is measured
// comes near it, and squares of larger ones overflow.
const largest = 1e100

// isRate is false for NaN and for values that cannot be a rate.
func isRate(v float64) bool { return v >= 0 && v <= largest }
