package rung

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// savingOf is what saving costs by the times of a rung; nil where nothing was saved.
func savingOf(passed []*result.Trial, operations map[string]OperationStats) *SaveLoss {
	s := trial.ProfileOf(passed).Saves
	if s == nil || operations[s.Save].Mean <= 0 {
		return nil
	}
	c := SaveLossOf(*s, operations[s.Save].Mean, operations[s.Restore].Mean)
	c.SaveRate, c.RestoreRate = rateOfOperation(passed, s.Save), rateOfOperation(passed, s.Restore)
	return &c
}

// rateOfOperation is what an operation moved over the time that it took, in bytes a second: the
// median over repetitions.
func rateOfOperation(passed []*result.Trial, name string) float64 {
	return stats.MedianOf(trial.Collect(passed, func(t *result.Trial) float64 {
		o := t.Operations[name]
		return stats.Ratio(float64(o.Bytes), float64(o.Count)*o.Mean)
	}))
}
