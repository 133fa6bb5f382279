package analysis

import (
	"math"
	"strconv"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// outliers finds repetitions that lie apart from the others of their rung, by
// trial: more than 3.5 scaled median deviations (Iglewicz and Hoaglin, "How to
// Detect and Handle Outliers", 1993) and more than a tenth of the median. Two
// repetitions cannot say which is right, so both are doubted where they lie
// more than a fifth apart.
func (s *subject) outliers() map[string][]Warning {
	out := map[string][]Warning{}
	for _, g := range s.repetitions() {
		for id, w := range s.outliersOf(g) {
			out[id] = w
		}
	}
	return out
}

// repetitions groups the measured trials that passed by variant and rung.
func (s *subject) repetitions() map[string][]*result.Trial {
	groups := map[string][]*result.Trial{}
	for _, t := range s.run.Trials {
		if t.Status == result.Passed && !published(t) {
			key := t.Variant.Name + "\x00" + strconv.Itoa(t.Rung)
			groups[key] = append(groups[key], t)
		}
	}
	return groups
}

func (s *subject) outliersOf(group []*result.Trial) map[string][]Warning {
	out := map[string][]Warning{}
	values := collect(group, s.unit.throughput)
	middle := stats.Median(stats.FiniteOnly(values))
	if len(group) < 2 || middle <= 0 {
		return out
	}
	limit := max(0.1, 3.5*1.4826*medianDeviation(values, middle)/middle)
	if len(group) == 2 {
		limit = 0.1 // each lies at most half of their distance from the middle
	}
	for i, t := range group {
		if off := values[i]/middle - 1; math.Abs(off) > limit && stats.IsFinite(off) {
			w := warn("outlier", Caution, "throughput is %+.0f %% from the median of the %d repetitions", off*100, len(group))
			w[0].Trial = t.ID
			out[t.ID] = w
		}
	}
	return out
}

// medianDeviation is the median distance from the middle.
func medianDeviation(values []float64, middle float64) float64 {
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = math.Abs(v - middle)
	}
	return stats.Median(stats.FiniteOnly(distances))
}
