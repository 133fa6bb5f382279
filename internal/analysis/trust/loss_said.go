package trust

import "plimsoll/internal/text/words"

// Gravity is how grave a loss is.
type Gravity int

// Gravities.
const (
	LittleLoss Gravity = iota // it changes hardly a figure
	SomeLoss                  // the summary stands but cannot be checked
	GraveLoss                 // what a judgement would have read: it may have shown any doubt
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
	case l.Kind == LostRecord, l.Kind == LostSamples && l.Share >= littleUnsampled && l.Share < muchUnsampled:
		return SomeLoss
	case l.Kind == LostSamples && l.Share < littleUnsampled:
		return LittleLoss
	}
	return GraveLoss
}

// Told describes the loss, what was found instead, and the consequence for the answer.
func (l Loss) Told() words.Phrase {
	switch l.Kind {
	case LostTelemetry:
		return words.Say("the file %s %s: what happened in each second was not measured, so nothing shows whether the work was steady and what else used the machine", l.Of, l.Found)
	case LostRecord:
		return words.Say("the file %s %s: the figures that were summed up from it cannot be checked", l.Of, l.Found)
	case LostInstances:
		return words.Say("the file %s %s: what the others did was not measured, and each of them may break an objective", l.Of, l.Found)
	case LostSamples:
		return words.Say("%s has no samples of %s of the measured phase: its figures are means over the rest", l.Of, words.Amount{Value: l.Share, Text: words.Percent(l.Share)})
	}
	return words.Say("%s %s: what it did was not measured, so it may be what limits, or have been busy with something else", l.Of, l.Found)
}
