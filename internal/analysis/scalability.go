package analysis

import (
	"fmt"
	"math"

	"plimsoll/internal/analysis/queueing"
)

// curvePoints is how many points a model's curve has in a report.
const curvePoints = 60

// scalabilityOf fits the scalability law to a variant's rungs, tests it on
// the rungs that it had not seen, and sets the closed network beside it where
// demands were measured. nil where there are too few rungs.
func (s *subject) scalabilityOf(v *Variant) *Scalability {
	n, x := throughputs(v.Rungs)
	law, err := queueing.FitUSL(n, x)
	if err != nil {
		return nil
	}
	half := law.Half(confidence)
	out := &Scalability{
		Lambda: plusMinus(law.Lambda, half[0]),
		Sigma:  plusMinus(law.Sigma, half[1]),
		Kappa:  plusMinus(law.Kappa, half[2]),
		Model:  lawCurve(law, n),
		Errors: heldOut(n, x),
	}
	out.PeakAt, out.Peak = law.Peak()
	if beyond := 10 * n[len(n)-1]; out.PeakAt > beyond {
		out.PeakAt, out.Peak = 0, 0 // too far off to be anything but noise
	}
	s.addNetwork(out, v)
	out.Text = s.scalabilityText(law, out, v, n[len(n)-1])
	return out
}

// throughputs lists the rungs that have one.
func throughputs(rungs []Rung) (n, x []float64) {
	for _, r := range rungs {
		if r.Repetitions > 0 && r.Throughput.Value > 0 && r.Instances > 0 {
			n, x = append(n, float64(r.Instances)), append(x, r.Throughput.Value)
		}
	}
	return n, x
}

// plusMinus is an interval about a parameter that cannot be negative.
func plusMinus(v, half float64) Interval {
	if !isFinite(half) {
		return exactly(finite(v))
	}
	return Interval{Value: finite(v), Low: max(0, v-half), High: v + half, Confidence: confidence}
}

// lawCurve draws the law over the measured rungs and a quarter beyond, evenly
// in the logarithm of the count.
func lawCurve(law *queueing.USL, n []float64) []Point {
	first, last := n[0], n[len(n)-1]*1.25
	out := make([]Point, 0, curvePoints)
	for i := range curvePoints {
		at := first * math.Pow(last/first, float64(i)/(curvePoints-1))
		p := Point{N: at, Value: law.At(at)}
		p.Low, p.High = p.Value, p.Value
		if low, high, ok := law.Band(at, confidence); ok && isFinite(low) && isFinite(high) {
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
	return Prediction{N: n, FittedTo: fittedTo, Predicted: finite(predicted), Measured: measured, Error: ratio(predicted, measured) - 1}
}

// scalabilityText says what the fit means.
func (s *subject) scalabilityText(law *queueing.USL, fit *Scalability, v *Variant, last float64) string {
	unit := s.unit.name
	text := fmt.Sprintf("`%s` scales with contention σ = %s and coherency κ = %s", v.Name, parameter(fit.Sigma), parameter(fit.Kappa))
	switch {
	case fit.PeakAt > 0:
		text += fmt.Sprintf(": the law's peak is %s %s at %s", figures(fit.Peak), unit, count(int(math.Round(fit.PeakAt)), s.noun))
	case law.Sigma > 1e-6 && isFinite(law.Ceiling()):
		text += fmt.Sprintf(": it flattens towards %s %s without a peak in reach", figures(law.Ceiling()), unit)
	default:
		text += ": it is linear as far as it was measured"
	}
	if law.Freedom == 0 {
		text += ". Three rungs determine the law exactly, so nothing tells how well it fits"
	}
	if worst, ok := widestError(fit.Errors, last); ok {
		text += fmt.Sprintf(". Fitted on the rungs up to %d alone, the law predicts %s %s at %d; %s were measured (%+.0f %%)",
			worst.FittedTo, figures(worst.Predicted), unit, worst.N, figures(worst.Measured), worst.Error*100)
	}
	return text + "."
}

// widestError is the prediction of the last rung from the fewest others.
func widestError(errors []Prediction, last float64) (Prediction, bool) {
	for _, p := range errors {
		if float64(p.N) == last {
			return p, true
		}
	}
	return Prediction{}, false
}

func parameter(i Interval) string {
	if i.Confidence == 0 {
		return fmt.Sprintf("%.3g", i.Value)
	}
	return fmt.Sprintf("%.3g (%.2g–%.2g)", i.Value, i.Low, i.High)
}
