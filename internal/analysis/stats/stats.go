// Package stats holds the small sums that every part of the analysis needs:
// medians and quantiles, and what to do with values that are no numbers, which
// hand-edited results may hold.
package stats

import (
	"maps"
	"math"
	"slices"
	"sort"
)

// Largest is the largest figure that can be true of a trial.
const Largest = 1e18

// Plausible reports whether a figure can be true: a number, not negative and not
// beyond Largest.
func Plausible(v float64) bool { return IsFinite(v) && v >= 0 && v <= Largest }

// IsFinite reports whether v is a number that JSON can hold.
func IsFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Finite gives v, or 0 where it is not a number that JSON can hold.
func Finite(v float64) float64 {
	if IsFinite(v) {
		return v
	}
	return 0
}

// FiniteOnly gives the finite values, sorted.
func FiniteOnly(values []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if IsFinite(v) {
			out = append(out, v)
		}
	}
	sort.Float64s(out)
	return out
}

// Ratio is a/b, or 0 where that means nothing.
func Ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return Finite(a / b)
}

// Mean of the values, 0 of none.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return Ratio(sum, float64(len(values)))
}

// MedianOf is the median of the finite values.
func MedianOf(values []float64) float64 { return Median(FiniteOnly(values)) }

// Median of ascending values.
func Median(sorted []float64) float64 { return Quantile(sorted, 0.5) }

// Quantile interpolates linearly between sorted values (type 7 of Hyndman
// and Fan, "Sample Quantiles in Statistical Packages", 1996).
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	if at == float64(low) || sorted[low] == sorted[high] { // also where they are infinite
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Logarithms of the positive values.
func Logarithms(values []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if v > 0 && IsFinite(v) {
			out = append(out, math.Log(v))
		}
	}
	return out
}

// Ceil rounds up to at least 1, forgiving what floating point adds to whole
// numbers.
func Ceil(v float64) int {
	if v > math.MaxInt32 {
		return math.MaxInt32
	}
	return max(1, int(math.Ceil(v-1e-9)))
}

// SortedKeys lists a map's keys, sorted.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// MedianDeviation is the median distance of values from their middle.
func MedianDeviation(values []float64, middle float64) float64 {
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = math.Abs(v - middle)
	}
	return Median(FiniteOnly(distances))
}

// Errors is the metric whose changes are differences of shares.
const Errors = "errors"
