// This file says what a few repetitions tell and what they leave open:
// means and differences with their standard errors, where the noise of a side is
// learnt from all of its rungs together. Values are whatever the caller makes normal, such as
// logarithms of times.

package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a value with its standard error, which itself is known with so
// many degrees of freedom. Without any, nothing is known of the error.
type Estimate struct {
	Value, Error, Freedom float64
	// Ceiling is the error if single values had the largest noise that is thought
	// possible; 0 where nothing is assumed. Two repetitions hardly know their own
	// noise, and yet tell a half from the whole.
	Ceiling float64
}

// ceilingShare is the part of the level that is spent on the test that rests on
// Ceiling; the test by Student's t has the rest.
const ceilingShare = 0.25

// Minus is the difference to another estimate that is independent of it.
func (e Estimate) Minus(other Estimate) Estimate {
	of := func(e Estimate) variance { return variance{e.Error * e.Error, e.Freedom} }
	return difference(e.Value-other.Value, of(e), of(other))
}

// Known reports whether the estimate has an error, and so an interval.
func (e Estimate) Known() bool { return e.Freedom > 0 }

// Prior is the noise of single values that is expected before any is measured, known with so many degrees of
// freedom. The zero prior expects nothing.
type Prior struct{ Noise, Freedom float64 }

// PriorOf expects single values to be off by no more than a distance, with a confidence.
func PriorOf(distance, confidence, freedom float64) Prior {
	return Prior{distance / distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1+confidence)/2), freedom}
}

// Of is the estimate of a mean of n values where their own noise is hardly known: the prior counts for as many
// further values as it has degrees of freedom (scaled inverse chi-square: Gelman et al., "Bayesian Data Analysis",
// 2013, 3.3).
func (p Prior) Of(e Estimate, n int) Estimate {
	if p.Freedom == 0 || e.Freedom >= MinFreedom || n < 1 {
		return e
	}
	expected := p.Noise * p.Noise / float64(n)
	e.Error = math.Sqrt((p.Freedom*expected + e.Freedom*e.Error*e.Error) / (p.Freedom + e.Freedom))
	e.Freedom += p.Freedom
	return e
}

// Interval is the confidence interval: Student's t, or the ceiling's interval if that is
// narrower. It is infinite if the error is not known.
func (e Estimate) Interval(confidence float64) (low, high float64) {
	if !e.Known() {
		return math.Inf(-1), math.Inf(1)
	}
	half := e.critical(1 - confidence)
	return e.Value - half, e.Value + half
}

// critical is the value from which a two-sided test at a level finds a
// difference.
func (e Estimate) critical(level float64) float64 {
	if e.Ceiling == 0 {
		return e.Error * e.t(1-level/2)
	}
	return min(e.Error*e.t(1-level*(1-ceilingShare)/2), e.Ceiling*distuv.UnitNormal.Quantile(1-level*ceilingShare/2))
}

// P is the two-sided probability of a value this far from zero by chance.
func (e Estimate) P() float64 {
	switch {
	case !e.Known() || e.Value == 0:
		return 1
	case e.Error == 0:
		return 0
	}
	byNoise := 2 * e.student().Survival(math.Abs(e.Value/e.Error))
	if e.Ceiling == 0 {
		return byNoise
	}
	byCeiling := 2 * distuv.UnitNormal.Survival(math.Abs(e.Value/e.Ceiling))
	return min(1, byNoise/(1-ceilingShare), byCeiling/ceilingShare)
}

// Visible is the smallest true value that a two-sided test at the level alpha
// finds with the given probability (power), approximately.
func (e Estimate) Visible(alpha, power float64) float64 {
	if !e.Known() {
		return math.Inf(1)
	}
	return e.critical(alpha) + e.Error*e.t(power)
}

// Shown reports whether a one-sided test at the level alpha finds the true value at so
// great a distance from a bound with the given probability (power).
func (e Estimate) Shown(distance, alpha, power float64) bool {
	return e.Known() && e.Error*(e.t(1-alpha)+e.t(power)) <= distance
}

func (e Estimate) t(q float64) float64 { return e.student().Quantile(q) }

func (e Estimate) student() distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: e.Freedom}
}
