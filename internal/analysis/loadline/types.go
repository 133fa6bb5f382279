package loadline

import (
	"encoding/json"
	"math"

	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// LoadLine is the largest count that keeps every objective.
type LoadLine struct {
	// Rung is the largest measured rung that kept them, 0 for none.
	Rung int `json:"rung"`
	// Ran is how many instances of that rung worked to the end, where some were set aside: no
	// more are said to be carried. 0 is all.
	Ran int `json:"ran,omitempty"`
	// Next is the smallest measured rung above Rung, which broke an objective; 0 if the
	// line is open. The line is in [Rung, Next).
	Next int `json:"next,omitempty"`
	// Count interpolates between that rung and the next, in whole instances.
	Count stats.Interval `json:"count"`
	// Likely is the interval of the line that holds it nine times in ten.
	Likely stats.Interval `json:"-"`
	// Open reports that every measured rung met them: the line is above.
	Open     bool   `json:"open"`
	Unstable bool   `json:"unstable"`         // a rung failed below one that passed
	Broken   string `json:"broken,omitempty"` // the objective that broke first
	Text     string `json:"text"`             // the line in words
	// Unmeasured reports that no trial passed, and that none failed for its load: how many are
	// carried is not known, and Count has no value.
	Unmeasured bool `json:"unmeasured,omitempty"`
	// Bracket is the line as reports state it; only JSON has it.
	Bracket Bracket `json:"bracket"`
	// Rising is what response times did at Rung, where that leaves open whether it keeps the
	// objectives; else nil. Shown is then the largest smaller count that does, 0 for none.
	Rising *rung.UnsteadyTrial `json:"-"`
	Shown  int                 `json:"-"`
	// Why is what Broken says, and Missed the place of the objective that it is about.
	Why    Reason `json:"-"`
	Missed int    `json:"-"`
}

// Reason says why the rung above a line broke, or why there is no line.
type Reason int

// Reasons.
const (
	NotBroken        Reason = iota // the line is open
	ObjectiveMissed                // the one at Missed
	RungBroke                      // by its Break
	TrialsFailed                   // half of them or more
	EveryTrialFailed               // of the rung, or of all where nothing was measured
	NoTrial                        // none has ended
	NoObjective                    // the study sets none
)

// Bracket is the two counts between which a line is.
type Bracket struct {
	Text string `json:"text"` // in figures
	Reach
}

// MarshalJSON adds the bracket, and writes null for the count of a line that was not measured.
func (l LoadLine) MarshalJSON() ([]byte, error) {
	type plain LoadLine
	l.Bracket.Reach = l.Reach()
	if l.Unmeasured {
		l.Count.Value = math.NaN()
	}
	return json.Marshal(plain(l))
}
