package pairwise

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// GrowthCurves are the growth curves of the variants. A variant with a single rung has none.
func GrowthCurves(variants []model.Variant, published bool) (all []model.GrowthCurve) {
	for i := range variants {
		v := &variants[i]
		first := rung.First(v.Rungs)
		if first == nil || first.Throughput.Value <= 0 {
			continue
		}
		r := model.GrowthCurve{Variant: v.Name, Label: v.Label, Published: published, Storage: v.Factors["storage"]}
		for _, rung := range v.Rungs {
			if rung.Throughput.Value > 0 {
				r.Points = append(r.Points, model.GrowthPoint{
					Instances:  rung.Instances,
					Throughput: rung.Throughput.Value / first.Throughput.Value * float64(first.Instances),
					Response:   stats.Ratio(rung.Mean.Value, first.Mean.Value),
				})
			}
		}
		if len(r.Points) > 1 {
			all = append(all, r)
		}
	}
	return all
}

// LargestCommon finds the largest count above one that both measured.
func LargestCommon(a, b []model.GrowthPoint) (x, y model.GrowthPoint, ok bool) {
	for _, p := range a {
		at := slices.IndexFunc(b, func(q model.GrowthPoint) bool { return q.Instances == p.Instances })
		if at >= 0 && p.Instances > 1 {
			x, y, ok = p, b[at], true
		}
	}
	return x, y, ok
}
