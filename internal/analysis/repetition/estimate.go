// Package repetition says what a few repetitions tell and what they leave open:
// means and differences with their standard errors, where the noise is learnt
// from all rungs together. Values are whatever the caller makes normal, such as
// logarithms of times.
package repetition

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a value with its standard error, which itself is known with so
// many degrees of freedom. Without any, nothing is known of the error.
type Estimate struct{ Value, Error, Freedom float64 }

// Known says that the estimate has an error, and so an interval.
func (e Estimate) Known() bool { return e.Freedom > 0 }

// Interval is the confidence interval of Student's t. It is infinite where the
// error is not known.
func (e Estimate) Interval(confidence float64) (low, high float64) {
	if !e.Known() {
		return math.Inf(-1), math.Inf(1)
	}
	half := e.Error * e.t((1+confidence)/2)
	return e.Value - half, e.Value + half
}

// P is the two-sided probability of a value this far from zero by chance.
func (e Estimate) P() float64 {
	switch {
	case !e.Known() || e.Value == 0:
		return 1
	case e.Error == 0:
		return 0
	}
	return 2 * e.student().Survival(math.Abs(e.Value/e.Error))
}

// Visible is the smallest true value that a two-sided test at the level alpha
// finds with the given probability (power), approximately: the sum of both
// quantiles times the standard error.
func (e Estimate) Visible(alpha, power float64) float64 {
	if !e.Known() {
		return math.Inf(1)
	}
	return e.Error * (e.t(1-alpha/2) + e.t(power))
}

func (e Estimate) t(q float64) float64 { return e.student().Quantile(q) }

func (e Estimate) student() distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: e.Freedom}
}
