package analysis

import (
	"encoding/json"
	"math"
	"sort"

	"plimsoll/internal/analysis/repetition"
)

// confidence is the level asked of every interval.
const confidence = 0.95

// medianOf is the median of the finite values.
func medianOf(values []float64) float64 { return median(finiteOnly(values)) }

// MarshalJSON writes null for bounds that do not exist: without repetitions
// there is neither, and an open load line has no upper one.
func (i Interval) MarshalJSON() ([]byte, error) {
	type plain struct {
		Value      *float64 `json:"value"`
		Low        *float64 `json:"low"`
		High       *float64 `json:"high"`
		Confidence float64  `json:"confidence,omitempty"`
	}
	out := plain{Value: known(i.Value), Confidence: i.Confidence}
	if i.Confidence > 0 {
		out.Low, out.High = known(i.Low), known(i.High)
	}
	return json.Marshal(out)
}

// MarshalJSON writes null for what does not exist, as that of Interval does.
func (p Point) MarshalJSON() ([]byte, error) {
	type plain struct {
		N     float64  `json:"n"`
		Value *float64 `json:"value"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
	}
	return json.Marshal(plain{p.N, known(p.Value), known(p.Low), known(p.High)})
}

// known is nil for what JSON cannot hold as a number.
func known(v float64) *float64 {
	if !isFinite(v) {
		return nil
	}
	return &v
}

// relativeInterval is the interval that Student's t gives in logarithms, about a
// value that stands for the estimate; exactly the value where nothing tells the
// noise.
func relativeInterval(value float64, e repetition.Estimate) Interval {
	if !e.Known() {
		return exactly(value)
	}
	low, high := e.Interval(confidence)
	return around(value, Interval{Low: math.Exp(low), High: math.Exp(high), Confidence: confidence})
}

// logarithms of the positive values, in their order.
func logarithms(values []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if v > 0 && isFinite(v) {
			out = append(out, math.Log(v))
		}
	}
	return out
}

// exactly is an estimate without an interval.
func exactly(v float64) Interval { return Interval{Value: v, Low: v, High: v} }

// around is an interval about value, widened where value lies outside.
func around(value float64, i Interval) Interval {
	if i.Confidence == 0 {
		return exactly(value)
	}
	return Interval{Value: value, Low: min(i.Low, value), High: max(i.High, value), Confidence: i.Confidence}
}

// finiteOnly gives the finite values in ascending order; hand-edited results
// may hold others.
func finiteOnly(values []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if isFinite(v) {
			out = append(out, v)
		}
	}
	sort.Float64s(out)
	return out
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// finite gives v, or 0 where it is not a number that JSON can hold.
func finite(v float64) float64 {
	if isFinite(v) {
		return v
	}
	return 0
}

// ratio is a/b, or 0 where that means nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return finite(a / b)
}

// median of ascending values.
func median(sorted []float64) float64 { return quantile(sorted, 0.5) }

// quantile interpolates linearly between order statistics (type 7 of Hyndman
// and Fan, "Sample Quantiles in Statistical Packages", 1996).
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return ratio(sum, float64(len(values)))
}
