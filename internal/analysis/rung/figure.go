package rung

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// figure is an instance's own value of a metric.
type figure struct {
	value float64
	// low is below the true value but for a probability.
	low func(alpha float64) float64
	// enough reports that there are enough units of work for value to mean something.
	enough bool
}

// inflation is the ratio of the variance of successive response times to that for
// independent ones: (1+r)/(1-r) with a first-order autocorrelation r of 0.6.
const inflation = 4

// leastEffective is below how many units of work none is taken off for that.
const leastEffective = 4

// effective is how many independent units of work so many are worth.
func effective(units float64) float64 {
	return max(units/inflation, min(units, leastEffective))
}

// figureOf reads the metric of an objective from an instance; not known where it was
// not recorded.
func figureOf(o study.Objective, among crowd, s *result.InstanceSummary) (figure, bool) {
	t := among.Trial
	switch o.Metric {
	case study.Undone:
		if !trial.IsWhole(t.Profile, o.Operation) {
			return figure{}, false // only units of work have a due time
		}
		return undone(float64(t.Whole().Offered), t, s)
	case study.Idle:
		return undone(trial.Computable(t, o.Operation), t, s)
	case "errors", "rolledback":
		return share(o, s)
	case "mean":
		f, ok := mean(s)
		if trial.IsWhole(t.Profile, o.Operation) {
			f = among.byCount(f, s)
		}
		return f, ok
	case "max":
		return figure{s.Max, func(float64) float64 { return s.Max }, true}, s.Max > 0 // it did take so long
	}
	q, ok := quantiles[o.Metric]
	if !ok {
		return figure{}, false
	}
	return percentile(q, s)
}

var quantiles = map[string]float64{"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}

// timed is how many units of work have response times.
func timed(s *result.InstanceSummary) float64 { return max(0, float64(s.Count+s.RolledBack)) }

// leastForMean is from how many units of work a mean is more than an anecdote.
const leastForMean = 30

// mean has a bound by Student's t. Of fewer than fewUnits in sequence the scatter is not
// known either: neighbours are alike.
func mean(s *result.InstanceSummary) (figure, bool) {
	n := effective(timed(s))
	deviation := s.Deviation
	if deviation <= 0 { // recorded before there was this field
		deviation = max(s.Mean, (s.P99-s.Mean)/2)
	}
	low := func(alpha float64) float64 {
		if timed(s) < fewUnits {
			return 0
		}
		return s.Mean + distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(alpha)*deviation/math.Sqrt(n)
	}
	return figure{s.Mean, low, timed(s) >= leastForMean}, stats.IsFinite(s.Mean) && s.Mean > 0
}

// leastBeyond is how many values a percentile needs beyond it.
const leastBeyond = 10

// percentile has the bound of an order statistic, whatever the distribution (Conover,
// "Practical Nonparametric Statistics", 1999, section 3.2).
func percentile(q float64, s *result.InstanceSummary) (figure, bool) {
	at := timesOf(s)
	if at == nil {
		return figure{}, false
	}
	n := effective(timed(s))
	low := func(alpha float64) float64 {
		if n <= 0 {
			return 0
		}
		return at(distuv.Beta{Alpha: q * n, Beta: (1-q)*n + 1}.Quantile(alpha))
	}
	return figure{at(q), low, timed(s)*(1-q) >= leastBeyond}, true
}

// timesOf gives the response time at a share of the units of work, interpolated;
// nil where it is not known.
func timesOf(s *result.InstanceSummary) func(float64) float64 {
	shares, times := result.InstanceShares(), s.Times
	if len(times) != len(shares) {
		if s.P95 <= 0 || s.P99 < s.P95 {
			return nil
		}
		// Recorded before there were times; the mean stands for the median.
		shares, times = []float64{0.5, 0.95, 0.99}, []float64{min(s.Mean, s.P95), s.P95, s.P99}
	}
	return func(q float64) float64 {
		i, exact := slices.BinarySearch(shares, q)
		switch {
		case exact:
			return times[i]
		case i == 0:
			return times[0] * q / shares[0]
		case i == len(shares):
			return times[i-1]
		}
		return times[i-1] + (times[i]-times[i-1])*(q-shares[i-1])/(shares[i]-shares[i-1])
	}
}

// share has the bound of Clopper and Pearson; errors come in bursts, so they weigh less.
func share(o study.Objective, s *result.InstanceSummary) (figure, bool) {
	failed := 0.0
	for _, n := range s.Errors {
		failed += float64(n)
	}
	part, whole := failed, timed(s)+failed
	if o.Metric == study.RolledBack {
		part = float64(s.RolledBack)
	}
	low := func(alpha float64) float64 {
		if part <= 0 {
			return 0
		}
		return distuv.Beta{Alpha: part / inflation, Beta: (whole-part)/inflation + 1}.Quantile(alpha)
	}
	return figure{stats.Ratio(part, whole), low, part >= leastBeyond}, whole > 0
}

// undone is the share of what an instance should have done, of all that was due, that it did not.
func undone(all float64, t *result.Trial, s *result.InstanceSummary) (figure, bool) {
	due := all / float64(len(t.Instances))
	if due <= 0 {
		return figure{}, false
	}
	behind := max(0, due-timed(s))
	low := func(alpha float64) float64 {
		return (behind + distuv.UnitNormal.Quantile(alpha)*math.Sqrt(dispersion*due)) / due
	}
	return figure{behind / due, low, true}, true
}
