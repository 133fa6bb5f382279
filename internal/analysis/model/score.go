package model

import "plimsoll/internal/analysis/stats"

// Metrics of predictions.
const (
	OfMean       = "mean"
	OfThroughput = "throughput"
)

// ChangePrediction is a figure that a report predicts of the very change that an experiment makes.
type ChangePrediction struct {
	Metric string         `json:"metric"` // mean (response time of a unit of work, s) or throughput (in the variant's unit)
	Value  stats.Interval `json:"value"`  // predicted
	// Without is what the run measured without the change; missing where it did not measure that rung.
	Without *stats.Interval `json:"without,omitempty"`
	// Factor is how many times as fast a device must become for the prediction to be about the change; 0
	// where it is about the setting itself.
	Factor int `json:"factor,omitempty"`
}

// TestedPrediction is a prediction and what the experiment measured that was to test it.
type TestedPrediction struct {
	Variant    string           `json:"variant"`            // the prediction is about
	Rung       int              `json:"rung"`               // that both are of
	Path       string           `json:"path"`               // of the setting that the experiment changes
	From       string           `json:"from"`               // its value in the run
	To         string           `json:"to"`                 // its value in the experiment
	Prediction ChangePrediction `json:"prediction"`         // by the report of the run
	Measured   *stats.Interval  `json:"measured,omitempty"` // by the experiment; missing where it measured nothing
	// Ratio is what was measured divided by what was predicted.
	Ratio *stats.Interval `json:"ratio,omitempty"`
	// Outcome is confirmed where the interval of Ratio has 1 in it, else refuted. It is undecided where the
	// experiment does not test the prediction, for the given Reason.
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"` // see Outcome
	Run     string  `json:"run,omitempty"`    // of the experiment
	Text    string  `json:"text"`             // all of this in words
}

// PredictionScore is how predictions of a run fared in the experiments that followed it.
type PredictionScore struct {
	Held     int `json:"held"`     // predictions that were confirmed
	Missed   int `json:"missed"`   // that were refuted
	Untested int `json:"untested"` // that experiments were made for, and did not test
	// Predictions are all of them.
	Predictions []TestedPrediction `json:"predictions"`
	Text        string             `json:"text"` // the score in a sentence
}

// ScoreOf counts predictions by their outcomes; nil where there are none.
func ScoreOf(all []TestedPrediction) *PredictionScore {
	if len(all) == 0 {
		return nil
	}
	s := &PredictionScore{Predictions: all}
	for _, p := range all {
		switch p.Outcome {
		case Confirmed:
			s.Held++
		case Refuted:
			s.Missed++
		default:
			s.Untested++
		}
	}
	return s
}
