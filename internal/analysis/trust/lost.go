package trust

import (
	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

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
	case l.Form == LostRecords, l.Form == LostSamples && l.Share >= littleUnsampled && l.Share < muchUnsampled:
		return SomeLoss
	case l.Form == LostSamples && l.Share < littleUnsampled:
		return LittleLoss
	}
	return GraveLoss
}

// bound: what was not sampled may have been used by others altogether. Figures that cannot be checked
// stand, because their drivers counted them.
func (l Loss) bound() bound.Bound {
	switch l.Form {
	case LostSamples:
		return bound.Either(l.Share)
	case LostRecords:
		return bound.Bound{}
	}
	return bound.Unbounded
}

// doubtLost: nothing unmeasured vouches for a figure.
func (o observed) doubtLost(e *Evidence, t *result.Trial, m trial.Metrics) (all []Warning) {
	for _, l := range o.losses(e.Run, t, m, e.Study.Ladder.Instances(t.Rung)-len(t.SetAside)) {
		found := All(l.Found)
		if l.Form == LostSamples {
			found = Share(l.Share)
		}
		all = append(all, Warn(Missing, []Severity{Note, Caution, Serious}[l.Gravity()], l.Form, Name(l.Of), found).By(l.bound()))
	}
	return all
}
