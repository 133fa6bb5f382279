package report

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
)

// defaultSeries is how many trials carry time series in the HTML unless asked
// otherwise: enough for every rung of a usual study, few enough for a file
// that can be mailed.
const defaultSeries = 48

// failedShare is the part of the places that failed trials may take from the
// medians when there is no room for all.
const failedShare = 0.25

// drawnTrials chooses the trials whose time series the HTML carries: all when
// they fit; otherwise the median trial of every variant and rung, those
// nearest the load line first, and failed trials. In the order of the
// campaign.
func drawnTrials(a *analysis.Analysis, limit int) []analysis.TrialInfo {
	if limit <= 0 {
		limit = defaultSeries
	}
	chosen := slices.Clone(a.Trials)
	if len(chosen) > limit {
		chosen = mostTelling(a, limit)
	}
	slices.SortStableFunc(chosen, func(x, y analysis.TrialInfo) int { return cmp.Compare(x.Position, y.Position) })
	return chosen
}

// mostTelling takes medians and failed trials within the limit.
func mostTelling(a *analysis.Analysis, limit int) []analysis.TrialInfo {
	medians := medianTrials(a)
	failed := slices.DeleteFunc(slices.Clone(a.Trials), func(t analysis.TrialInfo) bool { return t.Status != "failed" })
	room := max(limit-len(medians), min(len(failed), int(float64(limit)*failedShare)))
	failed = failed[:min(len(failed), room)]
	medians = medians[:min(len(medians), limit-len(failed))]
	return append(medians, failed...)
}

// place is a trial with its rung's distance from the load line in rungs.
type place struct {
	trial    analysis.TrialInfo
	distance int
}

// medianTrials gives the trial of median throughput of every variant and rung,
// those nearest their load line first.
func medianTrials(a *analysis.Analysis) []analysis.TrialInfo {
	passed := map[string]map[int][]analysis.TrialInfo{}
	for _, t := range a.Trials {
		if t.Status != string(result.Passed) || t.Alone {
			continue
		}
		if passed[t.Variant] == nil {
			passed[t.Variant] = map[int][]analysis.TrialInfo{}
		}
		passed[t.Variant][t.Rung] = append(passed[t.Variant][t.Rung], t)
	}
	var places []place
	for _, v := range a.Variants {
		for i, r := range v.Rungs {
			if trials := passed[v.Name][r.Instances]; len(trials) > 0 {
				places = append(places, place{medianTrial(trials), loadLineDistance(v, i)})
			}
		}
	}
	slices.SortStableFunc(places, func(x, y place) int { return cmp.Compare(x.distance, y.distance) })
	trials := make([]analysis.TrialInfo, len(places))
	for i, p := range places {
		trials[i] = p.trial
	}
	return trials
}

// medianTrial is the trial of median throughput, the lower of two.
func medianTrial(trials []analysis.TrialInfo) analysis.TrialInfo {
	sorted := slices.Clone(trials)
	slices.SortStableFunc(sorted, func(x, y analysis.TrialInfo) int { return cmp.Compare(x.Throughput, y.Throughput) })
	return sorted[(len(sorted)-1)/2]
}

// loadLineDistance counts rungs between the i-th rung and the one at the load
// line or the one above it.
func loadLineDistance(v analysis.Variant, i int) int {
	line := 0
	for j, r := range v.Rungs {
		if r.Instances <= v.LoadLine.Rung {
			line = j
		}
	}
	if i > line {
		return i - line - 1
	}
	return line - i
}
