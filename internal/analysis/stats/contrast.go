package stats

import "math"

// ThroughputCeiling is the Ceiling of throughput in logarithms: repetitions that
// differ by more than a standard deviation of an eighth are not taken for granted from
// a few that do not show it.
const ThroughputCeiling = 0.125

// Stratum is what two sides measured under the same conditions.
type Stratum struct {
	A, B []float64
	// Floor is the least variance that a single value can have, such as the variance of a
	// counted share; 0 for none.
	Floor float64
	// Ceiling is the largest standard deviation of a single value that is thought
	// possible unless the values show a larger one; 0 where nothing is assumed.
	Ceiling float64
}

// Contrast is how B differs from A in each stratum. The noise of each side is
// learnt from its own strata alone: one side may be far noisier than the other.
type Contrast struct {
	Each []Estimate

	strata []Stratum
	a, b   side
}

// Compare estimates the differences. Every stratum needs a value on both sides.
func Compare(strata []Stratum) Contrast {
	c := Contrast{strata: strata, Each: make([]Estimate, len(strata))}
	c.a = sideOf(strata, func(s Stratum) []float64 { return s.A })
	c.b = sideOf(strata, func(s Stratum) []float64 { return s.B })
	for i, s := range strata {
		c.Each[i] = difference(s.difference(), c.a.ofMean(i), c.b.ofMean(i))
		c.Each[i].Ceiling = c.ceiling(i)
	}
	return c
}

func (s Stratum) difference() float64 { return mean(s.B) - mean(s.A) }

// difference is an estimate from the variances of both means.
func difference(value float64, a, b variance) Estimate {
	return Estimate{Value: value, Error: math.Sqrt(a.value + b.value), Freedom: freedomOf(a, b)}
}

// ceiling is the error of a difference if its values had the largest noise that
// is thought possible.
func (c Contrast) ceiling(i int) float64 {
	most := c.strata[i].Ceiling * c.strata[i].Ceiling
	if most == 0 {
		return 0
	}
	return math.Sqrt(max(most, c.a.each[i].value)/float64(len(c.strata[i].A)) + max(most, c.b.each[i].value)/float64(len(c.strata[i].B)))
}

// Mean is the mean difference over some strata, which are given by index. Values
// stand as their repetitions do.
func (c Contrast) Mean(which []int) Estimate {
	var value, ceiling float64
	for _, i := range which {
		value += c.strata[i].difference()
		ceiling += c.ceiling(i) // as if all strata moved together
	}
	n := float64(len(which))
	e := difference(value/n, c.a.ofMeans(which), c.b.ofMeans(which))
	e.Ceiling = ceiling / n
	return e
}

// With is what the estimate of a stratum would be with so many repetitions of each
// side in every stratum, the noise being as it is.
func (c Contrast) With(repetitions, i int) Estimate {
	freedom := float64((repetitions - 1) * len(c.strata))
	of := func(s side) variance { return variance{s.each[i].value / float64(repetitions), freedom} }
	return difference(c.Each[i].Value, of(c.a), of(c.b))
}

// Means estimates the mean of each group, with the noise learnt from all. A single group
// has no more than half of the degrees of freedom that all have together, or its own: with
// all of them, intervals of two repetitions whose noise differs cover too little.
func Means(groups [][]float64) []Estimate {
	own := make([]variance, len(groups))
	for i, g := range groups {
		own[i] = within(g)
	}
	out := make([]Estimate, len(groups))
	half := together(own).freedom / 2
	for i, v := range moderated(own) {
		if len(groups[i]) > 0 {
			v.freedom = min(v.freedom, max(own[i].freedom, half))
			out[i] = Estimate{Value: mean(groups[i]), Error: math.Sqrt(v.value / float64(len(groups[i]))), Freedom: v.freedom}
		}
	}
	return out
}
