package trust

import (
	"math"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// outliers finds repetitions that lie apart from the others of their rung, by
// trial: more than 3.5 scaled median deviations (Iglewicz and Hoaglin, "How to
// Detect and Handle Outliers", 1993) and more than a tenth of the median. Two
// repetitions cannot say which is right, so both are doubted where they lie
// more than a fifth apart.
func (e *Evidence) outliers() map[string][]Warning {
	out := map[string][]Warning{}
	for _, g := range trial.Repetitions(e.Run.Trials) {
		for id, w := range e.outliersOf(g) {
			out[id] = w
		}
	}
	return out
}

func (e *Evidence) outliersOf(group []*result.Trial) map[string][]Warning {
	out := map[string][]Warning{}
	values := trial.Collect(group, trial.Throughput)
	middle := stats.Median(stats.FiniteOnly(values))
	if len(group) < 2 || middle <= 0 {
		return out
	}
	limit := max(0.1, 3.5*1.4826*stats.MedianDeviation(values, middle)/middle)
	if len(group) == 2 {
		limit = 0.1 // each lies at most half of their distance from the middle
	}
	for i, t := range group {
		if off := values[i]/middle - 1; math.Abs(off) > limit && stats.IsFinite(off) {
			w := warn(Outlier, Caution, OutlierThroughput, Difference(off), Count(len(group)))
			w[0].Trial = t.ID
			out[t.ID] = w
		}
	}
	return out
}

// trends doubts variants whose repetitions change one after the other.
func (e *Evidence) trends() map[string][]Warning {
	out := map[string][]Warning{}
	for id, s := range e.Trends {
		severity := Caution
		if s.Large {
			severity = Serious
		}
		w := Warn(Sequence, severity, SequenceChanged, Difference(s.Throughput), Difference(s.Response), Count(s.Rungs))
		out[id] = []Warning{w.By(bound.Either(min(0.99, math.Abs(stats.Finite(s.Throughput))/2))).Of(id)}
	}
	return out
}
