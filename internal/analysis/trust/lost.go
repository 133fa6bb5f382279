package trust

import (
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// Missing is the kind of warning about evidence that existed or should have, but is gone.
const Missing = "lost"

// doubtLost: nothing unmeasured vouches for a figure.
func (o observed) doubtLost(e *Evidence, t *result.Trial, m trial.Metrics) (all []Warning) {
	for _, l := range o.losses(e.Run, t, m, e.Study.Ladder.Instances(t.Rung)-len(t.SetAside)) {
		w := Warn(Missing, []Severity{Note, Caution, Serious}[l.Gravity()], "%s", l.Told())
		w.Loss = &l
		all = append(all, w)
	}
	return all
}
