package trial

import (
	"math"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Share is the share of errors, of rolled-back operations or of work that was not done,
// over all repetitions.
func Share(o study.Objective, trials []*result.Trial) (float64, bool) {
	var part, whole int64
	for _, t := range trials {
		p, w := ShareCounts(o, t)
		part, whole = part+p, whole+w
	}
	return stats.Ratio(float64(part), float64(whole)), whole > 0
}

// ShareCounts are the operations of a trial that count for a share, and all.
func ShareCounts(o study.Objective, t *result.Trial) (part, whole int64) {
	s, _ := Operation(t, o.Operation)
	switch o.Metric {
	case study.Decline: // it is of the rung
		return 0, 0
	case study.Undone:
		return max(0, s.Offered-s.Count-s.RolledBack), s.Offered
	case study.Idle:
		whole = int64(math.Round(Computable(t, o.Operation)))
		return max(0, whole-s.Count), whole
	}
	errors := Failures(s)
	part = s.RolledBack
	if o.Metric == "errors" {
		part = errors
	}
	return part, s.Count + s.RolledBack + errors
}

// Computable is how many units of work the users of a trial could have done in its measured
// phase without waiting, if each computes for the same time; 0 if none was done.
func Computable(t *result.Trial, compute string) float64 {
	return stats.Ratio(t.UserSeconds(), t.Operations[compute].Mean)
}

// ObjectiveValue is the objective's metric in one trial, for the spread between
// repetitions; corrected for what a stall hid.
func ObjectiveValue(o study.Objective, t *result.Trial) (float64, bool) {
	s, ok := Operation(t, o.Operation)
	if !ok {
		return 0, false
	}
	s = s.Judged()
	switch {
	case o.IsShare():
		return Share(o, []*result.Trial{t})
	case o.Metric == "mean":
		return s.Mean, stats.IsFinite(s.Mean)
	}
	v, ok := Percentiles(s)[strings.ToLower(o.Metric)]
	return v, ok
}
