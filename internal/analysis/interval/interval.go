// Package interval is estimates with their bounds: how the repetitions of a measurement become
// an interval, and how it is written as JSON and as a figure.
package interval

import (
	"encoding/json"
	"fmt"
	"math"

	"plimsoll/internal/analysis/repetition"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/words"
)

// Confidence is the level asked of every interval.
const Confidence = 0.95

// Interval is an estimate with its bounds. Where there is no interval, because
// nothing was repeated, Confidence is 0 and the bounds are null in JSON; Low and
// High are then Value, or the measured rungs beside a load line. High is infinite,
// and null in JSON, where a load line has no upper bound.
type Interval struct {
	Value      float64 `json:"value"`                // the estimate
	Low        float64 `json:"low"`                  // lower bound, null where there is none
	High       float64 `json:"high"`                 // upper bound, null where there is none
	Confidence float64 `json:"confidence,omitempty"` // 0.95
}

// Point is one point of a curve with its band.
type Point struct {
	N     float64 `json:"n"`     // instances, or nodes of a proposal
	Value float64 `json:"value"` // of the curve there
	Low   float64 `json:"low"`   // lower end of the band
	High  float64 `json:"high"`  // upper end of the band
}

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
	if !stats.IsFinite(v) {
		return nil
	}
	return &v
}

// Relative is the interval that Student's t gives in logarithms, about a
// value that stands for the estimate; exactly the value where nothing tells the
// noise.
func Relative(value float64, e repetition.Estimate) Interval {
	if !e.Known() {
		return Exactly(value)
	}
	low, high := e.Interval(Confidence)
	return Around(value, Interval{Low: math.Exp(low), High: math.Exp(high), Confidence: Confidence})
}

// RelativeChange is the change that an estimate of a difference of logarithms
// stands for: 0.05 for +5 %.
func RelativeChange(e repetition.Estimate, level float64) Interval {
	relative := func(v float64) float64 { return math.Exp(v) - 1 }
	value := stats.Finite(relative(e.Value))
	if !e.Known() {
		return Exactly(value)
	}
	low, high := e.Interval(level)
	return Around(value, Interval{Low: relative(low), High: relative(high), Confidence: level})
}

// ChangeText writes a change of a metric: "+5.0 % (+3.1 to +7.0)"; that of errors
// is a difference of shares, in points.
func ChangeText(metric string, i Interval) string {
	unit := "%"
	if metric == "errors" {
		unit = "points"
	}
	text := fmt.Sprintf("%+.1f %s", i.Value*100, unit)
	if i.Confidence > 0 && i.Low != i.High {
		text += fmt.Sprintf(" (%+.1f to %+.1f)", i.Low*100, i.High*100)
	}
	return text
}

// Exactly is an estimate without an interval.
func Exactly(v float64) Interval { return Interval{Value: v, Low: v, High: v} }

// Around is an interval about value, widened where value lies outside.
func Around(value float64, i Interval) Interval {
	if i.Confidence == 0 {
		return Exactly(value)
	}
	return Interval{Value: value, Low: min(i.Low, value), High: max(i.High, value), Confidence: i.Confidence}
}

// Text writes "12" or "12 (11–13)".
func (i Interval) Text() string {
	if i.Confidence == 0 {
		return words.Thousands(i.Value)
	}
	return i.Range()
}

// Range writes "128 (120–128)", whatever the bounds rest on.
func (i Interval) Range() string {
	switch {
	case i.Low == i.High:
		return words.Thousands(i.Value)
	case math.IsInf(i.High, 1):
		return fmt.Sprintf("%s (%s or more)", words.Thousands(i.Value), words.Thousands(i.Low))
	}
	return fmt.Sprintf("%s (%s–%s)", words.Thousands(i.Value), words.Thousands(i.Low), words.Thousands(i.High))
}

// ClearlyMore says that the intervals do not meet or, where nothing was repeated,
// that a is more by a twentieth.
func ClearlyMore(a, b Interval) bool {
	if a.Confidence > 0 && b.Confidence > 0 {
		return a.Low > b.High
	}
	return a.Value >= 1.05*b.Value
}
