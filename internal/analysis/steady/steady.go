// Package steady judges whether a series of equally spaced values had settled:
// where its warm-up ends (MSER-5), whether it drifts (Mann-Kendall, with the
// slope of Theil and Sen) and whether its level changed at one moment. Noise
// that is carried from one value to the next makes all of these more likely by
// chance, which the probabilities allow for. It takes numbers and gives numbers.
package steady

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// batch is the number of values averaged before MSER looks at them, the 5 of
// MSER-5: it takes out correlation between neighbours.
const batch = 5

// Batches averages runs of five values; what does not fill the last run is
// dropped. Values that are not known (NaN, infinite) are left out of their average, and
// a run without any is left out whole.
func Batches(values []float64) []float64 {
	out := make([]float64, 0, len(values)/batch)
	for i := 0; i+batch <= len(values); i += batch {
		sum, n := 0.0, 0.0
		for _, v := range values[i : i+batch] {
			if known(v) {
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
	slope := medianOf(slopes)
	return Trend{Change: slope * float64(len(y)-1) / math.Abs(middle), P: mannKendall(s, y, inflation(detrended(y, slope), 2))}
}

// detrended takes a slope out of a series.
func detrended(y []float64, slope float64) []float64 {
	out := make([]float64, len(y))
	for i := range y {
		out[i] = y[i] - slope*float64(i)
	}
	return out
}

// inflation is by how much the correlation of neighbours makes the variance of a
// mean larger, (1+r)/(1-r) for an autoregressive series of lag one, whose
// residuals about a fit of so many parameters are given. The estimate of r is
// too small in short series, by about (1+3r)/n for a mean and more for each
// further parameter (Kendall, "Note on Bias in the Estimation of
// Autocorrelation", Biometrika 41, 1954), which is added, with a standard error
// of it, 1/sqrt(n), so that a short series is not taken for uncorrelated by
// chance.
func inflation(residuals []float64, parameters int) float64 {
	n := float64(len(residuals))
	mean := Mean(residuals)
	products, squares := 0.0, 0.0
	for i, v := range residuals {
		squares += (v - mean) * (v - mean)
		if i > 0 {
			products += (v - mean) * (residuals[i-1] - mean)
		}
	}
	if squares == 0 {
		return 1
	}
	r := products / squares
	r += (float64(parameters)+(2+float64(parameters))*r)/n + 1/math.Sqrt(n)
	r = min(max(r, 0), 0.98)
	return (1 + r) / (1 - r)
}

// mannKendall is the two-sided probability of the statistic s, whose variance
// correlation makes so many times as large (Yue and Wang, "The Mann-Kendall Test
// Modified by Effective Sample Size", Water Resources Management 18, 2004).
func mannKendall(s int, y []float64, inflation float64) float64 {
	n := float64(len(y))
	variance := n * (n - 1) * (2*n + 5)
	for _, t := range ties(y) {
		variance -= t * (t - 1) * (2*t + 5)
	}
	variance *= inflation / 18
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

// Shift is a change of level at one moment.
type Shift struct {
	// At is how many values lie before it.
	At int
	// Before and After are the levels.
	Before, After float64
	// Jump is how much of the difference between the levels lies between the
	// values just before and just after: near 1 for a step, near 0 where the level
	// changes gradually.
	Jump float64
	// Stands is by how many times the usual change from one batch of values to
	// the next the change at that moment stands out.
	Stands float64
	// P is the probability of so large a difference of the levels, at the best of
	// all moments, in a series without one.
	P float64
}

// leastPart is the fewest values on either side of a shift.
const leastPart = 2 * batch

// LevelShift finds the moment that parts a series into two levels best, by least
// squares. Whether it is one shows in two ways: the difference of the levels, by
// Student's t over the effective number of values, corrected for the number of
// moments (Bonferroni); and how far the change there stands out among the changes
// everywhere else, which tells a sudden change even in a short series, however its
// noise is carried. Fewer than eight batches show none.
func LevelShift(values []float64) Shift {
	y := Batches(values)
	if len(y) < 8 {
		return Shift{P: 1}
	}
	at := bestParting(values)
	s := Shift{At: at, Before: knownMean(values[:at]), After: knownMean(values[at:])}
	before, after := Batches(values[:at]), Batches(values[at:])
	s.P = min(1, difference(before, after)*float64(len(y)))
	if s.Before != s.After {
		s.Jump = changeAt(values, at) / (s.After - s.Before)
	}
	s.Stands = standsOut(values, at)
	return s
}

// bestParting is the moment with the least squares about the means before and
// after it.
func bestParting(values []float64) int {
	var sum, n float64
	for _, v := range values {
		if known(v) {
			sum, n = sum+v, n+1
		}
	}
	best, most, head, count := leastPart, -1.0, 0.0, 0.0
	for i, v := range values[:len(values)-leastPart] {
		if known(v) {
			head, count = head+v, count+1
		}
		if k := i + 1; k >= leastPart && count > 0 && count < n {
			d := head/count - (sum-head)/(n-count)
			if between := d * d * count * (n - count); between > most {
				best, most = k, between
			}
		}
	}
	return best
}

// changeAt is the mean of the batch after a moment less that of the batch before.
func changeAt(values []float64, at int) float64 {
	return knownMean(values[at:min(at+batch, len(values))]) - knownMean(values[max(0, at-batch):at])
}

// standsOut relates the change at a moment to the changes at all others, by their
// median deviation scaled to a normal distribution's standard deviation.
func standsOut(values []float64, at int) float64 {
	var sizes []float64
	for i := batch; i+batch <= len(values); i++ {
		sizes = append(sizes, math.Abs(changeAt(values, i)))
	}
	usual := 1.4826 * medianOf(sizes)
	change := math.Abs(changeAt(values, at))
	switch {
	case change == 0:
		return 0
	case usual == 0:
		return math.Inf(1)
	}
	return change / usual
}

// largest is the magnitude past which a value counts as not known: nothing that
// is measured comes near it, and squares of larger ones overflow.
const largest = 1e100

func known(v float64) bool { return math.Abs(v) <= largest } // false for NaN

// knownMean is the mean of the values that are known, 0 of none.
func knownMean(values []float64) float64 {
	return Mean(slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !known(v) }))
}

// difference is the two-sided probability of so large a difference of the means
// of two parts of a series, with the noise about both.
func difference(a, b []float64) float64 {
	residuals := make([]float64, 0, len(a)+len(b))
	for _, part := range [][]float64{a, b} {
		m := Mean(part)
		for _, v := range part {
			residuals = append(residuals, v-m)
		}
	}
	return student(Mean(a)-Mean(b), residuals, 1/float64(len(a))+1/float64(len(b)))
}

// Apart is the two-sided probability of so large a difference between the mean
// of a head and that of the rest, with the noise of the rest about its own trend:
// the head need not be steady.
func Apart(head, rest []float64) float64 {
	if len(head) == 0 || len(rest) < 4 {
		return 1
	}
	slopes := make([]float64, 0, len(rest)*(len(rest)-1)/2)
	for i := range rest {
		for j := i + 1; j < len(rest); j++ {
			slopes = append(slopes, (rest[j]-rest[i])/float64(j-i))
		}
	}
	residuals := detrended(rest, medianOf(slopes))
	return student(Mean(head)-Mean(rest), residuals, 1/float64(len(head))+1/float64(len(rest)))
}

// student tests a difference of means of which the residuals are the noise, by
// Student's t over their effective number. weight is the sum of the reciprocals of
// the numbers of values.
func student(difference float64, residuals []float64, weight float64) float64 {
	n, mean, squares := float64(len(residuals)), Mean(residuals), 0.0
	for _, r := range residuals {
		squares += (r - mean) * (r - mean)
	}
	factor := inflation(residuals, 2)
	freedom := n/factor - 2
	if freedom < 1 {
		return 1
	}
	error := math.Sqrt(squares / (n - 2) * factor * weight)
	switch {
	case difference == 0:
		return 1
	case error == 0:
		return 0
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(math.Abs(difference)/error)
}
