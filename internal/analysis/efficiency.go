package analysis

import (
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// setBest finds each variant's best rung; the bills must be there.
func setBest(a *Analysis) {
	bills := map[string]price.Bill{}
	if a.Prices != nil {
		for _, b := range a.Prices.Variants {
			bills[b.Variant] = b
		}
	}
	for i := range a.Variants {
		a.Variants[i].Best = bestOf(&a.Variants[i], bills[a.Variants[i].Name])
	}
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
