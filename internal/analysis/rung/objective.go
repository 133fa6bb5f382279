package rung

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// judge holds an objective against a rung.
func judge(o study.Objective, r *Rung, trials []*result.Trial) ObjectiveResult {
	value, known := objectiveValue(o, r, trials)
	recorded := 0.0
	if v, hidden := correctedValue(o, r, trials); hidden {
		recorded, value = value, v
	}
	operation := o.Operation
	if trial.IsWhole(trial.ProfileOf(trials), operation) {
		operation = ""
	}
	return ObjectiveResult{
		Text:      o.Text,
		Metric:    o.Metric,
		Operation: operation,
		Value:     stats.Finite(value),
		Recorded:  stats.Finite(recorded),
		Limit:     stats.Finite(o.Limit),
		Kept:      known && value <= o.Limit,
		Unknown:   !known,
	}
}

// correctedValue is the metric with what stalls hid, where they hid any of it.
func correctedValue(o study.Objective, r *Rung, trials []*result.Trial) (float64, bool) {
	name := o.Operation
	if name == "" {
		name = trial.ProfileOf(trials).Whole()
	}
	s := r.Operations[name]
	if o.IsShare() || s.Corrected == nil {
		return 0, false
	}
	v, ok := s.Corrected[o.Metric]
	return v, ok
}

// objectiveValue is the rung's value of the objective's metric; not known
// where the trials did not record it.
func objectiveValue(o study.Objective, r *Rung, trials []*result.Trial) (float64, bool) {
	whole := trial.IsWhole(trial.ProfileOf(trials), o.Operation)
	switch {
	case o.IsShare():
		return trial.Share(o, trials)
	case o.Metric == "mean":
		if whole {
			return r.Mean.Value, r.Mean.Value > 0
		}
		s, ok := r.Operations[o.Operation]
		return s.Mean, ok
	}
	percentiles := r.Percentile
	if !whole {
		percentiles = r.Operations[o.Operation].Percentile
	}
	v, ok := percentiles[o.Metric]
	return v, ok
}
