package peers

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/host/simnet"
	"plimsoll/internal/study"
)

// Action is a fault of one part as a study writes it: "kill peer 2", "cut power peer 2",
// "degrade link 1 100mbit". Parts count from 1.
type Action struct {
	Verb, What string
	Number     int
	Rate       uint64 // bits per second, of "degrade"
}

// Verbs are what can be done to each kind of part.
type Verbs map[string][]string

// Machine are the verbs of machines and their links. A class adds its own parts.
func Machine() Verbs {
	return Verbs{
		"peer": {"kill", study.CutPower, "restart"},
		"link": {"cut", "restore", "degrade"},
	}
}

// errUnknown is of an action that is none of the verbs.
var errUnknown = errors.New("is not a fault of the pool")

// Parse reads an action. Unknown reports whether the text was none of the
// verbs.
func (v Verbs) Parse(text string) (Action, error) {
	words := strings.Fields(text)
	if rest, ok := strings.CutPrefix(text, study.CutPower+" "); ok {
		words = append([]string{study.CutPower}, strings.Fields(rest)...)
	}
	if len(words) < 3 || !slices.Contains(v[words[1]], words[0]) {
		return Action{}, errUnknown
	}
	n, err := strconv.Atoi(words[2])
	if err != nil {
		return Action{}, errUnknown
	}
	a := Action{Verb: words[0], What: words[1], Number: n}
	switch rest := words[3:]; {
	case a.Verb == "degrade" && len(rest) != 1:
		return Action{}, fmt.Errorf("%q has no rate: write degrade link %d 100mbit", text, n)
	case a.Verb == "degrade":
		a.Rate, err = simnet.ParseRate(rest[0])
	case len(rest) > 0:
		err = errUnknown
	}
	return a, err
}

// Unknown reports whether an error of Parse is of a text that is none of the verbs.
func Unknown(err error) bool { return errors.Is(err, errUnknown) }

// Last is the last action that fits, or none.
func Last(all []Action, fits func(Action) bool) Action {
	for _, a := range slices.Backward(all) {
		if fits(a) {
			return a
		}
	}
	return Action{}
}
