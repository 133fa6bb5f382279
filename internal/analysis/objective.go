package analysis

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// judge holds an objective against a rung.
func judge(o study.Objective, r *Rung, trials []*result.Trial) ObjectiveResult {
	value, known := objectiveValue(o, r, trials)
	return ObjectiveResult{
		Text:    o.Text,
		Metric:  o.Metric,
		Value:   stats.Finite(value),
		Limit:   stats.Finite(o.Limit),
		Kept:    known && value <= o.Limit,
		Unknown: !known,
	}
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
