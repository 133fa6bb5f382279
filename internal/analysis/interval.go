package analysis

import (
	"encoding/json"
	"fmt"
	"math"

	"plimsoll/internal/analysis/repetition"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/words"
)

// confidence is the level asked of every interval.
const confidence = 0.95

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

// exactly is an estimate without an interval.
func exactly(v float64) Interval { return Interval{Value: v, Low: v, High: v} }

// around is an interval about value, widened where value lies outside.
func around(value float64, i Interval) Interval {
	if i.Confidence == 0 {
		return exactly(value)
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
