package claim

import "math"

// Figure is a figure of a run with the interval that the true one may lie in. Operations on figures give the
// extremes that the intervals allow (Moore, Interval Analysis, 1966), because a fault of one figure of a
// run is often one of the others, too.
type Figure struct {
	Value     float64
	Low, High float64  // High may be infinite; both are without meaning where it is open
	Open      bool     // nothing bounds it
	Missing   *Missing // why there is no figure; nil where there is one
}

// Exactly is a figure without an interval.
func Exactly(v float64) Figure { return Figure{Value: v, Low: v, High: v} }

// Missing says why a run has no figure.
type Missing struct {
	Why     Reason `json:"why"`               // the reason
	Variant string `json:"variant,omitempty"` // as the claim names it
	Metric  string `json:"metric,omitempty"`  // that is missing
	At      int    `json:"at,omitempty"`      // instances; 0 for none in particular
}

// Reason is why a run has no figure.
type Reason string

// Reasons for missing figures.
const (
	NoVariant  Reason = "no variant"    // of that name or with those levels
	Ambiguous  Reason = "ambiguous"     // several variants have those levels
	NoRung     Reason = "no rung"       // of that many instances was measured
	NotKept    Reason = "not kept"      // no rung within the objectives
	NoFigure   Reason = "no figure"     // the metric is not known there
	TrialsLost Reason = "trials failed" // no trial passed there
)

// Nothing is a figure that is missing.
func Nothing(m Missing) Figure { return Figure{Missing: &m} }

// operators do arithmetic on figures.
var operators = map[string]func(x, y Figure) Figure{"+": plus, "-": minus, "*": times, "/": divided}

func plus(x, y Figure) Figure  { return arithmetic(x, y, func(a, b float64) float64 { return a + b }) }
func minus(x, y Figure) Figure { return arithmetic(x, y, func(a, b float64) float64 { return a - b }) }
func times(x, y Figure) Figure { return arithmetic(x, y, func(a, b float64) float64 { return a * b }) }

// divided is a quotient; by an interval around zero nothing bounds it.
func divided(x, y Figure) Figure {
	out := arithmetic(x, y, func(a, b float64) float64 { return a / b })
	out.Open = out.Open || y.Missing == nil && y.Low <= 0 && y.High >= 0
	return out
}

// arithmetic is an operation on numbers, made one on figures: the extremes are at the ends of the intervals.
func arithmetic(x, y Figure, of func(a, b float64) float64) Figure {
	if x.Missing != nil {
		return x
	}
	if y.Missing != nil {
		return y
	}
	out := Exactly(of(x.Value, y.Value))
	for _, end := range []float64{of(x.Low, y.Low), of(x.Low, y.High), of(x.High, y.Low), of(x.High, y.High)} {
		out.Low, out.High = min(out.Low, end), max(out.High, end)
	}
	out.Open = x.Open || y.Open || math.IsNaN(out.Low) || math.IsNaN(out.High)
	if math.IsNaN(out.Value) || math.IsInf(out.Value, 0) {
		return Nothing(Missing{Why: NoFigure}) // a division by zero
	}
	return out
}
