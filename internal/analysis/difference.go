package analysis

import (
	"errors"
	"math/rand/v2"
	"slices"

	"golang.org/x/perf/benchmath"
)

func compareValues(p pair, operation, metric string, a, b []float64, alpha float64) Difference {
	a, b = finiteOnly(a), finiteOnly(b)
	d := Difference{
		Variant: p.variant, Instances: p.instances, Operation: operation, Metric: metric,
		A: summarise(a), B: summarise(b), NA: len(a), NB: len(b), P: 1,
	}
	d.Change = change(metric, a, b)
	test := uTest(a, b, alpha)
	d.P = test.P
	d.Verdict = judgeDifference(d, test, alpha)
	return d
}

// uTest is the Mann-Whitney U test (two-sided, exact for small samples).
func uTest(a, b []float64, alpha float64) benchmath.Comparison {
	thresholds := &benchmath.Thresholds{CompareAlpha: alpha}
	if len(a) == 0 || len(b) == 0 {
		return benchmath.Comparison{P: 1, Warnings: []error{errors.New("no values")}}
	}
	return benchmath.AssumeNothing.Compare(benchmath.NewSample(a, thresholds), benchmath.NewSample(b, thresholds))
}

// judgeDifference says what the test showed. With fewer than four values on a
// side (at 5 %) no difference, however large, can be shown.
func judgeDifference(d Difference, test benchmath.Comparison, alpha float64) Verdict {
	switch {
	case d.P < alpha && d.Change.Value != 0:
		return direction(d.Metric, d.Change.Value)
	case smallestP(d.NA, d.NB) >= alpha:
		return Untested
	}
	return NoDifference
}

// smallestP is the least p-value that samples of these sizes can give: both
// extreme arrangements among all, 2/C(n+m, n).
func smallestP(n, m int) float64 {
	arrangements := 1.0
	for i := 1; i <= n; i++ {
		arrangements *= float64(m+i) / float64(i)
	}
	return min(1, 2/arrangements)
}

// direction tells better from worse: more throughput is better, more of
// anything else is worse.
func direction(metric string, change float64) Verdict {
	if (change > 0) == (metric == "throughput") {
		return Better
	}
	return Worse
}

// change is the relative difference of the medians, with a percentile
// bootstrap of both samples (Efron and Tibshirani, 1993, section 13.3). Error
// shares are subtracted, because they are often 0.
func change(metric string, a, b []float64) Interval {
	if len(a) == 0 || len(b) == 0 {
		return Interval{}
	}
	of := func(a, b float64) float64 { return ratio(b, a) - 1 }
	if metric == "errors" {
		of = func(a, b float64) float64 { return b - a }
	} else if median(a) == 0 {
		return Interval{}
	}
	point := of(median(a), median(b))
	if len(a) < 2 && len(b) < 2 {
		return exactly(point)
	}
	random := rand.New(rand.NewPCG(uint64(len(a)), uint64(len(b))))
	drawn, scratch := make([]float64, bootstrapRounds), make([]float64, max(len(a), len(b)))
	for i := range drawn {
		drawn[i] = of(resampledMedian(a, scratch, random), resampledMedian(b, scratch, random))
	}
	drawn = finiteOnly(drawn)
	return around(point, Interval{
		Low: quantile(drawn, (1-confidence)/2), High: quantile(drawn, (1+confidence)/2), Confidence: confidence,
	})
}

// resampledMedian draws as many values again, into the scratch.
func resampledMedian(values, scratch []float64, random *rand.Rand) float64 {
	drawn := scratch[:len(values)]
	for i := range drawn {
		drawn[i] = values[random.IntN(len(values))]
	}
	slices.Sort(drawn)
	return median(drawn)
}
