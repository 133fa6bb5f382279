package data

import (
	"fmt"
	"math"
	"math/rand/v2"

	"plimsoll/internal/workload/distribution"
)

// Distribution draws keys from 1 to n. The zero value is not usable; see
// NewDistribution.
type Distribution struct {
	draw func(r *rand.Rand) int64
}

// Draw returns a key.
func (d Distribution) Draw(r *rand.Rand) int64 { return d.draw(r) }

// Shape is the distribution of keys. Its fields have the names and meanings of sysbench's
// options rand-type, rand-spec-iter and so on.
type Shape struct {
	Type            string
	Iterations      int     // gaussian and special: how many uniform numbers are averaged
	SpecialPercent  int     // special: width of the middle of the table that hot keys lie in
	SpecialResult   int     // special: share of draws that are hot
	ParetoH         float64 // pareto: so much of the keys gets 1-h of the draws
	ZipfianExponent float64
}

// Types of distributions.
const (
	Uniform  = "uniform"
	Gaussian = "gaussian"
	Special  = "special"
	Pareto   = "pareto"
	Zipfian  = "zipfian"
)

// Types lists the distributions.
func Types() []string { return []string{Uniform, Gaussian, Special, Pareto, Zipfian} }

// NewDistribution makes a distribution over the keys 1 to n.
func NewDistribution(s Shape, n int64) (Distribution, error) {
	draw := map[string]func(Shape, int64) func(*rand.Rand) int64{
		Uniform: uniform, Gaussian: gaussian, Special: special, Pareto: pareto, Zipfian: zipfian,
	}[s.Type]
	if draw == nil {
		return Distribution{}, fmt.Errorf("unknown distribution %q; known: %v", s.Type, Types())
	}
	return Distribution{draw(s, n)}, nil
}

func uniform(_ Shape, n int64) func(*rand.Rand) int64 { return from1(distribution.Uniform{N: n}) }

func pareto(s Shape, n int64) func(*rand.Rand) int64 {
	return from1(distribution.NewPareto(n, s.ParetoH))
}

func zipfian(s Shape, n int64) func(*rand.Rand) int64 {
	return from1(distribution.NewZipf(n, s.ZipfianExponent))
}

// from1 makes keys of ranks: the first keys are the popular ones.
func from1(ranks distribution.Ranks) func(*rand.Rand) int64 {
	return func(r *rand.Rand) int64 { return 1 + ranks.Next(r) }
}

// gaussian is the mean of several uniform keys (Bates' distribution), rounded
// down: its standard deviation is n/sqrt(12*iterations).
func gaussian(s Shape, n int64) func(*rand.Rand) int64 {
	return func(r *rand.Rand) int64 {
		sum := int64(0)
		for range s.Iterations {
			sum += 1 + r.Int64N(n)
		}
		return sum / int64(s.Iterations)
	}
}

// special draws SpecialResult percent of the keys uniformly from a narrow
// range and the others from gaussian. The range is the upper SpecialResult
// percent of the middle SpecialPercent of the table, as a million draws of
// sysbench 1.0.20 show: of 100,000 keys, 49,751 to 50,501 are hot.
func special(s Shape, n int64) func(*rand.Rand) int64 {
	hot := float64(s.SpecialResult) / 100
	width := math.Floor(float64(n)*float64(s.SpecialPercent)/100) + 1
	from := 1 + float64(n)/2 - width/2 + width*(1-hot)
	others := gaussian(s, n)
	return func(r *rand.Rand) int64 {
		if r.Float64() >= hot {
			return others(r)
		}
		return min(n, max(1, int64(from+width*hot*r.Float64())))
	}
}
