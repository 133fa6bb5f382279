package analysis

import (
	"math"
	"sort"

	"golang.org/x/perf/benchmath"
)

// confidence is the level asked of every interval.
const confidence = 0.95

// summarise gives the median of repetitions with a non-parametric interval.
//
// The interval is that of order statistics (Hahn and Meeker, "Statistical
// Intervals", 1991, section 5.2), as benchmath computes it. Below six values
// no such interval reaches 95 %, so the range stands in, with the confidence
// that it really has: 1 - 2^(1-n), because the median lies outside only when
// all values fall on one side of it. A single value has no interval.
func summarise(values []float64) Interval {
	finite := finiteOnly(values)
	switch n := len(finite); {
	case n == 0:
		return Interval{}
	case n == 1:
		return exactly(finite[0])
	case n < 6:
		return Interval{Value: median(finite), Low: finite[0], High: finite[n-1], Confidence: 1 - math.Pow(2, 1-float64(n))}
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(finite, &benchmath.DefaultThresholds), confidence)
	return Interval{Value: s.Center, Low: s.Lo, High: s.Hi, Confidence: s.Confidence}
}

// exactly is an estimate without an interval.
func exactly(v float64) Interval { return Interval{Value: v, Low: v, High: v} }

// around is an interval about value, widened where value lies outside.
func around(value float64, i Interval) Interval {
	if i.Confidence == 0 {
		return exactly(value)
	}
	return Interval{Value: value, Low: min(i.Low, value), High: max(i.High, value), Confidence: i.Confidence}
}

// finiteOnly gives the finite values in ascending order; hand-edited results
// may hold others.
func finiteOnly(values []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if isFinite(v) {
			out = append(out, v)
		}
	}
	sort.Float64s(out)
	return out
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// finite gives v, or 0 where it is not a number that JSON can hold.
func finite(v float64) float64 {
	if isFinite(v) {
		return v
	}
	return 0
}

// ratio is a/b, or 0 where that means nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return finite(a / b)
}

// median of ascending values.
func median(sorted []float64) float64 { return quantile(sorted, 0.5) }

// quantile interpolates linearly between order statistics (type 7 of Hyndman
// and Fan, "Sample Quantiles in Statistical Packages", 1996).
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return ratio(sum, float64(len(values)))
}
