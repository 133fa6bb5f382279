package repetition

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Stratum is what two sides measured under the same conditions.
type Stratum struct {
	A, B []float64
	// Floor is the least variance that a single value can have, such as that of
	// a counted share; 0 for none.
	Floor float64
}

// Contrast is how B differs from A in each stratum.
type Contrast struct {
	// Each is the difference of the means of each stratum, its error learnt from
	// all strata (see moderated).
	Each []Estimate

	strata []Stratum
	own    []variance
}

// Compare estimates the differences. Every stratum needs a value on both sides.
func Compare(strata []Stratum) Contrast {
	c := Contrast{strata: strata, own: make([]variance, len(strata)), Each: make([]Estimate, len(strata))}
	for i, s := range strata {
		c.own[i] = within(s.A, s.B)
		if c.own[i].freedom > 0 {
			c.own[i].value = max(c.own[i].value, s.Floor)
		}
	}
	for i, v := range moderated(c.own) {
		c.Each[i] = Estimate{Value: strata[i].difference(), Error: math.Sqrt(v.value * strata[i].weight()), Freedom: v.freedom}
	}
	return c
}

func (s Stratum) difference() float64 { return mean(s.B) - mean(s.A) }

// weight turns the variance of a value into that of the difference of means.
func (s Stratum) weight() float64 { return 1/float64(len(s.A)) + 1/float64(len(s.B)) }

// Mean is the mean difference over some strata, which are given by index. Its
// variance is the sum of theirs, with the degrees of freedom of Satterthwaite
// ("An Approximate Distribution of Estimates of Variance Components",
// Biometrics Bulletin 2(6), 1946); a stratum without repetitions borrows the
// variance of all. Values stand as their repetitions do.
func (c Contrast) Mean(which []int) Estimate {
	var value, sum, squares float64
	pooled := together(c.own)
	for _, i := range which {
		v := c.own[i]
		if v.freedom == 0 {
			v = pooled
		}
		value += c.strata[i].difference()
		part := v.value * c.strata[i].weight()
		sum += part
		if v.freedom > 0 {
			squares += part * part / v.freedom
		}
	}
	n := float64(len(which))
	e := Estimate{Value: value / n, Error: math.Sqrt(sum) / n, Freedom: pooled.freedom}
	if squares > 0 {
		e.Freedom = min(sum*sum/squares, pooled.freedom)
	}
	return c.slower(e, which)
}

// suspicion is the probability by chance below which rounds are taken to have
// noise of their own; a quarter is the customary level for pooling variances
// (Bancroft, "Analysis and Inference for Incompletely Specified Models",
// Biometrics 20(3), 1964).
const suspicion = 0.25

// slower takes the error of e from the rounds where they differ by more than
// their strata: repetition by repetition all rungs are measured, so noise that is
// carried from one trial to the next moves the rungs of a round together.
func (c Contrast) slower(e Estimate, which []int) Estimate {
	r, ok := c.rounds(which)
	if !ok || !e.Known() || e.Error == 0 {
		return e
	}
	ratio := distuv.F{D1: r.freedom, D2: e.Freedom}
	rounds := math.Sqrt(r.value * c.strata[which[0]].weight())
	if ratio.Survival(rounds*rounds/(e.Error*e.Error)) < suspicion {
		e.Error, e.Freedom = rounds, r.freedom
	}
	return e
}

// rounds is the variance between the means of whole repetitions; not ok where
// the strata do not have the same repetitions.
func (c Contrast) rounds(which []int) (v variance, ok bool) {
	first := c.strata[which[0]]
	a, b := make([]float64, len(first.A)), make([]float64, len(first.B))
	for _, i := range which {
		s := c.strata[i]
		if len(s.A) != len(a) || len(s.B) != len(b) {
			return v, false
		}
		addTo(a, s.A, len(which))
		addTo(b, s.B, len(which))
	}
	v = within(a, b)
	return v, len(which) > 1 && v.freedom > 0
}

func addTo(sum, values []float64, n int) {
	for i, v := range values {
		sum[i] += v / float64(n)
	}
}

// Means estimates the mean of each group, with the noise learnt from all.
func Means(groups [][]float64) []Estimate {
	own := make([]variance, len(groups))
	for i, g := range groups {
		own[i] = within(g)
	}
	out := make([]Estimate, len(groups))
	for i, v := range moderated(own) {
		if len(groups[i]) > 0 {
			out[i] = Estimate{Value: mean(groups[i]), Error: math.Sqrt(v.value / float64(len(groups[i]))), Freedom: v.freedom}
		}
	}
	return out
}
