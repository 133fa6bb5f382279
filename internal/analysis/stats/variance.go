package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// variance is a mean square with its degrees of freedom.
type variance struct{ value, freedom float64 }

// within is the mean square of values about their own mean, over several groups.
func within(groups ...[]float64) variance {
	var squares, freedom float64
	for _, g := range groups {
		if len(g) == 0 {
			continue
		}
		m := mean(g)
		for _, v := range g {
			squares += (v - m) * (v - m)
		}
		freedom += float64(len(g) - 1)
	}
	if freedom == 0 {
		return variance{}
	}
	return variance{squares / freedom, freedom}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// together is the mean square over all, as if all had the same variance.
func together(all []variance) variance {
	var squares, freedom float64
	for _, v := range all {
		squares += v.value * v.freedom
		freedom += v.freedom
	}
	if freedom == 0 {
		return variance{}
	}
	return variance{squares / freedom, freedom}
}

// moderated draws each variance towards what all have in common, the more the
// less they differ among themselves: empirical Bayes with a scaled inverse
// chi-square prior (Smyth, "Linear Models and Empirical Bayes Methods for
// Assessing Differential Expression in Microarray Experiments", Statistical
// Applications in Genetics and Molecular Biology 3(1), 2004). Two repetitions
// at each of five rungs then tell nearly as much as four at one. With few
// repetitions, rungs that differ in their noise are often taken for alike;
// therefore no variance falls below what its own values show, and none has more
// degrees of freedom than all have together.
func moderated(all []variance) []variance {
	pooled := together(all)
	prior := priorOf(all, pooled)
	out := make([]variance, len(all))
	for i, v := range all {
		out[i] = pooled
		if !math.IsInf(prior.freedom, 1) {
			freedom := prior.freedom + v.freedom
			out[i] = variance{(prior.value*prior.freedom + v.value*v.freedom) / max(freedom, 1), freedom}
		}
		out[i].value = max(out[i].value, v.value)
		out[i].freedom = min(out[i].freedom, pooled.freedom)
	}
	return out
}

// priorOf fits the prior to the logarithms of the variances. One variance alone
// has no prior; variances that differ no more than by chance have an infinitely
// strong one.
func priorOf(all []variance, pooled variance) variance {
	var logs, chance []float64
	for _, v := range all {
		if v.freedom > 0 {
			half := v.freedom / 2
			logs = append(logs, math.Log(max(v.value, 1e-5*pooled.value, math.SmallestNonzeroFloat64))-mathext.Digamma(half)+math.Log(half))
			chance = append(chance, trigamma(half))
		}
	}
	if len(logs) == 0 || len(logs) < len(all) && len(logs) < 2 {
		return variance{pooled.value, math.Inf(1)}
	}
	if len(logs) < 2 {
		return variance{}
	}
	spread := within(logs).value - mean(chance)
	if spread <= 0 {
		return variance{pooled.value, math.Inf(1)}
	}
	freedom := 2 * inverseTrigamma(spread)
	return variance{math.Exp(mean(logs) + mathext.Digamma(freedom/2) - math.Log(freedom/2)), freedom}
}

// trigamma is the second derivative of the logarithm of the gamma function, the
// Hurwitz zeta function of 2.
func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma solves trigamma(x) = y by Newton's method on 1/trigamma, which
// is nearly straight (Smyth, 2004, appendix).
func inverseTrigamma(y float64) float64 {
	if y > 1e7 {
		return 1 / math.Sqrt(y)
	}
	x := 0.5 + 1/y
	for range 50 {
		tri := trigamma(x)
		step := tri * (1 - tri/y) / tetragamma(x)
		x += step
		if -step/x < 1e-8 {
			break
		}
	}
	return x
}

// tetragamma is the derivative of trigamma.
func tetragamma(x float64) float64 { return -2 * mathext.Zeta(3, x) }
