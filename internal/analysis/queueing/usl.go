package queueing

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"
)

// USL is the Universal Scalability Law
//
//	X(N) = Lambda*N / (1 + Sigma*(N-1) + Kappa*N*(N-1))
//
// (Gunther, "Guerrilla Capacity Planning", 2007, chapters 4 to 6): Lambda is
// the throughput of one, Sigma the share that is serialised (contention) and
// Kappa the cost of keeping pairs in agreement (coherency).
type USL struct {
	Lambda, Sigma, Kappa float64
	// StandardError of each parameter as listed, NaN without a spare point.
	StandardError [3]float64
	// Freedom is the number of points beyond the parameters.
	Freedom int
	// Residual is the standard deviation of ln X about the curve.
	Residual   float64
	covariance *mat.SymDense // of (ln Lambda, Sigma, Kappa)
}

// ErrTooFew says that a law of three parameters needs three points.
var ErrTooFew = errors.New("fit the scalability law: it needs throughput at three or more counts")

// FitUSL fits the law by non-linear least squares on ln X, so that every
// point weighs by its relative error. Sigma and Kappa are kept at or above 0.
// The start is Gunther's linearisation: N/X is quadratic in N-1.
func FitUSL(n, x []float64) (*USL, error) {
	if len(n) != len(x) || len(n) < 3 {
		return nil, ErrTooFew
	}
	for i := range n {
		if !(n[i] >= 1) || !(x[i] > 0) || math.IsInf(x[i], 0) || math.IsInf(n[i], 0) {
			return nil, fmt.Errorf("fit the scalability law: throughput %v at %v is not a positive number at a count from 1", x[i], n[i])
		}
	}
	u := minimise(n, x)
	u.Freedom = len(n) - 3
	u.setErrors(n, x)
	return u, nil
}

// minimise descends by BFGS from several starts and keeps the best. Square
// roots as variables keep Sigma and Kappa from turning negative.
func minimise(n, x []float64) *USL {
	problem := optimize.Problem{
		Func: func(p []float64) float64 { return squares(fromVariables(p), n, x) },
		Grad: func(slope, p []float64) { slopes(slope, p, n, x) },
	}
	best, least := &USL{}, math.Inf(1)
	for _, start := range starts(n, x) {
		settings := &optimize.Settings{MajorIterations: 300, GradientThreshold: 1e-10}
		// An error here says only why the descent ended; the point stands.
		r, _ := optimize.Minimize(problem, toVariables(start), settings, &optimize.BFGS{})
		if r != nil && r.F < least {
			best, least = fromVariables(r.X), r.F
		}
	}
	return best
}

// slopes is the gradient of squares by the variables.
func slopes(out, p, n, x []float64) {
	u := fromVariables(p)
	out[0], out[1], out[2] = 0, 0, 0
	for i := range n {
		r := math.Log(x[i]) - math.Log(u.At(n[i]))
		g := u.gradient(n[i])
		out[0] -= 2 * r * g[0]
		out[1] -= 2 * r * g[1] * 2 * p[1]
		out[2] -= 2 * r * g[2] * 2 * p[2]
	}
}

func fromVariables(p []float64) *USL {
	return &USL{Lambda: math.Exp(p[0]), Sigma: squared(p[1]), Kappa: squared(p[2])}
}

// squared is v*v, and 0 where that is only what the search left of 0.
func squared(v float64) float64 {
	if v*v < 1e-12 {
		return 0
	}
	return v * v
}

// toVariables starts above 0, because the gradient by a square root vanishes
// there.
func toVariables(u USL) []float64 {
	return []float64{math.Log(u.Lambda), math.Sqrt(max(u.Sigma, 1e-6)), math.Sqrt(max(u.Kappa, 1e-8))}
}

// squares is the sum of squared residuals of ln X.
func squares(u *USL, n, x []float64) float64 {
	sum := 0.0
	for i := range n {
		r := math.Log(x[i]) - math.Log(u.At(n[i]))
		sum += r * r
	}
	if math.IsNaN(sum) {
		return math.MaxFloat64
	}
	return sum
}

// starts are the linearised solution and plain guesses.
func starts(n, x []float64) []USL {
	each := x[0] / n[0]
	out := []USL{
		{Lambda: each, Sigma: 0.01, Kappa: 1e-4},
		{Lambda: each, Sigma: 0.3, Kappa: 1e-6},
		{Lambda: each, Sigma: 1e-4, Kappa: 1e-2},
	}
	if l, ok := linearised(n, x); ok {
		out = append(out, l)
	}
	return out
}

// linearised solves N/X = (1 + Sigma*(N-1) + Kappa*N*(N-1))/Lambda, which is
// linear in its three coefficients, by ordinary least squares.
func linearised(n, x []float64) (USL, bool) {
	a, b := mat.NewDense(len(n), 3, nil), mat.NewVecDense(len(n), nil)
	for i := range n {
		w := x[i] / n[i] // relative weight
		a.SetRow(i, []float64{w, w * (n[i] - 1), w * n[i] * (n[i] - 1)})
		b.SetVec(i, 1)
	}
	var c mat.VecDense
	if err := c.SolveVec(a, b); err != nil || c.AtVec(0) <= 0 {
		return USL{}, false
	}
	return USL{Lambda: 1 / c.AtVec(0), Sigma: max(0, c.AtVec(1)/c.AtVec(0)), Kappa: max(0, c.AtVec(2)/c.AtVec(0))}, true
}

// At is the throughput at n.
func (u *USL) At(n float64) float64 { return u.Lambda * n / u.denominator(n) }

func (u *USL) denominator(n float64) float64 { return 1 + u.Sigma*(n-1) + u.Kappa*n*(n-1) }

// Peak is where throughput is highest and how high, N* = sqrt((1-Sigma)/Kappa).
// There is none (0, 0) where Kappa vanishes: the curve only flattens.
func (u *USL) Peak() (at, throughput float64) {
	if u.Kappa <= 1e-12 || u.Sigma >= 1 {
		return 0, 0
	}
	at = math.Sqrt((1 - u.Sigma) / u.Kappa)
	return at, u.At(at)
}

// Ceiling is the throughput that the curve tends to where there is no peak,
// Lambda/Sigma; +Inf where it grows for ever.
func (u *USL) Ceiling() float64 { return u.Lambda / u.Sigma }

// Bends reports whether the points depart from the straight line X = Lambda*N by more than
// their scatter about the law explains: the F test of the law against the line at 5 %
// (Bates and Watts, 1988, section 3.10). Points that no law of this kind passes near
// tell nothing.
func (u *USL) Bends(n, x []float64) bool {
	if u.Freedom < 1 {
		return false
	}
	mean := 0.0
	for i := range n {
		mean += math.Log(x[i]/n[i]) / float64(len(n))
	}
	line, law := squares(&USL{Lambda: math.Exp(mean)}, n, x), squares(u, n, x)
	f := (line - law) / 2 / max(law/float64(u.Freedom), 1e-12)
	return f > distuv.F{D1: 2, D2: float64(u.Freedom)}.Quantile(0.95)
}

// gradient of ln X(n) by (ln Lambda, Sigma, Kappa).
func (u *USL) gradient(n float64) []float64 {
	d := u.denominator(n)
	return []float64{1, -(n - 1) / d, -n * (n - 1) / d}
}

// setErrors estimates the parameters' covariance from the Jacobian J at the
// minimum, s^2 (J'J)^-1 (Bates and Watts, "Nonlinear Regression Analysis and
// Its Applications", 1988, section 2.3).
func (u *USL) setErrors(n, x []float64) {
	u.StandardError = [3]float64{math.NaN(), math.NaN(), math.NaN()}
	if u.Freedom < 1 {
		return
	}
	u.Residual = math.Sqrt(squares(u, n, x) / float64(u.Freedom))
	normal := mat.NewSymDense(3, nil)
	for i := range n {
		g := u.gradient(n[i])
		normal.SymRankOne(normal, 1, mat.NewVecDense(3, g))
	}
	var c mat.Cholesky
	var inverse mat.SymDense
	if !c.Factorize(normal) || c.InverseTo(&inverse) != nil {
		return
	}
	inverse.ScaleSym(u.Residual*u.Residual, &inverse)
	u.covariance = &inverse
	u.StandardError = [3]float64{
		u.Lambda * math.Sqrt(inverse.At(0, 0)),
		math.Sqrt(inverse.At(1, 1)),
		math.Sqrt(inverse.At(2, 2)),
	}
}

// Band is the interval in which a measurement at n is expected with the given
// confidence, by Student's t with Freedom degrees on ln X. ok is false without
// a spare point.
func (u *USL) Band(n, confidence float64) (low, high float64, ok bool) {
	if u.covariance == nil {
		return 0, 0, false
	}
	g := mat.NewVecDense(3, u.gradient(n))
	variance := mat.Inner(g, u.covariance, g) + u.Residual*u.Residual
	half := u.t(confidence) * math.Sqrt(variance)
	return u.At(n) * math.Exp(-half), u.At(n) * math.Exp(half), true
}

// Half is half the width of the parameters' intervals: Lambda,
// Sigma, Kappa; NaN without a spare point.
func (u *USL) Half(confidence float64) [3]float64 {
	out := u.StandardError
	if u.covariance == nil {
		return out
	}
	for i := range out {
		out[i] *= u.t(confidence)
	}
	return out
}

func (u *USL) t(confidence float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(u.Freedom)}.Quantile((1 + confidence) / 2)
}
