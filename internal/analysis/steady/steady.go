// Package steady judges whether a series of equally spaced values had settled:
// where its warm-up ends (MSER-5) and whether it drifts (Mann-Kendall, with
// the slope of Theil and Sen). It takes numbers and gives numbers.
package steady

import (
	"math"
	"slices"
)

// batch is the number of values averaged before MSER looks at them, the 5 of
// MSER-5: it takes out correlation between neighbours.
const batch = 5

// Batches averages runs of five values; what does not fill the last run is
// dropped. Values that are not known (NaN) are left out of their average, and
// a run without any is left out whole.
func Batches(values []float64) []float64 {
	out := make([]float64, 0, len(values)/batch)
	for i := 0; i+batch <= len(values); i += batch {
		sum, n := 0.0, 0.0
		for _, v := range values[i : i+batch] {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				sum, n = sum+v, n+1
			}
		}
		if n > 0 {
			out = append(out, sum/n)
		}
	}
	return out
}

// WarmUp is how many of the values belong to the warm-up: MSER-5 (White, "An
// Effective Truncation Heuristic for Bias Reduction in Simulation Output",
// Simulation 69(6), 1997). The cut d makes the marginal standard error of what
// remains least: the sum of squares about the mean over (n-d)^2. Only the
// first half is searched; settled is false where the cut lies at its end, for
// then the series may not have settled at all. Fewer than eight batches say
// nothing: 0, true.
func WarmUp(values []float64) (cut int, settled bool) {
	y := Batches(values)
	if len(y) < 8 {
		return 0, true
	}
	best, least := 0, math.Inf(1)
	half := len(y) / 2
	for d := 0; d <= half; d++ {
		if e := marginalError(y[d:]); e < least {
			best, least = d, e
		}
	}
	return best * batch, best < half
}

func marginalError(y []float64) float64 {
	mean := Mean(y)
	sum := 0.0
	for _, v := range y {
		sum += (v - mean) * (v - mean)
	}
	return sum / float64(len(y)*len(y))
}

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

// Trend is what Drift found.
type Trend struct {
	// Change is the fitted change from the first to the last value, relative
	// to the median.
	Change float64
	// P is the probability of so strong a trend in a series without one.
	P float64
}

// Drift tests batches of five for a monotone trend (Mann, "Nonparametric Tests
// Against Trend", Econometrica 13(3), 1945, by its normal approximation with
// the correction for ties), and fits its slope (Sen, "Estimates of the
// Regression Coefficient Based on Kendall's Tau", JASA 63, 1968). Fewer than
// eight batches show no trend.
func Drift(values []float64) Trend {
	y := Batches(values)
	if len(y) < 8 {
		return Trend{P: 1}
	}
	s := 0
	slopes := make([]float64, 0, len(y)*(len(y)-1)/2)
	for i := range y {
		for j := i + 1; j < len(y); j++ {
			s += sign(y[j] - y[i])
			slopes = append(slopes, (y[j]-y[i])/float64(j-i))
		}
	}
	middle := medianOf(y)
	if middle == 0 {
		return Trend{P: 1}
	}
	return Trend{Change: medianOf(slopes) * float64(len(y)-1) / math.Abs(middle), P: mannKendall(s, y)}
}

// mannKendall is the two-sided probability of the statistic s.
func mannKendall(s int, y []float64) float64 {
	n := float64(len(y))
	variance := n * (n - 1) * (2*n + 5)
	for _, t := range ties(y) {
		variance -= t * (t - 1) * (2*t + 5)
	}
	variance /= 18
	if s == 0 || variance <= 0 {
		return 1
	}
	z := (math.Abs(float64(s)) - 1) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}

// ties counts equal values.
func ties(y []float64) []float64 {
	counts := map[float64]float64{}
	for _, v := range y {
		counts[v]++
	}
	var out []float64
	for _, c := range counts {
		if c > 1 {
			out = append(out, c)
		}
	}
	return out
}

func sign(v float64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
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
