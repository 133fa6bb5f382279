package study

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Percentage is a share that is written as a percentage: 1 %.
type Percentage float64

// mostTolerated is the largest share of a trial's instances that may fail by themselves: figures of
// far fewer instances than were asked for answer another question.
const mostTolerated = 0.1

// Of is that share of so many: whole ones, and so none of fewer than 1/t.
func (t Percentage) Of(instances int) int {
	const rounding = 1e-9 // of a percentage that no binary fraction is equal to
	return int(math.Floor(float64(t)*float64(instances) + rounding))
}

// String writes it as in a study.
func (t Percentage) String() string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.6f", 100*float64(t)), "0"), ".") + " %"
}

// UnmarshalText reads a percentage.
func (t *Percentage) UnmarshalText(text []byte) error {
	share, err := parseShare(string(text))
	*t = Percentage(share)
	return err
}

// UnmarshalJSON reads what encoding/json writes: the share as a number.
func (t *Percentage) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*float64)(t)) }

// tolerance checks how many instances may fail.
func (c *checker) tolerance() {
	switch t := c.study.Tolerate; {
	case t > mostTolerated:
		c.wrong("tolerate", fmt.Sprintf("tolerate must be 0 %% to %v, got %v", Percentage(mostTolerated), t), "a small share of the instances, such as 1 %")
	case t > 0 && c.study.Ladder.Of == OfUsers:
		c.wrong("tolerate", "the ladder counts the users of one instance, and it has no others that could go on without it", "a ladder of instances, or no tolerate")
	}
}

// accuracy checks how far the answer may be off.
func (c *checker) accuracy() {
	if a := c.study.Accuracy; a < 0 || a >= 1 {
		c.wrong("accuracy", fmt.Sprintf("accuracy must be above 0 %% and below 100 %%, got %v", a), "how far the answer may be off at most, such as 10 %")
	}
}
