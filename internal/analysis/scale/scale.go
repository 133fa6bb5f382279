// Package scale holds laws and models against a variant's rungs: the Universal Scalability Law,
// the asymptotic bounds, and the closed queueing network with the demands that were measured.
// It gives parameters, curves and errors.
package scale

import (
	"math"

	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// curvePoints is how many points a model's curve has in a report.
const curvePoints = 60

// Limits within which a fitted law or network is taken to describe what was
// measured. Beyond them nothing is concluded from it.
const (
	// fitTolerance is how far the law may lie off any rung.
	fitTolerance = 0.1
	// boundTolerance is by how much noise may lift a throughput above a bound.
	boundTolerance = 0.05
	// farthestCeiling is up to how many times the Highest throughput that was
	// measured a ceiling is said: past it nothing was measured that could tell.
	farthestCeiling = 1.5
	// nearlyLinear is the throughput per instance at the largest rung over that at
	// the smallest from which a ladder is called linear.
	nearlyLinear = 0.9
)

// Fit fits the scalability law to a variant's rungs, tests it on rungs left out of the fit,
// and adds the closed network if demands were measured. It is nil if there are too few
// rungs. A law that contradicts the rungs or the bounds gives no parameters, no curve and
// no peak.
func Fit(v Variant) *Scalability {
	n, x := rung.Throughputs(v.Rungs)
	law, err := queueing.FitUSL(n, x)
	if err != nil {
		return nil
	}
	out := &Scalability{Errors: heldOut(n, x)}
	addNetwork(out, v, curveCounts(n))
	out.Doubted = doubtOf(law, n, x, out.Bounds)
	out.Holds = out.Doubted.Why == NoDoubt
	if out.Holds {
		out.setLaw(law, n, x, fell(v.Rungs))
		out.Course = out.courseOf(law, v.Rungs, n, x)
	}
	return out
}

// fell reports whether throughput at the largest rung is clearly below a smaller rung's.
// Only then was a peak measured: a law that merely flattens out has one, too, somewhere
// beyond the rungs.
func fell(rungs []rung.Rung) bool {
	best := rung.Best(rungs, rung.Measured)
	for last := len(rungs) - 1; last > best && best >= 0; last-- {
		if rung.Measured(rungs[last]) {
			return stats.ClearlyMore(rungs[best].Throughput, rungs[last].Throughput)
		}
	}
	return false
}

// doubtOf says why the law does not describe the rungs: it must pass near each of them, be
// determined by them, and stay below the bounds.
func doubtOf(law *queueing.USL, n, x []float64, bounds []stats.Point) Misfit {
	if law.Freedom < 1 {
		return Misfit{Why: TooFewRungs, Rungs: len(n)}
	}
	worst := 0
	for i := range n {
		if offBy(law, n, x, i) > offBy(law, n, x, worst) {
			worst = i
		}
	}
	if off := offBy(law, n, x, worst); off > fitTolerance {
		return Misfit{Why: OffRung, At: n[worst], Off: off}
	}
	if half := law.Half(stats.Confidence)[0]; !stats.IsFinite(half) || half > law.Lambda/2 {
		return Misfit{Why: Undetermined}
	}
	for _, b := range bounds {
		if b.N <= n[len(n)-1] && law.At(b.N) > b.Value*(1+boundTolerance) {
			return Misfit{Why: AboveBound, At: b.N}
		}
	}
	return Misfit{}
}

// courseOf tells the shape of a law that holds.
func (out *Scalability) courseOf(law *queueing.USL, rungs []rung.Rung, n, x []float64) Course {
	last := n[len(n)-1]
	c := Course{First: int(n[0]), Last: int(last), Ceiling: law.Ceiling()}
	down := fell(rungs)
	switch {
	case out.PeakAt > 0:
		c.Shape = Peaks
	case down && x[0] == Highest(x):
		c.Shape = FallsFromStart
	case down:
		c.Shape = PastPeak
	case !law.Bends(n, x) && x[len(x)-1]/last >= nearlyLinear*x[0]/n[0]:
		c.Shape = Linear
	case !law.Bends(n, x):
		c.Shape = Scattered
	case law.Sigma > 1e-6 && law.Kappa == 0 && law.Ceiling() >= Highest(x) && law.Ceiling() <= farthestCeiling*Highest(x):
		c.Shape = LevelsToCeiling
	default:
		c.Shape = LevelsOff
	}
	return c
}

// offBy is the law's error at a rung, relative to the measurement.
func offBy(law *queueing.USL, n, x []float64, i int) float64 { return math.Abs(law.At(n[i])/x[i] - 1) }

// setLaw writes a law that holds.
func (out *Scalability) setLaw(law *queueing.USL, n, x []float64, fell bool) {
	half := law.Half(stats.Confidence)
	out.Lambda, out.Sigma, out.Kappa = plusMinus(law.Lambda, half[0]), plusMinus(law.Sigma, half[1]), plusMinus(law.Kappa, half[2])
	out.Model = lawCurve(law, curveCounts(n))
	at, peak := law.Peak()
	bound, bounded := boundAt(out.Bounds, at)
	switch {
	case !fell || at > n[len(n)-1]: // no rung is past it
	case at < n[0]: // nor below it
	case peak < Highest(x): // a peak is no peak below a throughput that was measured
	case bounded && peak > bound:
	default:
		out.PeakAt, out.Peak = at, peak
	}
}

// Highest is the largest of some throughputs.
func Highest(values []float64) float64 {
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	return top
}

// boundAt reads a bound at a count, by the straight line between its points;
// not known outside them.
func boundAt(bounds []stats.Point, n float64) (bound float64, known bool) {
	for i := 1; i < len(bounds); i++ {
		a, b := bounds[i-1], bounds[i]
		if n >= a.N && n <= b.N {
			return a.Value + (b.Value-a.Value)*stats.Ratio(n-a.N, b.N-a.N), true
		}
	}
	return 0, false
}

// plusMinus is an interval about a parameter that cannot be negative.
func plusMinus(v, half float64) stats.Interval {
	if !stats.IsFinite(half) {
		return stats.Exactly(stats.Finite(v))
	}
	return stats.Interval{Value: stats.Finite(v), Low: max(0, v-half), High: v + half, Confidence: stats.Confidence}
}

// curveCounts are the counts at which curves are drawn: over the measured
// rungs and a quarter beyond, evenly in the logarithm of the count.
func curveCounts(n []float64) []float64 {
	first, last := n[0], n[len(n)-1]*1.25
	out := make([]float64, curvePoints)
	for i := range out {
		out[i] = first * math.Pow(last/first, float64(i)/(curvePoints-1))
	}
	return out
}

// lawCurve draws the law with its band.
func lawCurve(law *queueing.USL, counts []float64) []stats.Point {
	out := make([]stats.Point, 0, len(counts))
	for _, at := range counts {
		p := stats.Point{N: at, Value: law.At(at)}
		p.Low, p.High = p.Value, p.Value
		if low, high, ok := law.Band(at, stats.Confidence); ok && stats.IsFinite(low) && stats.IsFinite(high) {
			p.Low, p.High = low, high
		}
		out = append(out, p)
	}
	return out
}

// heldOut predicts each later rung from the rungs below it. Four rungs are the
// least that leave the law of three parameters a spare point.
func heldOut(n, x []float64) []Prediction {
	var out []Prediction
	for seen := 4; seen < len(n); seen++ {
		law, err := queueing.FitUSL(n[:seen], x[:seen])
		if err != nil {
			continue
		}
		for i := seen; i < len(n); i++ {
			out = append(out, prediction(int(n[i]), int(n[seen-1]), law.At(n[i]), x[i]))
		}
	}
	return out
}

func prediction(n, fittedTo int, predicted, measured float64) Prediction {
	return Prediction{N: n, FittedTo: fittedTo, Predicted: stats.Finite(predicted), Measured: measured, Error: stats.Ratio(predicted, measured) - 1}
}

// FarthestError is the prediction of the last rung from the fewest others.
func (out *Scalability) FarthestError() (Prediction, bool) {
	for _, p := range out.Errors {
		if p.N == out.Course.Last {
			return p, true
		}
	}
	return Prediction{}, false
}
