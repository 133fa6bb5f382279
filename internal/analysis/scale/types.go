package scale

import "plimsoll/internal/analysis/stats"

// Scalability is the fitted model and its bounds.
type Scalability struct {
	// Holds reports that the law describes the rungs. Where it does not, Doubt says
	// why, and its parameters, peak and curve are missing.
	Holds bool   `json:"holds"`
	Doubt string `json:"doubt,omitempty"` // why the law does not describe the rungs
	// Universal Scalability Law, X(N) = lambda*N / (1 + sigma*(N-1) + kappa*N*(N-1))
	// (Gunther, "Guerrilla Capacity Planning", 2007).
	Lambda stats.Interval `json:"lambda,omitzero"`
	Sigma  stats.Interval `json:"sigma,omitzero"`   // the share of the work that is done one at a time
	Kappa  stats.Interval `json:"kappa,omitzero"`   // what each pair of instances costs the other
	PeakAt float64        `json:"peak_at"`          // instances; 0 when there is none
	Peak   float64        `json:"peak"`             // throughput there
	Model  []stats.Point  `json:"model"`            // with the band
	Bounds []stats.Point  `json:"bounds,omitempty"` // asymptotic bounds (Value) per N
	// Beaten says that the bounds were left out because a rung lies above them.
	Beaten string `json:"beaten,omitempty"`
	// Errors are predictions made without a rung against its measurement.
	Errors []Prediction `json:"errors,omitempty"`
	// Network and Response are throughput and response time (s) of the closed
	// queueing network with the demands measured at the rung DemandsFrom; empty
	// without telemetry, and where NetworkErrors, which hold it against the rungs
	// above, show that it does not describe them.
	Network       []stats.Point `json:"network,omitempty"`
	Response      []stats.Point `json:"response,omitempty"`
	DemandsFrom   int           `json:"demands_from,omitempty"` // the rung at which the demands of Network were measured
	NetworkErrors []Prediction  `json:"network_errors,omitempty"`
	Text          string        `json:"text"` // the law in words
	// Doubted, Beat and Course are what Doubt, Beaten and Text say.
	Doubted Misfit     `json:"-"`
	Beat    *Violation `json:"-"`
	Course  Course     `json:"-"`
}

// Prediction compares a model with a measurement.
type Prediction struct {
	N int `json:"n"` // the rung predicted
	// FittedTo is the largest rung that the prediction rests on.
	FittedTo  int     `json:"fitted_to"`
	Predicted float64 `json:"predicted"` // throughput
	Measured  float64 `json:"measured"`  // throughput
	Error     float64 `json:"error"`     // predicted/measured - 1
}

// Reason is a reason for which the law does not describe the rungs.
type Reason int

// Reasons.
const (
	NoDoubt      Reason = iota
	TooFewRungs         // any so many fit it exactly
	OffRung             // it lies off a rung
	Undetermined        // the rungs do not determine its parameters
	AboveBound          // it exceeds the bound from the measured demands
)

// Misfit is why the law does not describe the rungs.
type Misfit struct {
	Why   Reason
	Rungs int     // how many there are
	At    float64 // the count of OffRung and AboveBound
	Off   float64 // relative to the measurement
}

// Violation is a measurement above the bounds, which were left out for it.
type Violation struct {
	From            int // the rung whose demands they are of
	At              float64
	Bound, Measured float64 // throughput
}

// Shape is how throughput grows by a law that holds.
type Shape int

// Shapes.
const (
	Peaks           Shape = iota // at PeakAt
	FallsFromStart               // from the smallest rung on
	PastPeak                     // that the fit does not locate
	Linear                       // as far as the scatter of the rungs tells
	Scattered                    // too much to tell whether it levels off
	LevelsToCeiling              // towards Ceiling, with no peak in the measured range
	LevelsOff                    // with no peak in the measured range
)

// Course is the shape and its subject.
type Course struct {
	Shape       Shape
	Ceiling     float64 // throughput
	First, Last int     // rungs
}
