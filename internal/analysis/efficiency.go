package analysis

import (
	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// Best is a variant's highest throughput within the objectives or, where no rung
// keeps them, of all, over what it uses. 0 is not known.
type Best struct {
	Rung       int               `json:"rung"`       // where it was measured
	Kept       bool              `json:"kept"`       // within the objectives
	Throughput interval.Interval `json:"throughput"` // as that of the rung
	// Drives are those behind the storage, as it says itself, or else as the bill
	// says.
	Drives float64 `json:"drives,omitempty"`
	// Cores is the CPU that all machines used there for the trial, in cores.
	Cores    float64 `json:"cores,omitempty"`
	PerDrive float64 `json:"per_drive,omitempty"` // throughput over Drives
	PerMoney float64 `json:"per_money,omitempty"` // throughput per 1,000 of the bill, in its currency
	PerCore  float64 `json:"per_core,omitempty"`  // throughput over Cores
	// Rated is the share of what the drives do according to their maker.
	Rated float64 `json:"rated,omitempty"`
	// Baseline relates the throughput to that of another run.
	Baseline *Fraction `json:"baseline,omitempty"`
}

// setBest finds each variant's best rung; the bills must be there.
func (a *Analysis) setBest() {
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
	b := &Best{Rung: r.Instances, Kept: r.Kept, Throughput: r.Throughput, Drives: v.drives, Cores: resource.CoresUsed(r.Resources)}
	if b.Drives == 0 {
		b.Drives = bill.Drives()
	}
	if v.Work.Unit.PerDrive {
		b.Drives = 0
	}
	b.PerDrive = stats.Ratio(x, b.Drives)
	b.PerMoney = stats.Ratio(1000*x, bill.Total)
	b.PerCore = stats.Ratio(x, b.Cores)
	b.Rated = stats.Ratio(v.payload(r)*1e6, v.rated*max(b.Drives, 1))
	return b
}
