package analysis

import (
	"slices"

	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// withBest gives variants their best rungs.
func withBest(variants []Variant, prices *price.Prices) []Variant {
	bills := map[string]price.Bill{}
	if prices != nil {
		for _, b := range prices.Variants {
			bills[b.Variant] = b
		}
	}
	out := slices.Clone(variants)
	for i := range out {
		out[i].Best = bestOf(&out[i], bills[out[i].Name])
	}
	return out
}

func bestOf(v *Variant, bill price.Bill) *Best {
	at := rung.Best(v.Rungs, func(r rung.Rung) bool { return r.Kept })
	if at < 0 {
		at = rung.Best(v.Rungs, rung.Measured)
	}
	if at < 0 || v.Rungs[at].Throughput.Value <= 0 {
		return nil
	}
	r := &v.Rungs[at]
	x := r.Throughput.Value
	b := &Best{Rung: r.Instances, Kept: r.Kept, Throughput: r.Throughput, Drives: v.Drives, Cores: resource.CoresUsed(r.Resources)}
	if b.Drives == 0 {
		b.Drives = bill.Drives()
	}
	if v.Work.Unit.PerDrive {
		b.Drives = 0
	}
	b.PerDrive = stats.Ratio(x, b.Drives)
	b.PerMoney = stats.Ratio(1000*x, bill.Total)
	b.PerCore = stats.Ratio(x, b.Cores)
	b.Rated = stats.Ratio(v.Payload(r)*1e6, v.Rated*max(b.Drives, 1))
	return b
}
