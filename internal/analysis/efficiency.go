package analysis

import (
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/stats"
)

// Best is a variant's highest throughput within the objectives or, where no rung
// keeps them, of all, over what it uses. 0 is not known.
type Best struct {
	Rung       int      `json:"rung"`       // where it was measured
	Kept       bool     `json:"kept"`       // within the objectives
	Throughput Interval `json:"throughput"` // as that of the rung
	// Drives are those of the bill.
	Drives float64 `json:"drives,omitempty"`
	// Cores is the CPU that all machines used there, in cores.
	Cores    float64 `json:"cores,omitempty"`
	PerDrive float64 `json:"per_drive,omitempty"` // throughput over Drives
	PerMoney float64 `json:"per_money,omitempty"` // throughput per 1,000 of the bill, in its currency
	PerCore  float64 `json:"per_core,omitempty"`  // throughput over Cores
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
	at := bestRung(v.Rungs, func(r Rung) bool { return r.Kept })
	if at < 0 {
		at = bestRung(v.Rungs, measuredRung)
	}
	if at < 0 || v.Rungs[at].Throughput.Value <= 0 {
		return nil
	}
	r := &v.Rungs[at]
	x := r.Throughput.Value
	b := &Best{Rung: r.Instances, Kept: r.Kept, Throughput: r.Throughput, Drives: bill.Drives(), Cores: coresUsed(r.Sides)}
	b.PerDrive = stats.Ratio(x, b.Drives)
	b.PerMoney = stats.Ratio(1000*x, bill.Total)
	b.PerCore = stats.Ratio(x, b.Cores)
	return b
}

// coresUsed adds up the machines; a machine that is both sides has the processes
// of either among its own.
func coresUsed(sides []Side) (cores float64) {
	for _, s := range sides {
		if s.Side == bothSides && s.Values["cores"] > 0 {
			return s.Values["cores"]
		}
		cores += s.Values["cores"]
	}
	return cores
}
