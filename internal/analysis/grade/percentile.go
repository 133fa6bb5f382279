package grade

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/trust"
)

// Percentiles warns of rungs whose percentiles do not come from all repetitions together.
func Percentiles(variants []model.Variant) []trust.Warning {
	var out []trust.Warning
	for _, v := range variants {
		for _, r := range v.Rungs {
			if o := r.Operations[v.Work.Whole()]; !o.Pooled && len(o.Percentile) > 0 {
				out = append(out, trust.Warn(trust.Percentiles, trust.Caution, trust.PercentilesWorst, trust.Name(v.Name), trust.Count(r.Instances)))
			}
		}
	}
	return out
}
