package analysis

import (
	"strings"

	"plimsoll/internal/analysis/stats"
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
	switch o.Metric {
	case "errors", "rolledback":
		return shareOf(o, trials)
	case "mean":
		if isOrder(o.Operation) {
			return r.Mean.Value, r.Mean.Value > 0
		}
		s, ok := r.Operations[o.Operation]
		return s.Mean, ok
	}
	percentiles := r.Percentile
	if !isOrder(o.Operation) {
		percentiles = r.Operations[o.Operation].Percentile
	}
	v, ok := percentiles[o.Metric]
	return v, ok
}

func isOrder(operation string) bool { return operation == "" || operation == "order" }

func operationOf(o study.Objective) string {
	if isOrder(o.Operation) {
		return "order"
	}
	return o.Operation
}

// shareOf is the share of errors or of rolled-back operations over all
// repetitions.
func shareOf(o study.Objective, trials []*result.Trial) (float64, bool) {
	var part, whole int64
	for _, t := range trials {
		p, w := shareCounts(o, t)
		part, whole = part+p, whole+w
	}
	return stats.Ratio(float64(part), float64(whole)), whole > 0
}

// shareCounts are the operations of a trial that count for a share, and all.
func shareCounts(o study.Objective, t *result.Trial) (part, whole int64) {
	s := t.Operations[operationOf(o)]
	errors := sumErrors(s.Errors)
	part = s.RolledBack
	if o.Metric == "errors" {
		part = errors
	}
	return part, s.Count + s.RolledBack + errors
}

func sumErrors(errors map[string]int64) (sum int64) {
	for _, n := range errors {
		sum += n
	}
	return sum
}

// trialValue is the objective's metric in one trial, for the spread between
// repetitions.
func trialValue(o study.Objective, t *result.Trial) (float64, bool) {
	s, ok := t.Operations[operationOf(o)]
	if !ok {
		return 0, false
	}
	switch o.Metric {
	case "errors", "rolledback":
		return shareOf(o, []*result.Trial{t})
	case "mean":
		return s.Mean, stats.IsFinite(s.Mean)
	}
	v, ok := summaryPercentiles(s)[strings.ToLower(o.Metric)]
	return v, ok
}
