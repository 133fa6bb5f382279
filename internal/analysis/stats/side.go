package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// side is what one side measured in each stratum, and its noise.
type side struct {
	values [][]float64
	// own is the variance of a value as its repetitions show it, and each the variance
	// used, which borrows from the other strata of the side (see moderated).
	own, each []variance
}

func sideOf(strata []Stratum, values func(Stratum) []float64) side {
	s := side{values: make([][]float64, len(strata)), own: make([]variance, len(strata))}
	for i, stratum := range strata {
		s.values[i] = values(stratum)
		s.own[i] = within(s.values[i])
		if s.own[i].freedom > 0 {
			s.own[i].value = max(s.own[i].value, stratum.Floor)
		}
	}
	s.each = moderated(s.own)
	return s
}

// ofMean is the variance of the mean of a stratum.
func (s side) ofMean(i int) variance {
	return variance{s.each[i].value / float64(len(s.values[i])), s.each[i].freedom}
}

// ofMeans is the variance of the mean over strata: the sum of theirs, with the
// degrees of freedom of Satterthwaite ("An Approximate Distribution of Estimates
// of Variance Components", Biometrics Bulletin 2(6), 1946) only where these leave less than
// evenFreedom of what all have together: variances of two repetitions differ a lot by
// chance, which would cost a third of them and a fifth of the power. A stratum
// without repetitions borrows the variance of all.
func (s side) ofMeans(which []int) variance {
	var sum, moderate, squares float64
	pooled := together(s.own)
	for _, i := range which {
		v := s.own[i]
		if v.freedom == 0 {
			v = pooled
		}
		values := float64(len(s.values[i]))
		sum += v.value / values
		if part := s.each[i].value / values; v.freedom > 0 {
			moderate += part
			squares += part * part / v.freedom
		}
	}
	n := float64(len(which))
	out := variance{sum / (n * n), pooled.freedom}
	if squares > 0 {
		if s := moderate * moderate / squares; s < evenFreedom*pooled.freedom {
			out.freedom = s
		}
	}
	return s.slower(out, which)
}

// evenFreedom is the share of the degrees of freedom that strata of about the same noise
// keep. Those whose noise grows 81-fold over five have less; with sixteenfold ones, which
// are mostly above, at most 5 % of made-up sides without an effect differ (make truth).
const evenFreedom = 0.27

// suspicion is the probability by chance below which the rounds of a side are
// taken to have noise of their own; a quarter for both sides is the customary
// level for pooling variances (Bancroft, "Analysis and Inference for Incompletely
// Specified Models", Biometrics 20(3), 1964).
const suspicion = 0.25 / 2

// slower takes the variance of a mean from the rounds where they differ by more
// than their strata: repetition by repetition all rungs are measured, so noise
// that is carried from one trial to the next moves the rungs of a round together.
func (s side) slower(v variance, which []int) variance {
	r, ok := s.rounds(which)
	if !ok || v.freedom == 0 || v.value == 0 {
		return v
	}
	if (distuv.F{D1: r.freedom, D2: v.freedom}).Survival(r.value/v.value) < suspicion {
		return r
	}
	return v
}

// rounds is the variance of the mean of whole repetitions; not ok where the
// strata do not have the same repetitions.
func (s side) rounds(which []int) (v variance, ok bool) {
	sums := make([]float64, len(s.values[which[0]]))
	for _, i := range which {
		if len(s.values[i]) != len(sums) {
			return v, false
		}
		for r, value := range s.values[i] {
			sums[r] += value / float64(len(which))
		}
	}
	v = within(sums)
	v.value /= float64(len(sums))
	return v, len(which) > 1 && v.freedom > 0
}

// doubt is the probability with which the share of a side's variance may be
// larger than freedomOf allows for.
const doubt = 0.1

// freedomOf is the number of degrees of freedom of the sum of the variances of
// two means that have nothing in common (Welch, "The Generalization of
// Student's Problem when Several Different Population Variances are Involved",
// Biometrika 34, 1947). Welch's formula takes both variances for the true ones;
// a side of two or three repetitions that happens to look quiet then gets the
// freedom of the other side, and differences appear several times too often.
// Therefore each side's variance is taken at its upper bound in turn, and the
// least freedom is used.
func freedomOf(a, b variance) float64 {
	if a.freedom == 0 || b.freedom == 0 {
		return 0
	}
	if a.value+b.value == 0 {
		return min(a.freedom, b.freedom)
	}
	return min(welch(a.upper(), b), welch(a, b.upper()))
}

func welch(a, b variance) float64 {
	sum := a.value + b.value
	return sum * sum / (a.value*a.value/a.freedom + b.value*b.value/b.freedom)
}

// upper is a variance at its one-sided upper confidence bound.
func (v variance) upper() variance {
	least := distuv.ChiSquared{K: v.freedom}.Quantile(doubt)
	return variance{v.value * v.freedom / math.Max(least, math.SmallestNonzeroFloat64), v.freedom}
}
