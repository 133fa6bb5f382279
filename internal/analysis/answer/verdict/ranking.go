package verdict

import (
	"cmp"
	"plimsoll/internal/analysis/model"
	"slices"

	"plimsoll/internal/analysis/rung"
)

// BestFirst names the variants by what their load lines surely carry, then by the
// estimate; by their highest throughput where the study sets no objective.
func BestFirst(a *model.Analysis) []string {
	sorted := make([]*model.Variant, len(a.Variants))
	for i := range a.Variants {
		sorted[i] = &a.Variants[i]
	}
	rank := lineRank
	if len(a.Study.Objectives) == 0 {
		rank = peakOf
	}
	if countAlike(a.Variants) {
		slices.SortStableFunc(sorted, func(v, w *model.Variant) int { return cmp.Compare(rank(w), rank(v)) })
	}
	names := make([]string, len(sorted))
	for i, v := range sorted {
		names[i] = v.Name
	}
	return names
}

// countAlike says that the throughputs of all variants have one unit.
func countAlike(variants []model.Variant) bool {
	return !slices.ContainsFunc(variants, func(v model.Variant) bool {
		return v.Work.Unit.Throughput != variants[0].Work.Unit.Throughput
	})
}

// lineRank sorts by what a variant surely carries, then by the estimate.
func lineRank(v *model.Variant) float64 {
	return v.LoadLine.Count.Low + v.LoadLine.Count.Value/1e9
}

// peakOf is the highest throughput measured, 0 where nothing was.
func peakOf(v *model.Variant) float64 {
	at := rung.Best(v.Rungs, rung.Measured)
	if at < 0 {
		return 0
	}
	return v.Rungs[at].Throughput.Value
}
