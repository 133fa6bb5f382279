package loss

import "plimsoll/internal/words"

// Gravity is how grave a loss is.
type Gravity int

// Gravities.
const (
	Little Gravity = iota // it changes hardly a figure
	Some                  // what it was summed up to stands, and cannot be checked
	Grave                 // what a judgement would have read: it may have shown any doubt
)

// littleUnsampled and muchUnsampled are the shares of the measured phase without samples of a
// machine from which that is no little loss and a grave one.
const (
	littleUnsampled = 0.01
	muchUnsampled   = 0.1
)

// Gravity of the loss.
func (l Loss) Gravity() Gravity {
	switch {
	case l.Kind == Record, l.Kind == Samples && l.Share >= littleUnsampled && l.Share < muchUnsampled:
		return Some
	case l.Kind == Samples && l.Share < littleUnsampled:
		return Little
	}
	return Grave
}

// Told says what is lost, what was found and what that means for the answer.
func (l Loss) Told() words.Said {
	switch l.Kind {
	case Telemetry:
		return words.Say("the file %s %s: what happened in each second was not measured, so nothing shows whether the work was steady and what else used the machine", l.Of, l.Found)
	case Record:
		return words.Say("the file %s %s: the figures that were summed up from it cannot be checked", l.Of, l.Found)
	case Instances:
		return words.Say("the file %s %s: what the others did was not measured, and each of them may break an objective", l.Of, l.Found)
	case Samples:
		return words.Say("%s has no samples of %s of the measured phase: its figures are means over the rest", l.Of, words.Amount{Value: l.Share, Text: words.Percent(l.Share)})
	}
	return words.Say("%s %s: what it did was not measured, so it may be what limits, or have been busy with something else", l.Of, l.Found)
}
