// This file is estimates with their bounds: how the repetitions of a measurement become
// an interval, and how it is written as JSON and as a figure.

package stats

import (
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is the level asked of every interval.
const Confidence = 0.95

// MinFreedom is the fewest degrees of freedom for an interval. With one, Student's t is
// 12.7 standard errors, and the interval is too wide to be of use.
const MinFreedom = 2

// Widest is how many times the lower bound the upper one may be. A wider interval says
// that the repetitions bound nothing, and is not shown as one.
const Widest = 10

// Interval is an estimate with its bounds. Where there is no interval, because nothing was
// repeated, Confidence is 0 and the bounds are null in JSON; Low and High are then Value,
// or the rungs that bracket a load line. High is infinite, and null in JSON, where a load
// line has no upper bound.
type Interval struct {
	Value      float64 `json:"value"`                // the estimate
	Low        float64 `json:"low"`                  // lower bound, null where there is none
	High       float64 `json:"high"`                 // upper bound, null where there is none
	Confidence float64 `json:"confidence,omitempty"` // 0.95
	// Extremes means that the bounds are the least and the most that was measured: there are
	// too few repetitions for an interval, or they differ too much.
	Extremes bool `json:"range,omitempty"`
	// Changing says of such bounds that the repetitions changed one after the other, so that
	// there is no steady value to tell, and no interval of one.
	Changing bool `json:"changing,omitempty"`

	// Estimate is what the bounds come from, in logarithms; not known of repetitions that change, nor where
	// nothing was repeated.
	Estimate Estimate `json:"-"`
	// Wide says of a change that its bounds are for tests alone: see Widest.
	Wide bool `json:"-"`
}

// Bounded reports whether there is an interval to show.
func (i Interval) Bounded() bool { return i.Confidence > 0 && !i.Wide }

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
		Range      bool     `json:"range,omitempty"`
		Changing   bool     `json:"changing,omitempty"`
	}
	out := plain{Value: finiteOrNil(i.Value), Range: i.Extremes, Changing: i.Changing}
	if i.Bounded() || i.Extremes {
		out.Low, out.High = finiteOrNil(i.Low), finiteOrNil(i.High)
	}
	if i.Bounded() {
		out.Confidence = i.Confidence
	}
	return json.Marshal(out)
}

// MarshalJSON writes null for infinite and unknown values, like Interval.MarshalJSON.
func (p Point) MarshalJSON() ([]byte, error) {
	type plain struct {
		N     float64  `json:"n"`
		Value *float64 `json:"value"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
	}
	return json.Marshal(plain{p.N, finiteOrNil(p.Value), finiteOrNil(p.Low), finiteOrNil(p.High)})
}

// finiteOrNil is nil for what JSON cannot hold as a number.
func finiteOrNil(v float64) *float64 {
	if !IsFinite(v) {
		return nil
	}
	return &v
}

// Relative is the interval that Student's t gives in logarithms, about a value that
// stands for the estimate. Where that would tell too little (see MinFreedom and Widest),
// it is the range of the values, whose logarithms are given; exactly the value where
// there are not two, or nothing tells the noise.
func Relative(value float64, e Estimate, logarithms []float64) Interval {
	if !e.Known() {
		return Exactly(value)
	}
	low, high := e.Interval(Confidence)
	i := extremes(value, logarithms)
	if e.Freedom >= MinFreedom && !tooWide(high-low) {
		i = Around(value, Interval{Low: math.Exp(low), High: math.Exp(high), Confidence: Confidence})
	}
	i.Estimate = e
	return i
}

// extremes is the range of the values whose logarithms are given; exactly the value where there
// are not two.
func extremes(value float64, logarithms []float64) Interval {
	if len(logarithms) < 2 {
		return Exactly(value)
	}
	return Interval{Value: value, Low: min(value, math.Exp(slices.Min(logarithms))), High: max(value, math.Exp(slices.Max(logarithms))), Extremes: true}
}

// Unsteady returns the range of repetitions that change one after the other, given their
// logarithms: their spread says nothing about the error of their mean.
func Unsteady(value float64, logarithms []float64) Interval {
	i := extremes(value, logarithms)
	i.Changing = i.Extremes
	return i
}

// Quotient is one estimate divided by another. Its bounds come from the difference of the
// logarithms, whose half-widths are added as for independent errors; if either has no
// bounds, neither has the quotient. It is 0 if the divisor is.
func Quotient(a, b Interval) Interval {
	if !(a.Value > 0) || !(b.Value > 0) {
		return Interval{}
	}
	q := Exactly(a.Value / b.Value)
	if !a.Bounded() || !b.Bounded() || !(a.Low > 0) || !(b.Low > 0) {
		return q
	}
	below := math.Hypot(math.Log(a.Value/a.Low), math.Log(b.High/b.Value))
	above := math.Hypot(math.Log(a.High/a.Value), math.Log(b.Value/b.Low))
	q.Low, q.High, q.Confidence = q.Value*math.Exp(-below), q.Value*math.Exp(above), Confidence
	return q
}

// Proportion is a share of trials with its exact interval (Clopper and Pearson, "The use of
// confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934),
// which holds in at least as many cases as it says. Of no trials nothing is known.
func Proportion(part, whole int) Interval {
	if whole <= 0 || part < 0 || part > whole {
		return Interval{}
	}
	i := Interval{Value: float64(part) / float64(whole), High: 1, Confidence: Confidence}
	const tail = (1 - Confidence) / 2
	if part > 0 {
		i.Low = distuv.Beta{Alpha: float64(part), Beta: float64(whole - part + 1)}.Quantile(tail)
	}
	if part < whole {
		i.High = distuv.Beta{Alpha: float64(part + 1), Beta: float64(whole - part)}.Quantile(1 - tail)
	}
	return i
}

// tooWide says of a difference of logarithms that it is more than Widest.
func tooWide(difference float64) bool { return !(difference <= math.Log(Widest)) }

// RelativeChange is the change that an estimate of a difference of logarithms
// stands for: 0.05 for +5 %. Its bounds are for tests alone where they are too wide.
func RelativeChange(e Estimate, level float64) Interval {
	relative := func(v float64) float64 { return math.Exp(v) - 1 }
	value := Finite(relative(e.Value))
	if !e.Known() {
		return Exactly(value)
	}
	low, high := e.Interval(level)
	i := Around(value, Interval{Low: relative(low), High: relative(high), Confidence: level})
	i.Estimate = e
	i.Wide = tooWide(high - low)
	return i
}

// Factor makes a factor of a relative change: 1.05 of 0.05.
func (i Interval) Factor() Interval {
	i.Value, i.Low, i.High = 1+i.Value, 1+i.Low, 1+i.High
	return i
}

// Times is the estimate of so many times what this one is of.
func (i Interval) Times(factor float64) Interval {
	i.Value, i.Low, i.High = factor*i.Value, factor*i.Low, factor*i.High
	return i
}

// LargeChange is the change from which a factor is easier to read: +900 % is 10 times.
const LargeChange = 9

// Exactly is an estimate without an interval.
func Exactly(v float64) Interval { return Interval{Value: v, Low: v, High: v} }

// Around is an interval about value, widened where value lies outside.
func Around(value float64, i Interval) Interval {
	if i.Confidence == 0 {
		return Exactly(value)
	}
	return Interval{Value: value, Low: min(i.Low, value), High: max(i.High, value), Confidence: i.Confidence}
}

// lowest is the least that was measured, as far as that is known.
func (i Interval) lowest() float64 {
	if i.Extremes {
		return i.Low
	}
	return i.Value
}

// highest is the most that was measured, as far as that is known.
func (i Interval) highest() float64 {
	if i.Extremes {
		return i.High
	}
	return i.Value
}

// ClearlyMore reports whether the intervals do not meet or, where there are none, that all of a
// was more than all of b by a twentieth.
func ClearlyMore(a, b Interval) bool {
	if a.Confidence > 0 && b.Confidence > 0 {
		return a.Low > b.High
	}
	return a.lowest() >= 1.05*b.highest()
}

// WithinOf reports whether a is at most so many times b, however their trials scatter.
func WithinOf(a, b Interval, times float64) bool {
	if a.Confidence > 0 && b.Confidence > 0 {
		return a.High <= times*b.Low
	}
	return a.highest() <= times*b.lowest()
}
