package verdict

import (
	"cmp"
	"plimsoll/internal/analysis/model"
	"slices"

	"plimsoll/internal/analysis/rung"
)

// BestFirst names the variants by what their load lines surely carry, then by the
// estimate or, of an open loop, p99; by their highest throughput where the study sets no objective.
func BestFirst(a *model.Analysis) []string {
	sorted := make([]*model.Variant, len(a.Variants))
	for i := range a.Variants {
		sorted[i] = &a.Variants[i]
	}
	rank := lineRank
	switch {
	case len(a.Study.Objectives) == 0:
		rank = peakOf
	case a.Study.OpenLoop:
		rank = rateRank
	}
	if countAlike(a.Variants) {
		sorted = byRank(sorted, rank)
	}
	names := make([]string, len(sorted))
	for i, v := range sorted {
		names[i] = v.Name
	}
	return names
}

// countAlike reports whether the throughputs of all variants have one unit.
func countAlike(variants []model.Variant) bool {
	return !slices.ContainsFunc(variants, func(v model.Variant) bool {
		return v.Work.Unit.Throughput != variants[0].Work.Unit.Throughput
	})
}

// byRank sorts variants by a rank, the highest first.
func byRank(variants []*model.Variant, rank func(*model.Variant) float64) []*model.Variant {
	sorted := slices.Clone(variants)
	slices.SortStableFunc(sorted, func(v, w *model.Variant) int { return cmp.Compare(rank(w), rank(v)) })
	return sorted
}

// rateRank sorts open-loop variants by the throughput that they certainly carry at their
// rate, then by p99 at that rate.
func rateRank(v *model.Variant) float64 {
	if r := rung.Find(v.Rungs, v.LoadLine.Rung); r != nil {
		return v.LoadLine.Count.Low - r.Percentile["p99"]/1e6
	}
	return v.LoadLine.Count.Low
}

// lineRank sorts by the load that a variant certainly carries, then by the estimate.
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
